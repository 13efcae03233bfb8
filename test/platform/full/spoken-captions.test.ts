/** Ten minutes of speech with known text and pauses, heard by the real model at WHISPER_MODEL. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseWebVtt } from "../../../src/media/captions/webvtt.ts";
import { isReady, type Media, startTestPlatform, type TestPlatform } from "../../support/platform.ts";
import { type SourceServer, startSourceServer } from "../../support/source-server.ts";
import { align, plainWords, speak, type Spoken } from "../../support/spoken-text.ts";

const SECONDS = Number(process.env["SPOKEN_SECONDS"] ?? 600);
/** Twelve times as long as the sound; two cores need a third of it. */
const LIMIT_MS = SECONDS * 12_000;
const hasModel = (process.env["WHISPER_MODEL"] ?? "") !== "";
/** Between sentences, and one long one in ten. */
const pauseMs = (number: number) => (number % 10 === 9 ? 6000 : 500 + 350 * (number % 4));

interface TimedWord {
  startMs: number;
  endMs: number;
  text: string;
}

let platform: TestPlatform;
let server: SourceServer;
beforeAll(async () => {
  [platform, server] = await Promise.all([startTestPlatform(), startSourceServer()]);
});
afterAll(async () => {
  await platform?.stop();
  await server?.stop();
});

async function captionsOf(content: Buffer, name: string) {
  server.add(name, { kind: "content", content });
  const { assetId, playbackId } = await platform.create(server.url(name), {
    subtitles: { languageName: "English", languageCode: "en" },
  });
  await platform.until(assetId, isReady, LIMIT_MS);
  type Made = Media & { generatedSubtitles: { id: string; status: string }[] };
  const isEnded = (media: Media) => (media as Made).generatedSubtitles[0]!.status !== "preparing";
  const media = (await platform.until(assetId, isEnded, LIMIT_MS)) as Made;
  const [{ id, status }] = media.generatedSubtitles as [{ id: string; status: string }];
  const text = async (extension: string) =>
    await (await fetch(`${platform.baseUrl}/${playbackId}/text/${id}.${extension}`)).text();
  return { status, text, error: media.tracks.find((track) => track.id === id) };
}

describe.runIf(hasModel)("ten minutes of speech", () => {
  let spoken: Spoken[];
  let words: TimedWord[];
  let vtt: string;
  let whole: { text: string };
  beforeAll(async () => {
    const made = await speak(SECONDS, pauseMs);
    ({ spoken } = made);
    const captions = await captionsOf(made.file, "/spoken.wav");
    if (captions.status !== "available") throw new Error(`the captions are ${captions.status}`);
    ({ words } = JSON.parse(await captions.text("json")) as { words: TimedWord[] });
    vtt = await captions.text("vtt");
    const folder = await mkdtemp(join(tmpdir(), "sluice-whole-"));
    await writeFile(join(folder, "whole.wav"), made.file);
    const child = await promisify(execFile)(
      process.execPath,
      [new URL("../../support/hear-whole.ts", import.meta.url).pathname, join(folder, "whole.wav")],
      { maxBuffer: 64 << 20 },
    );
    whole = JSON.parse(child.stdout.trim().split("\n").at(-1)!) as { text: string };
    await rm(folder, { recursive: true });
  }, LIMIT_MS);

  test("has at most 1.05 times the errors of the model on the whole file", () => {
    const wanted = plainWords(spoken.map(({ text }) => text).join(" "));
    const ours = align(wanted, plainWords(words.map(({ text }) => text).join(" ")));
    const theirs = align(wanted, plainWords(whole.text));
    const differing = ours.pairs.flatMap(([i, j]) => {
      const [want, got] = [wanted[i] ?? "-", plainWords(words.map(({ text }) => text).join(" "))[j] ?? "-"];
      return want === got ? [] : [`${want}/${got}`];
    });
    console.log(differing.join(" "));
    console.log(`${wanted.length} words; errors: ours ${ours.errors}, of the whole file ${theirs.errors}`);
    expect(ours.errors).toBeLessThanOrEqual(Math.max(theirs.errors * 1.05, 2));
  });

  test("has each sentence where it is spoken, none twice and none in a pause", () => {
    const heard = words.flatMap((word) => plainWords(word.text).map((text) => ({ ...word, text })));
    const wanted = spoken.flatMap((one) => plainWords(one.text).map((text, position) => ({ ...one, text, position })));
    const { pairs } = align(
      wanted.map(({ text }) => text),
      heard.map(({ text }) => text),
    );
    const starts = pairs.flatMap(([i, j]) => {
      const [want, got] = [wanted[i], heard[j]];
      if (want?.position !== 0 || got?.text !== want.text) return [];
      return [{ text: want.text, startMs: Math.round(want.startMs), lateMs: Math.round(got.startMs - want.startMs) }];
    });
    expect(starts.length).toBeGreaterThan(spoken.length * 0.9);
    const beyond = starts.filter(({ lateMs }) => Math.abs(lateMs) > 300);
    const worst = Math.max(...starts.map(({ lateMs }) => Math.abs(lateMs)));
    console.log(`${starts.length} starts; worst ${worst} ms, ${beyond.length} beyond 300 ms`);
    expect(beyond).toEqual([]);
    const invented: string[] = [];
    for (const { startMs, endMs, text } of heard) {
      const middle = (startMs + endMs) / 2;
      const isSpoken = spoken.some((one) => middle > one.startMs - 300 && middle < one.endMs + 300);
      if (!isSpoken) invented.push(`"${text}" at ${Math.round(middle)} ms`);
    }
    expect(invented).toEqual([]);
  });

  test("has cues by the rules of the trade", () => {
    const cues = parseWebVtt(vtt).sorted();
    expect(cues.length).toBeGreaterThan(spoken.length / 2);
    for (const [position, { startMs, endMs, text }] of cues.entries()) {
      const lines = text.split("\n");
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
      expect(endMs - startMs).toBeGreaterThanOrEqual(800);
      expect(text.length / ((endMs - startMs) / 1000)).toBeLessThanOrEqual(20.5);
      expect(startMs).toBeGreaterThanOrEqual(cues[position - 1]?.endMs ?? 0);
    }
  });
});

test.runIf(hasModel)(
  "noise and a melody give no text that repeats itself",
  async () => {
    const { waveFile } = await import("../../support/wave-file.ts");
    const rate = 16_000;
    const random = (n: number) => (((n * 1_103_515_245 + 12_345) >>> 8) % 2000) / 1000 - 1;
    const notes = [262, 330, 392, 523, 392, 330];
    const sampleAt = (n: number) => {
      const seconds = n / rate;
      if (seconds < 30) return 0.2 * random(n);
      return 0.4 * Math.sin(2 * Math.PI * notes[Math.floor(seconds * 2) % notes.length]! * seconds);
    };
    const file = waveFile({ sampleRateHz: rate, channels: 1, samples: 60 * rate, sampleAt });
    const { status, text, error } = await captionsOf(file, "/noise.wav");
    if (status === "failed") return expect(error).toMatchObject({ error: { code: "no_speech" } });
    const heard = plainWords(await text("txt"));
    expect(heard.length).toBeLessThan(20);
  },
  LIMIT_MS,
);
