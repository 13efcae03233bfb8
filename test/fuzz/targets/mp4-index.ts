import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { cutSegment } from "../../../src/media/mp4/cut-segment.ts";
import { indexSource } from "../../../src/media/mp4/index-source.ts";
import type { RangeReader } from "../../../src/media/mp4/range-reader.ts";
import type { FuzzTarget } from "../target.ts";

const FILM = readFileSync(`${import.meta.dirname}/../../fixtures/flower.mp4`);
const [MOOV_AT, MOOV_BYTES] = boxAt("moov");
/** Boxes with counts, sizes and offsets that the reader uses. */
const TABLES = "mvhd tkhd elst mdhd hdlr stsd avcC esds stts ctts stss stsc stsz stco trak mdia minf stbl"
  .split(" ")
  .map((type) => boxAt(type)[0]);

function boxAt(type: string): [start: number, size: number] {
  const at = FILM.indexOf(type, 0, "latin1");
  return at < 4 ? [0, 0] : [at - 4, FILM.readUInt32BE(at - 4)];
}

interface Patch {
  at: number;
  value: number;
}

const value = fc.oneof(
  fc.constantFrom(0, 1, 2, 7, 8, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x00ff_ffff, 5_200_000, 5_200_001),
  fc.nat({ max: 0xffff_ffff }),
);
const patch = fc.oneof(
  fc.record({ at: fc.tuple(fc.constantFrom(...TABLES), fc.nat({ max: 24 })).map(([at, word]) => at + word), value }),
  fc.record({ at: fc.nat({ max: MOOV_BYTES - 4 }).map((at) => MOOV_AT + at), value }),
);

const readerOf = (bytes: Uint8Array): RangeReader => ({
  size: bytes.length,
  read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
});

/**
 * A damaged index is refused with a reason, or every listed segment can be cut and has the listed number of bytes.
 * The result is the same whether the index is read at once or in pieces.
 */
export default {
  name: "mp4-index",
  arbitrary: fc.record({
    patches: fc.array(patch, { minLength: 0, maxLength: 4 }),
    length: fc.oneof({ weight: 9, arbitrary: fc.constant(FILM.length) }, fc.nat({ max: FILM.length })),
  }),
  async run({ patches, length }) {
    const bytes = Buffer.from(FILM);
    for (const { at, value: number } of patches) if (at + 4 <= bytes.length) bytes.writeUInt32BE(number, at);
    const source = await indexSource(readerOf(bytes.subarray(0, length)));
    const memory = { maxBufferedBytes: 0, windowBytes: 240 };
    const inPieces = await indexSource(readerOf(bytes.subarray(0, length)), { memory });
    if (!isDeepStrictEqual(inPieces, source)) throw new Error("an index read in pieces gives another result");
    if (!source.standard) {
      if (source.reason.length === 0) throw new Error("refused without a reason");
      return;
    }
    for (const { rendition, pieces } of source.indexes) {
      const row = source.renditions.find(({ name }) => name === rendition);
      if (row === undefined) throw new Error(`an index without a row: ${rendition}`);
      const announced = row.segments.bytes;
      if (row.segments.durationTicks.some((ticks) => !(ticks >= 0))) throw new Error("a negative duration");
      const index = readerOf(Buffer.concat(pieces));
      for (const segment of [0, announced.length - 1]) {
        const cut = await cutSegment(index, readerOf(bytes.subarray(0, length)), segment, () => null);
        if (cut?.bytes !== announced[segment]) throw new Error(`segment ${segment} has other bytes than announced`);
      }
      if ((await cutSegment(index, index, announced.length)) !== null) throw new Error("a segment behind the last one");
    }
  },
} satisfies FuzzTarget<{ patches: Patch[]; length: number }>;
