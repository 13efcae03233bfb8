import { describe, expect, test } from "vitest";
import { indexSource } from "../../../src/media/mp4/index-source.ts";
import { areKeyFrames, ChosenKeys, FALSE_KEYS } from "../../../src/media/mp4/key-frames.ts";
import { SampleColumns } from "../../../src/media/mp4/fragment.ts";
import { clip, readerOf } from "./mp4-surgery.ts";

const friday = clip("friday");
/** Offsets of its key frames; the first 256 KiB contain the first three. */
const KEYS = [11_789, 72_255, 170_191, 274_763, 371_586, 470_999];
const IDR = 5;

/** The film in which the slices of a key frame are those of another picture, as of a recovery point. */
function withFalseKey(at: number): Uint8Array {
  const bytes = friday.slice();
  const view = new DataView(bytes.buffer);
  for (let unit = KEYS[at]!, left = 8; left > 0; left--) {
    if ((bytes[unit + 4]! & 31) === IDR) {
      bytes[unit + 4] = (bytes[unit + 4]! & 0xe0) | 1;
      return bytes;
    }
    unit += 4 + view.getUint32(unit);
  }
  throw new Error("no slice of a key frame");
}

async function verdict(bytes: Uint8Array, arrivedBytes?: number) {
  const { reader, reads } = readerOf(bytes);
  const source = await indexSource(reader);
  if (!source.standard) return { reason: source.reason, reads: reads.length };
  const before = reads.length;
  const areKeys = await areKeyFrames(reader, source.keyFrames, arrivedBytes);
  return { areKeys, looks: reads.slice(before) };
}

describe("key frames of a standard source are looked at", () => {
  test("in the first bytes of the file, where it takes no read", async () => {
    expect(await verdict(withFalseKey(1))).toEqual({ reason: FALSE_KEYS, reads: 1 });
    expect(await verdict(withFalseKey(0))).toEqual({ reason: FALSE_KEYS, reads: 1 });
  });

  test("in the middle and at the end, with a few hundred bytes", async () => {
    const { areKeys, looks } = await verdict(friday);
    expect(areKeys).toBe(true);
    expect(looks!.length).toBeLessThanOrEqual(4);
    expect(looks!.every(({ length }) => length <= 256)).toBe(true);
    for (const at of [3, 5]) expect(await verdict(withFalseKey(at))).toMatchObject({ areKeys: false });
  });

  test("as far as they have arrived, apart from the early ones", async () => {
    expect(await verdict(withFalseKey(5), KEYS[5])).toMatchObject({ areKeys: true });
    expect(await verdict(withFalseKey(3), KEYS[5])).toMatchObject({ areKeys: false });
    const early = { offset: KEYS[3]!, size: 14_000, isEarly: true };
    const { reader } = readerOf(withFalseKey(3));
    expect(await areKeyFrames(reader, { places: [early], lengthBytes: 4 }, 1000)).toBe(false);
  });

  test("behind long messages, with a bounded number of reads", async () => {
    const unit = (type: number, length: number) => [
      0,
      0,
      length >> 8,
      length & 255,
      type,
      ...Array<number>(length - 1).fill(7),
    ];
    const look = async (...units: number[][]) => {
      const bytes = Uint8Array.from(units.flat());
      const { reader, reads } = readerOf(bytes);
      const places = [{ offset: 0, size: bytes.length, isEarly: true }];
      return [await areKeyFrames(reader, { places, lengthBytes: 4 }), reads.length];
    };
    const [message, slice, key] = [unit(6, 1000), unit(1, 50), unit(0x65, 50)];
    expect(await look(message, message, slice)).toEqual([false, 3]);
    expect(await look(message, message, key)).toEqual([true, 3]);
    expect(await look(...Array<number[]>(9).fill(message), slice)).toEqual([true, 4]);
    expect(await look([0, 0, 0, 0, 0, 0, 0, 0])).toEqual([true, 1]);
  });
});

test("of many key frames the first, two in the middle, the last and the smallest one are chosen", () => {
  const [count, every] = [10_000, 10];
  const keys = Array.from({ length: count / every }, (_, n) => n * every);
  const chosen = new ChosenKeys(keys);
  const samples = new SampleColumns();
  for (let first = 0; first < count; first += 100) {
    samples.count = 0;
    for (let sample = first; sample < first + 100; sample++) {
      const size = sample === 7770 ? 10 : sample === 0 ? 1 : 1000;
      samples.add({ size, duration: 1, compositionOffset: 0, isKey: sample % every === 0, offset: sample });
    }
    chosen.take(samples, first);
  }
  expect(chosen.places().map(({ offset }) => offset)).toEqual([0, 10, 20, 5000, 5010, 7770, 9990]);
  expect(chosen.places().filter(({ isEarly }) => isEarly)).toHaveLength(2);
});
