import * as fc from "fast-check";

/** Changes to valid input: bytes that are overwritten, and a cut at the end. */
export interface Mutations {
  bytes: [position: number, value: number][];
  /** Share of the input that is kept, 0 to 1. */
  kept: number;
}

export const mutations = fc.record({
  bytes: fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 6 }),
  kept: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
});

/** @param from the first byte that may change */
export function mutated(input: Buffer, { bytes, kept }: Mutations, from = 0): Buffer {
  const copy = Buffer.from(input.subarray(0, Math.ceil(input.length * kept)));
  for (const [position, value] of bytes) if (copy.length > from) copy[from + (position % (copy.length - from))] = value;
  return copy;
}

/** Sizes of the pieces into which input is cut, used in turn. */
export const pieceSizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 70_000 })), {
  minLength: 1,
  maxLength: 8,
});

const MAX_PIECES = 20_000;

/** The rest after 20,000 pieces is one piece. */
export function* pieces(input: Buffer, sizes: number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < input.length; turn += 1) {
    const size = turn < MAX_PIECES ? sizes[turn % sizes.length]! : input.length;
    yield input.subarray(at, at + size);
    at += size;
  }
}
