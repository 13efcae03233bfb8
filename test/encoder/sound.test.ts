import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { TestEncoder } from "../support/encoder.ts";
import { decodeSound, encodeWholeSound, loudness, type DecodedSound } from "../support/rendition.ts";
import { makeSource, type SourceName } from "../support/sources.ts";

let encoder: TestEncoder;
beforeAll(async () => {
  encoder = await TestEncoder.start();
});
afterAll(() => encoder.stop());

/** Quieter than any second of the clip, louder than encoded silence. */
const SILENCE = 0.001;

async function soundOf(name: SourceName, track = 0) {
  const path = await makeSource(name);
  const facts = await encoder.probe(path);
  const encoded = await encodeWholeSound(
    encoder,
    path,
    facts.audio[track]!,
    facts.video === null ? null : facts.durationMs,
  );
  return { facts, encoded, sound: await decodeSound(encoded.bytes) };
}

const peak = ({ samples }: DecodedSound) => samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);

test("a file with only sound becomes a rendition of the same duration", async () => {
  const { facts, encoded, sound } = await soundOf("audio-only");
  expect(facts.video).toBeNull();
  expect(sound.samples.length / sound.sampleRateHz).toBeCloseTo(facts.durationMs / 1000, 1);
  expect(encoded.facts[0]!.segments.length).toBe(Math.ceil(facts.durationMs / 1000));
});

test("a cover picture does not count as video", async () => {
  const { facts, sound } = await soundOf("mp3");
  expect(facts).toMatchObject({ containerFormat: "mp3", video: null });
  expect(peak(sound)).toBeGreaterThan(0.05);
});

test("each of several tracks keeps its language, its title and its own sound", async () => {
  const english = await soundOf("languages", 0);
  const french = await soundOf("languages", 1);
  expect(english.facts.audio.map(({ languageCode, title, isDefault }) => ({ languageCode, title, isDefault }))).toEqual(
    [
      { languageCode: "eng", title: "", isDefault: true },
      { languageCode: "fre", title: "Commentaire", isDefault: false },
    ],
  );
  // The French one was made at a quarter of the level.
  expect(loudness(french.sound, 0, 3) / loudness(english.sound, 0, 3)).toBeCloseTo(0.25, 1);
});

test("audio description in MPEG-TS is recognized", async () => {
  const { audio } = await encoder.probe(await makeSource("audio-description"));
  expect(audio.map(({ languageCode, isDescription }) => [languageCode, isDescription])).toEqual([
    ["eng", true],
    ["eng", undefined],
  ]);
});

test("six full-scale channels are mixed to two without clipping", async () => {
  const { facts, encoded, sound } = await soundOf("surround-5.1");
  expect(facts.audio[0]).toMatchObject({ channels: 6, codec: "ac3" });
  expect(encoded.channels).toBe(2);
  expect(sound.channels).toBe(2);
  expect(peak(sound)).toBeLessThanOrEqual(1.02);
  expect(peak(sound)).toBeGreaterThan(0.7);
});

test("mono stays mono, and 22.05 kHz becomes 44.1", async () => {
  const { encoded, sound } = await soundOf("mono-22k");
  expect(encoded.channels).toBe(1);
  expect(encoded.facts[0]!.timescale).toBe(44_100);
  expect(sound).toMatchObject({ channels: 1, sampleRateHz: 44_100 });
  expect(peak(sound)).toBeGreaterThan(0.05);
});

test("sound shorter than the picture is padded with silence", async () => {
  const { facts, sound } = await soundOf("audio-short");
  expect(sound.samples.length / sound.sampleRateHz).toBeCloseTo(facts.durationMs / 1000, 1);
  expect(loudness(sound, 0, 0.9)).toBeGreaterThan(SILENCE);
  expect(loudness(sound, 1.1, 2.9)).toBeLessThan(SILENCE);
});

test("sound that is added to a shorter media is cut to the media's length", async () => {
  const path = await makeSource("audio-only");
  const { audio, durationMs } = await encoder.probe(path);
  expect(durationMs).toBeGreaterThan(2500);
  const { bytes, facts } = await encodeWholeSound(encoder, path, audio[0]!, 1500);
  const sound = await decodeSound(bytes);
  expect(sound.samples.length).toBe(Math.ceil((1.5 * sound.sampleRateHz) / 1024) * 1024);
  expect(facts[0]!.segments).toHaveLength(2);
  expect(loudness(sound, 1.2, 1.45)).toBeGreaterThan(SILENCE);
});

test("sound longer than the picture determines the asset's duration", async () => {
  const { facts, sound } = await soundOf("audio-long");
  expect(facts.video!.durationMs).toBeCloseTo(2000, -1);
  expect(facts.durationMs).toBeCloseTo(4000, -2);
  expect(loudness(sound, 2.5, 3.9)).toBeGreaterThan(SILENCE);
});

test("a gap in the sound becomes silence, and later sound keeps its time", async () => {
  const { facts, sound } = await soundOf("audio-gap");
  expect(sound.samples.length / sound.sampleRateHz).toBeCloseTo(facts.durationMs / 1000, 1);
  expect(loudness(sound, 0.1, 0.9)).toBeGreaterThan(SILENCE);
  expect(loudness(sound, 1.1, 1.9)).toBeLessThan(SILENCE);
  expect(loudness(sound, 2.1, 2.9)).toBeGreaterThan(SILENCE);
});

test("sound that starts after the picture keeps its offset in the asset", async () => {
  const { facts, sound } = await soundOf("audio-late");
  expect(facts.audio[0]!.startMs).toBeCloseTo(700, -1);
  expect(loudness(sound, 0, 0.65)).toBeLessThan(SILENCE);
  const original = await soundOf("audio-only");
  expect(Math.abs(delaySeconds(sound, original.sound) - 0.7)).toBeLessThan(0.025);
});

test("sound that changes its channels and its rate on the way is heard throughout", async () => {
  const { sound } = await soundOf("sound-change");
  for (const second of [0, 1, 2]) expect(loudness(sound, second + 0.1, second + 0.9)).toBeGreaterThan(SILENCE);
});

test("cuts lie on the AAC frame nearest to each multiple of a segment's length", async () => {
  const { encoded } = await soundOf("audio-only");
  const { segments, timescale } = encoded.facts[0]!;
  let end = 0;
  for (const [i, { durationTicks }] of segments.slice(0, -1).entries()) {
    end += durationTicks;
    expect(durationTicks % 1024).toBe(0);
    expect(Math.abs(end - (i + 1) * timescale)).toBeLessThanOrEqual(512);
  }
});

test("audio segments are reported as they are stored, once each and in order, long before the job ends", async () => {
  const path = await makeSource("audio-only");
  const facts = await encoder.probe(path);
  const wanted = {
    audio: facts.audio[0]!,
    rendition: "a",
    bitrateBps: 128_000,
    segmentSeconds: { num: 1, den: 4 },
    durationMs: 4000,
  };
  const { result, desk } = await encoder.encodeAudio(path, wanted);
  const reported = desk.heartbeats.flatMap(({ partial }) => (partial === undefined ? [] : [partial]));
  expect(reported.length).toBeGreaterThan(0);
  expect(reported[0]).toMatchObject({ name: "a", firstIndex: 0, init: result.rendition.init });
  const segments = reported.flatMap((partial) => partial.segments);
  expect(segments).toEqual(result.rendition.segments.slice(0, segments.length));
});

test("segments stored while a report is under way are in the next one, which does not repeat it", async () => {
  const path = await makeSource("audio-only");
  const facts = await encoder.probe(path);
  const { job, desk } = encoder.prepare(path, {
    kind: "audio",
    audio: facts.audio[0]!,
    rendition: "a",
    bitrateBps: 128_000,
    segmentSeconds: { num: 1, den: 4 },
    durationMs: 4000,
  });
  const reports = () => desk.heartbeats.flatMap(({ partial }) => (partial === undefined ? [] : [partial]));
  const reported = () => reports().reduce((sum, { segments }) => sum + segments.length, 0);
  desk.intercept = async (_, target) => {
    // The first report is answered when more segments are stored, and the job ends behind the second, or the first if that was late and has all.
    if (target === "heartbeat") await vi.waitUntil(() => desk.objects.size > 3, 30_000);
    if (target.endsWith("/5.m4s")) await vi.waitUntil(() => reports().length > 1 || reported() === 5, 30_000);
    return undefined;
  };
  expect((await encoder.request("POST", "/jobs", job)).status).toBe(202);
  await desk.ending;
  let next = 0;
  for (const { firstIndex, segments } of reports()) {
    expect(firstIndex).toBe(next);
    next += segments.length;
  }
  expect(next).toBeGreaterThan(1);
});

/** Delay of `late` relative to `early`: the offset with the best match of their envelopes, in steps of 5 ms. */
function delaySeconds(late: DecodedSound, early: DecodedSound): number {
  const STEP_SECONDS = 0.005;
  const envelope = (sound: DecodedSound) =>
    Array.from({ length: 400 }, (_, i) => loudness(sound, i * STEP_SECONDS, (i + 1) * STEP_SECONDS));
  const [a, b] = [envelope(late), envelope(early)];
  const agreement = (lag: number) => b.reduce((sum, value, i) => sum + value * (a[i + lag] ?? 0), 0);
  const lags = Array.from({ length: 250 }, (_, lag) => lag);
  return lags.reduce((best, lag) => (agreement(lag) > agreement(best) ? lag : best)) * STEP_SECONDS;
}
