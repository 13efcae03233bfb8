import { describe, expect, test } from "vitest";
import { BitWriter, withEmulationPrevention } from "../../../protocol/media/h264/bit-writer.ts";
import { parseSequenceParameters } from "../../../protocol/media/h264/parameter-sets.ts";
import { cutSegment } from "../../../src/media/mp4/cut-segment.ts";
import { indexSource } from "../../../src/media/mp4/index-source.ts";
import { boxAt, clip, concat, patched, readerOf, withSequence } from "./mp4-surgery.ts";

interface Signal {
  isFullRange: boolean;
  transfer: number | null;
}
const [SDR, PQ, HLG] = [1, 16, 18];

/** A parameter set of flower.mp4's picture, with colours (ITU-T H.264 §7.3.2.1, §E.1.1). */
function sequenceWith({ isFullRange, transfer }: Signal): Uint8Array {
  const bits = new BitWriter();
  const flags = (...values: (0 | 1)[]) => values.forEach((value) => bits.bit(value));
  for (const byte of [77, 0x40, 31]) bits.write(byte, 8);
  for (const value of [0, 0, 2, 1]) bits.exp(value); // id, length of frame_num, order, references
  flags(0);
  for (const value of [959 >> 4, 543 >> 4]) bits.exp(value);
  flags(1, 1, 1); // frames, direct inference, cropping
  for (const value of [0, 0, 0, 2]) bits.exp(value); // 540 lines
  flags(1, 0, 0, 1); // VUI: no aspect, no overscan, colours
  bits.write(5, 3);
  flags(isFullRange ? 1 : 0, transfer === null ? 0 : 1);
  if (transfer !== null) for (const value of [9, transfer, 9]) bits.write(value, 8);
  flags(0, 0, 0, 0, 0, 0, 1);
  return concat([Uint8Array.of(0x67), withEmulationPrevention(bits.bytes())]);
}

const flower = clip("flower");

test("the range and the transfer of a parameter set are read", () => {
  for (const signal of [
    { isFullRange: true, transfer: PQ },
    { isFullRange: false, transfer: HLG },
  ])
    expect(parseSequenceParameters(sequenceWith(signal))).toMatchObject({
      widthPx: 960,
      heightPx: 540,
      colour: signal,
    });
  expect(parseSequenceParameters(sequenceWith({ isFullRange: true, transfer: null }))!.colour!.isFullRange).toBe(true);
});

describe("8 bits of HDR are not standard", () => {
  const verdict = async (bytes: Uint8Array) => {
    const source = await indexSource(readerOf(bytes).reader);
    return source.standard ? "standard" : source.reason;
  };
  const inContainer = (transfer: number) => patched(flower, "colr", 12, 9 * 65536 + transfer);

  test("by the container's colours", async () => {
    expect([await verdict(inContainer(PQ)), await verdict(inContainer(HLG))]).toEqual(["HDR", "HDR"]);
    expect(await verdict(inContainer(SDR))).toBe("standard");
  });

  test("by the picture's own", async () => {
    const coded = (transfer: number) => withSequence(flower, sequenceWith({ isFullRange: false, transfer }));
    expect([await verdict(coded(PQ)), await verdict(coded(HLG))]).toEqual(["HDR", "HDR"]);
    expect(await verdict(coded(SDR))).toBe("standard");
  });
});

test("the range in an init segment is that of the pictures, whatever the container says", async () => {
  for (const isFullRange of [true, false])
    for (const kind of ["nclx", "nclc"]) {
      const film = withSequence(flower, sequenceWith({ isFullRange, transfer: SDR }));
      film.set(new TextEncoder().encode(kind), boxAt(film, "colr").start + 8);
      const source = await indexSource(readerOf(film).reader);
      if (!source.standard) throw new Error(source.reason);
      const index = readerOf(concat(source.indexes[0]!.pieces)).reader;
      const init = (await cutSegment(index, readerOf(film).reader, "init"))!.body as Uint8Array;
      const { start } = boxAt(init, "colr");
      expect(init[start + 18]! >> 7, `${kind}, ${isFullRange ? "full" : "limited"}`).toBe(isFullRange ? 1 : 0);
    }
});
