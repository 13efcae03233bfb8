import { expect, test } from "vitest";
import { textFragment, textInit } from "../../../../src/media/live/wvtt.ts";

const TICKS_PER_MS = 120;

/** The samples of a fragment, with their times in ms. */
function samplesOf(fragment: Uint8Array): { startMs: number; endMs: number; data: string }[] {
  const bytes = Buffer.from(fragment);
  const at = (type: string) => bytes.indexOf(type, 0, "latin1") + 4;
  let ticks = Number(bytes.readBigUInt64BE(at("tfdt") + 4));
  const rows = at("trun") + 12;
  let data = at("mdat");
  return Array.from({ length: bytes.readUInt32BE(at("trun") + 4) }, (_, n) => {
    const [duration, size] = [bytes.readUInt32BE(rows + 16 * n), bytes.readUInt32BE(rows + 16 * n + 4)];
    const sample = {
      startMs: ticks / TICKS_PER_MS,
      endMs: (ticks + duration) / TICKS_PER_MS,
      data: bytes.toString("utf8", data, data + size),
    };
    [ticks, data] = [ticks + duration, data + size];
    return sample;
  });
}

const segment = { msn: 1, part: 0, startTicks: 2000 * TICKS_PER_MS, endTicks: 4000 * TICKS_PER_MS };
const cue = (startMs: number, endMs: number, text: string, settings = "") => ({ startMs, endMs, text, settings });
const box = (type: string, body: string) =>
  `${String.fromCharCode(0, 0, 0, 8 + Buffer.byteLength(body))}${type}${body}`;

test("a fragment covers its segment without a gap: a sample for each change, and an empty one where nothing is shown", () => {
  const fragment = textFragment([cue(2500, 3000, "Grüße"), cue(2800, 4000, "B", "line:0")], segment);
  const [one, two] = [box("payl", "Grüße"), box("sttg", "line:0") + box("payl", "B")];
  expect(samplesOf(fragment)).toEqual([
    { startMs: 2000, endMs: 2500, data: box("vtte", "") },
    { startMs: 2500, endMs: 2800, data: box("vttc", one) },
    { startMs: 2800, endMs: 3000, data: box("vttc", one) + box("vttc", two) },
    { startMs: 3000, endMs: 4000, data: box("vttc", two) },
  ]);
});

test("the fragments of parts follow each other, and only the first one has the header of a segment", () => {
  const [half, cues] = [3000 * TICKS_PER_MS, [cue(2500, 4000, "A")]];
  const parts = [
    textFragment([cue(2500, 3000, "A")], { ...segment, endTicks: half }),
    textFragment([cue(3000, 4000, "A")], { ...segment, part: 1, startTicks: half }),
  ];
  const numbers = parts.map((bytes) => Buffer.from(bytes).readUInt32BE(Buffer.from(bytes).indexOf("mfhd") + 8));
  expect(numbers[1]! - numbers[0]!).toBe(1);
  expect(parts.map((bytes) => Buffer.from(bytes).includes("styp"))).toEqual([true, false]);
  const [whole] = [samplesOf(textFragment(cues, segment))];
  expect(parts.flatMap(samplesOf).map(({ data }) => data)).toEqual([...whole.map(({ data }) => data), whole[1]!.data]);
});

test("a segment without captions is one empty sample", () => {
  expect(samplesOf(textFragment([], segment))).toEqual([{ startMs: 2000, endMs: 4000, data: box("vtte", "") }]);
});

test("the init segment is of a track of WebVTT", () => {
  const text = Buffer.from(textInit()).toString("latin1");
  for (const type of ["text", "nmhd", "wvtt", "vttCWEBVTT"]) expect(text).toContain(type);
});
