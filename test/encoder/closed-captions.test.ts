/**
 * Captions in the picture of a source, and teletext: what the probe lists, and the cues that a captions job stores, compared with what ffmpeg
 * extracts from the same broadcast.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CaptionsFile, captionsRendition, type CaptionsResult } from "../../protocol/captions.ts";
import type { ClipRange } from "../../protocol/jobs.ts";
import { withoutRepeats } from "../../encoder/media/repeated-captions.ts";
import { BROADCAST, BROADCAST_SECONDS, type CaptionScript, PAGES } from "../support/caption-script.ts";
import { captionedFilm, writeCaptioned, writeWordTrack } from "../support/captioned-film.ts";
import { captionTables, channelWords, PADDING, type Word } from "../support/cc-writer.ts";
import { TestEncoder } from "../support/encoder.ts";
import { FLOWER } from "../support/ffmpeg-words.ts";
import { makeSource, type SourceName } from "../support/sources.ts";

const run = promisify(execFile);
const FRAME_MS = 1001 / 30;
type Line = [startMs: number, endMs: number, text: string];

let encoder: TestEncoder;
let folder: string;
let broadcast: string;
beforeAll(async () => {
  [encoder, folder] = [await TestEncoder.start(), await mkdtemp(join(tmpdir(), "sluice-captions-"))];
  broadcast = join(folder, "broadcast.ts");
  await captionedFilm(broadcast, BROADCAST_SECONDS, { captions: BROADCAST, teletext: PAGES });
});
afterAll(async () => {
  await Promise.all([encoder.stop(), rm(folder, { recursive: true, force: true })]);
});

/** Probes a source, and runs a captions job on all that it lists. */
async function read(path: string, clip: ClipRange = { startMs: 0, endMs: null }) {
  const { subtitles = [], video } = await encoder.probe(path);
  const { ending, desk } = await encoder.run(path, { kind: "captions", streams: subtitles, clip });
  if (!("result" in ending)) throw new Error(ending.failure.message);
  const { streams } = ending.result as CaptionsResult;
  const channels = new Map(
    streams.map((facts): [string, Line[]] => {
      const bytes = desk.objects.get(`${captionsRendition(facts)}/captions.json`)!;
      const { cues } = CaptionsFile.parse(JSON.parse(bytes.toString("utf8")));
      return [facts.channel ?? "", cues.map(([startMs, endMs, text]) => [startMs, endMs, text])];
    }),
  );
  return { subtitles, channels, pictureStartMs: video?.startMs ?? 0 };
}

const textsOf = (lines: Line[] | undefined) => (lines ?? []).map(([, , text]) => text);
const plain = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** What ffmpeg makes of the captions, in its own time. */
async function ffmpegCaptions(words: string[]): Promise<Line[]> {
  const { stdout } = await run("ffmpeg", ["-v", "fatal", "-nostdin", ...words, "-map", "0:s", "-f", "srt", "-"]);
  const ms = (time: string) => {
    const [hours = 0, minutes = 0, seconds = 0] = time.replace(",", ".").split(":").map(Number);
    return (hours * 3600 + minutes * 60 + seconds) * 1000;
  };
  return stdout
    .replaceAll("\r", "")
    .trim()
    .split("\n\n")
    .map((block): Line => {
      const [, times = "", ...text] = block.split("\n");
      const [from = "", to = ""] = times.split(" --> ");
      const shown = text.join("\n").replace(/^<font face="Monospace">|<\/font>$/g, "");
      return [ms(from), ms(to), shown.replace(/^\{\\an\d\}/, "")];
    });
}

test("the probe lists the channels that the picture may carry, and the subtitle pages of its teletext", async () => {
  const { subtitles = [] } = await encoder.probe(broadcast);
  const channels = (codec: string) => subtitles.filter((one) => one.codec === codec).map(({ channel }) => channel);
  const services = [1, 2, 3, 4, 5, 6].map((n) => `SERVICE${n}`);
  expect(channels("cc_data")).toEqual(["CC1", "CC2", "CC3", "CC4", ...services]);
  expect(subtitles.filter(({ codec }) => codec === "dvb_teletext")).toMatchObject([
    { channel: "888", languageCode: "ger", isHearingImpaired: false },
    { channel: "889", languageCode: "ger", isHearingImpaired: true },
  ]);
});

test("a picture without captions lists none", async () => {
  expect((await encoder.probe(await makeSource("ts"))).subtitles).toEqual([]);
});

describe("the captions of a broadcast", () => {
  let ours: Awaited<ReturnType<typeof read>>;
  beforeAll(async () => {
    ours = await read(broadcast);
  });

  test("channels that are empty, and service 1 that repeats CC1, are not reported", () => {
    expect([...ours.channels.keys()]).toEqual(["CC1", "CC3", "SERVICE2", "888", "889"]);
    expect(textsOf(ours.channels.get("SERVICE2"))).toEqual(["Nous avons vu une fleur\ndans le jardin"]);
  });

  test.each([
    ["CC1", "first", 7],
    ["CC3", "second", 2],
  ])("%s has the captions that ffmpeg extracts, cue by cue", async (channel, field, count) => {
    const source = ["-data_field", field, "-f", "lavfi", "-i", `movie=${broadcast}[out0+subcc]`];
    const theirs = await ffmpegCaptions(source);
    const lines = ours.channels.get(channel)!;
    expect(lines).toHaveLength(count);
    expect(textsOf(lines).map(plain)).toEqual(textsOf(theirs));
    for (const [n, [startMs, endMs]] of lines.entries()) {
      const [theirStartMs, theirEndMs] = theirs[n]!;
      // A row that rolls up begins with its first character here, and in ffmpeg with the carriage return before it: two words, sent twice.
      const [rollsAtStart, rollsAtEnd] = [channel === "CC1" && n >= 3 && n <= 5, channel === "CC1" && n >= 3 && n <= 4];
      expect(startMs - ours.pictureStartMs - theirStartMs).toBeGreaterThan(-FRAME_MS / 2);
      expect(startMs - ours.pictureStartMs - theirStartMs).toBeLessThan((rollsAtStart ? 4.5 : 0.5) * FRAME_MS);
      expect(endMs - ours.pictureStartMs - theirEndMs).toBeGreaterThan(-FRAME_MS / 2);
      expect(endMs - ours.pictureStartMs - theirEndMs).toBeLessThan((rollsAtEnd ? 4.5 : 0.5) * FRAME_MS);
    }
  });

  test.each([
    ["888", [1000, 4000, 6000, 9000]],
    ["889", [1500, 4500]],
  ])(
    "page %s of the teletext has the subtitles that ffmpeg extracts, at the times of its headers",
    async (page, times) => {
      const theirs = await ffmpegCaptions(["-txt_page", page, "-txt_format", "text", "-i", broadcast]);
      const lines = ours.channels.get(page)!;
      expect(textsOf(lines)).toEqual(textsOf(theirs));
      expect(lines.flatMap(([from, to]) => [from, to].map((ms) => Math.round(ms - ours.pictureStartMs)))).toEqual(
        times,
      );
    },
  );

  test("a clip has the captions of its range, in its own time", async () => {
    const whole = ours.channels.get("CC1")!;
    const { channels } = await read(broadcast, { startMs: 2000, endMs: 6000 });
    expect(channels.get("CC1")).toEqual(
      whole.slice(0, 3).map(([from, to, text]) => [Math.max(0, from - 2000), Math.min(4000, to - 2000), text]),
    );
  });

  test.each(["mp4", "mkv"])("the same captions are read from %s", async (extension) => {
    const path = join(folder, `broadcast.${extension}`);
    await run("ffmpeg", ["-y", "-v", "error", "-i", broadcast, "-map", "0:v", "-map", "0:a", "-c", "copy", path]);
    const { channels, pictureStartMs } = await read(path);
    const inPicture = (lines: Line[], startMs: number) =>
      lines.map(([from, to, text]) => [
        Math.round((from - startMs) / FRAME_MS),
        Math.round((to - startMs) / FRAME_MS),
        text,
      ]);
    expect([...channels.keys()]).toEqual(["CC1", "CC3", "SERVICE2"]);
    for (const [channel, lines] of channels)
      expect(inPicture(lines, pictureStartMs)).toEqual(inPicture(ours.channels.get(channel)!, ours.pictureStartMs));
  });
});

test("the ladder's pictures carry no captions, which are tracks; its job says whether the source's have a place for them", async () => {
  const { video } = await encoder.probe(broadcast);
  const grid = { frameRate: video!.frameRate, framesPerGop: 60, framesPerSegment: 60 };
  const rung = { name: "v180", widthPx: 320, heightPx: 180, crf: 30, maxBitrateBps: 500_000, preset: "ultrafast" };
  const chunk = { firstFrame: 0, frameCount: 60, firstSegment: 0 };
  const { desk, result } = await encoder.encodeVideo(broadcast, { video: video!, grid, rungs: [rung], ...chunk });
  expect(desk.objects.get("v180/0.m4s")!.includes("GA94")).toBe(false);
  expect(result.hasCcData).toBe(true);
  const silent = await makeSource("ts");
  const other = { video: (await encoder.probe(silent)).video!, grid, rungs: [rung], ...chunk };
  expect((await encoder.encodeVideo(silent, other)).result).not.toHaveProperty("hasCcData");
});

test("each channel has the language of the program map; CC1 has the language of service 1", async () => {
  const path = join(folder, "languages.ts");
  const tables = captionTables([
    [1, "eng"],
    ["CC3", "spa"],
    [2, "fre"],
  ]);
  await writeFile(path, Buffer.concat([tables, await readFile(broadcast)]));
  const { subtitles = [] } = await encoder.probe(path);
  expect(
    subtitles.filter(({ languageCode }) => languageCode !== "und").map((one) => [one.channel, one.languageCode]),
  ).toEqual([
    ["CC1", "eng"],
    ["CC3", "spa"],
    ["SERVICE1", "eng"],
    ["SERVICE2", "fre"],
    ["888", "ger"],
    ["889", "ger"],
  ]);
});

test("a track of caption words in QuickTime has the captions of its channel, and its language", async () => {
  const words = [...channelWords(1).popOn("A track", "of words"), ...Array<Word>(20).fill(PADDING)];
  const [track, path] = [join(folder, "words.mov"), join(folder, "film.mov")];
  await writeWordTrack(track, [...words, ...channelWords(1).erase()]);
  const inputs = ["-i", FLOWER, "-i", track, "-map", "0:v", "-map", "1", "-c", "copy", "-t", "3"];
  await run("ffmpeg", ["-y", "-v", "error", ...inputs, "-metadata:s:s:0", "language=eng", path]);
  const { subtitles, channels } = await read(path);
  expect(subtitles.map(({ codec, channel, languageCode }) => [codec, channel, languageCode])).toEqual(
    ["CC1", "CC2", "CC3", "CC4"].map((channel) => ["eia_608", channel, "eng"]),
  );
  expect([...channels.keys()]).toEqual(["CC1"]);
  const inFrames = channels
    .get("CC1")!
    .map(([from, to, text]) => [...[from, to].map((ms) => Math.round(ms / FRAME_MS)), text]);
  expect(inFrames).toEqual([[words.length - 22, words.length, "A track\nof words"]]);
});

test.each<[SourceName, string]>([
  ["hevc-10", "HEVC"],
  ["open-gop-mpeg2", "MPEG-2"],
])("%s: captions in the picture of %s are read", async (name) => {
  const captions: CaptionScript = { fields: [[[10, channelWords(1).popOn("In this codec")]], []], packets: [] };
  const path = join(folder, `${name}.ts`);
  await writeCaptioned(await makeSource(name), path, { captions });
  const { channels } = await read(path);
  expect([...channels.keys()]).toEqual(["CC1"]);
  expect(textsOf(channels.get("CC1"))).toEqual(["In this codec"]);
});

test("a channel repeats another when most of their words are the same, whatever their lines and damage; a translation does not", () => {
  const channel = (name: string, text: string, isTooLarge = false) => ({
    name,
    cues: text.split("|").map((line, n): CaptionsFile["cues"][number] => [n, n + 1, line, ""]),
    isTooLarge,
  });
  const kept = withoutRepeats([
    channel("CC1", "WE SAW A FLOWER|IN THE GARDEN NEAR|THE RIVER LAST SPRING"),
    { ...channel("CC2", ""), cues: [] },
    channel("CC3", "VIMOS UNA FLOR|EN EL JARDIN CERCA|DEL RIO EN PRIMAVERA"),
    channel("SERVICE1", "<i>We saw</i> a flower in the|garden near the riv|last spring"),
    channel("SERVICE2", "We saw a flower"), // a summary
    { ...channel("SERVICE3", ""), cues: [], isTooLarge: true },
  ]);
  expect(kept.map(({ name }) => name)).toEqual(["CC1", "CC3", "SERVICE2", "SERVICE3"]);
});
