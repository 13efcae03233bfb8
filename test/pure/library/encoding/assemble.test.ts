import { expect, test } from "vitest";
import { assembleRenditions } from "../../../../src/library/encoding/assemble.ts";
import type { JobRow } from "../../../../src/library/encoding/job-store.ts";
import type { EncodingPlan } from "../../../../src/library/encoding/plan.ts";

const init = { bytes: 700, sha256: "a".repeat(64), codec: "avc1.640015", widthPx: 480, heightPx: 270 };
const segments = (count: number, durationTicks: number) =>
  Array.from({ length: count }, () => ({ durationTicks, bytes: 1000, keyframes: [] }));
const chunk = (number: number, frames: number, count: number) => ({
  spec: { kind: "video", chunk: number },
  state: "done",
  result: {
    kind: "video",
    frameCount: frames,
    renditions: [{ name: "v270", timescale: 30, init, segments: segments(count, 120) }],
  },
});
const sound = {
  spec: { kind: "audio", track: 0 },
  state: "done",
  result: {
    kind: "audio",
    channels: 2,
    rendition: { name: "a1", timescale: 48_000, init, segments: [...segments(6, 192_000), ...segments(1, 1000)] },
  },
};
const PLAN = {
  video: {
    grid: { frameRate: { num: 30, den: 1 }, framesPerSegment: 120 },
    rungs: [{ name: "v270", widthPx: 480, heightPx: 270 }],
    chunks: [
      { firstFrame: 0, frameCount: 360, firstSegment: 0 },
      { firstFrame: 360, frameCount: 361, firstSegment: 3 },
    ],
  },
  audio: [{ rendition: "a1", audio: { isDefault: true, languageCode: "und", title: "" } }],
} as unknown as EncodingPlan;

const lengths = (jobs: object[]) =>
  assembleRenditions("asset", PLAN, jobs as JobRow[], false).map((row) => [
    row.name,
    row.isWhole,
    row.segments.bytes.length,
  ]);

test("audio is listed as whole only after the video has ended, and ends at the video's last segment", () => {
  const first = chunk(0, 360, 3);
  expect(lengths([first, { ...chunk(1, 0, 0), state: "leased", result: null }, sound])).toEqual([]);
  expect(lengths([first, chunk(1, 360, 3), sound])).toEqual([
    ["v270", true, 6],
    ["a1", true, 6],
  ]);
});

test("audio without video is listed when it is done, to its own end", () => {
  const rows = assembleRenditions("asset", { ...PLAN, video: null }, [sound] as unknown as JobRow[], false);
  expect(rows.map(({ name, segments: { bytes } }) => [name, bytes.length])).toEqual([["a1", 7]]);
});

test("a source without a default sound begins with the first that does not describe the picture", () => {
  const audio = [{ languageCode: "eng", isDescription: true }, { languageCode: "ger" }].map((labels, n) => ({
    rendition: `a${n + 1}`,
    audio: { isDefault: false, title: "", ...labels },
  }));
  const plan = { ...PLAN, video: null, audio } as unknown as EncodingPlan;
  const jobs = [0, 1].map((track) => ({
    ...sound,
    spec: { kind: "audio", track },
    result: { ...sound.result, rendition: { ...sound.result.rendition, name: `a${track + 1}` } },
  }));
  const rows = assembleRenditions("asset", plan, jobs as unknown as JobRow[], false);
  expect(rows.map(({ languageCode, isDefault, isDescription }) => [languageCode, isDefault, isDescription])).toEqual([
    ["en", false, true],
    ["de", true, false],
  ]);
});
