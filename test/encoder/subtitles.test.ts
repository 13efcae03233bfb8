/** Subtitle streams of sources: what the probe lists, and the cues that a captions job stores. */
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CaptionsFile, type CaptionsResult } from "../../protocol/captions.ts";
import type { ClipRange } from "../../protocol/jobs.ts";
import type { SourceSubtitles, SourceVideo } from "../../protocol/source-facts.ts";
import { timedTextMarkup } from "../../encoder/media/timed-text.ts";
import { TestEncoder } from "../support/encoder.ts";
import { makeSource } from "../support/sources.ts";

let encoder: TestEncoder;
beforeAll(async () => {
  encoder = await TestEncoder.start();
});
afterAll(() => encoder.stop());

/** Matroska has no negative times: ffmpeg delays picture and subtitles by the priming of the sound. */
const inTimeOf = (video: SourceVideo | null) => (ms: number) => ms + Math.round(video?.startMs ?? 0);

/** Runs a captions job on every listed stream. */
async function read(path: string, streams: SourceSubtitles[], clip: ClipRange = { startMs: 0, endMs: null }) {
  const { ending, desk } = await encoder.run(path, { kind: "captions", streams, clip });
  if (!("result" in ending)) throw new Error(ending.failure.message);
  const cuesOf = (streamIndex: number) => {
    const bytes = desk.objects.get(`text-${streamIndex}/captions.json`);
    return bytes === undefined ? null : CaptionsFile.parse(JSON.parse(bytes.toString("utf8"))).cues;
  };
  return { result: ending.result as CaptionsResult, cues: streams.map(({ streamIndex }) => cuesOf(streamIndex)) };
}

test("SubRip, ASS and WebVTT of Matroska are listed with their labels, and read with their own markup", async () => {
  const path = await makeSource("subtitles-mkv");
  const { subtitles = [], video } = await encoder.probe(path);
  const at = inTimeOf(video);
  const off = { isForced: false, isHearingImpaired: false, title: "" };
  expect(subtitles).toEqual([
    { ...off, streamIndex: 2, codec: "subrip", languageCode: "eng" },
    { ...off, streamIndex: 3, codec: "ass", languageCode: "ita", title: "Cartelli", isForced: true },
    { ...off, streamIndex: 4, codec: "webvtt", languageCode: "ger", isHearingImpaired: true },
  ]);
  const { result, cues } = await read(path, subtitles);
  expect(result.streams.map(({ cueCount, isTooLarge }) => [cueCount, isTooLarge])).toEqual([
    [2, false],
    [2, false],
    [1, false],
  ]);
  expect(cues).toEqual([
    [
      [at(500), at(1500), "{\\an8}<i>Why</i> & how", ""],
      [at(1500), at(2500), "Two\nlines <script>", ""],
    ],
    [
      [at(500), at(1500), "Perché", ""],
      [at(2000), at(3000), "{\\b1}fiori{\\b0}", ""],
    ],
    [[at(500), at(1500), "<v Anna>Warum", "line:0 align:start"]],
  ]);
});

test("timed text of MP4 is read, relative to the start of a clip and cut at its end", async () => {
  const path = await makeSource("subtitles-mp4");
  const { subtitles = [] } = await encoder.probe(path);
  expect(subtitles.map(({ codec, languageCode }) => [codec, languageCode])).toEqual([
    ["mov_text", "eng"],
    ["mov_text", "ita"],
  ]);
  expect((await read(path, subtitles)).cues[1]).toEqual([
    [500, 1500, "Perché", ""],
    [2000, 3000, "<b>fiori</b>", ""],
  ]);
  const { cues } = await read(path, subtitles, { startMs: 1000, endMs: 2200 });
  expect(cues[1]).toEqual([
    [0, 500, "Perché", ""],
    [1000, 1200, "<b>fiori</b>", ""],
  ]);
});

test("a source whose end is missing gives the cues that are there, and a missing stream gives none", async () => {
  const whole = await readFile(await makeSource("subtitles-mkv"));
  const path = join(tmpdir(), `sluice-cut-${process.pid}.mkv`);
  await writeFile(path, whole.subarray(0, Math.floor(whole.length * 0.6)));
  const { subtitles = [], video } = await encoder.probe(path);
  const at = inTimeOf(video);
  const gone = { ...subtitles[0]!, streamIndex: 90 };
  const { result, cues } = await read(path, [...subtitles, gone]);
  expect(cues[0]?.[0]).toEqual([at(500), at(1500), "{\\an8}<i>Why</i> & how", ""]);
  expect(result.streams.map(({ streamIndex }) => streamIndex)).toEqual([2, 3, 4]);
});

test("samples of timed text that are damaged are gaps, and styles outside of the text are ignored", () => {
  const styled = (text: string, from: number, to: number, face: number, count = 1) => {
    const characters = Buffer.from(text);
    const head = Buffer.from([characters.length >> 8, characters.length & 255]);
    const box = Buffer.alloc(22);
    box.writeUInt32BE(22, 0);
    box.write("styl", 4, "latin1");
    box.writeUInt16BE(count, 8);
    box.writeUInt16BE(from, 10);
    box.writeUInt16BE(to, 12);
    box[16] = face;
    return Buffer.concat([head, characters, box]);
  };
  expect(timedTextMarkup(styled("a <b> & c", 0, 1, 3))).toBe("<b><i>a</i></b> &lt;b&gt; &amp; c");
  expect(timedTextMarkup(styled("abc", 1, 60_000, 4, 65_535))).toBe("a<u>bc</u>");
  expect(timedTextMarkup(styled("abc", 2, 1, 1))).toBe("abc");
  expect(timedTextMarkup(Buffer.from([0, 0]))).toBe("");
  expect(timedTextMarkup(Buffer.from([255, 255, 65]))).toBe("");
  expect(timedTextMarkup(Buffer.from([0, 4, 0xfe, 0xff, 0, 65]))).toBe("A");
});

test("a probe does not wait for a captions job that waits for its source", async () => {
  const path = await makeSource("subtitles-mp4");
  const { subtitles = [] } = await encoder.probe(path);
  const { job, desk } = encoder.prepare(path, { kind: "captions", streams: subtitles });
  const released = Promise.withResolvers<undefined>();
  const asked = Promise.withResolvers<void>();
  desk.intercept = (_, request) => {
    if (request !== "source") return undefined;
    asked.resolve();
    return released.promise;
  };
  expect((await encoder.request("POST", "/jobs", job)).status).toBe(202);
  await asked.promise;
  expect((await encoder.probe(path)).subtitles).toEqual(subtitles);
  released.resolve(undefined);
  expect("result" in (await desk.ending)).toBe(true);
});
