import type { BitWriter } from "./bit-writer.ts";

/** Rows 42 to 62 of `rangeTabLPS` (ITU-T H.264 table 9-44): the states of a run of skipped macroblocks. */
const FIRST_STATE = 42;
const LAST_STATE = 62;
const RANGE_LPS = [
  [16, 20, 23, 27],
  [15, 19, 22, 25],
  [14, 18, 21, 24],
  [14, 17, 20, 23],
  [13, 16, 19, 22],
  [12, 15, 18, 21],
  [12, 14, 17, 20],
  [11, 14, 16, 19],
  [11, 13, 15, 18],
  [10, 12, 15, 17],
  [10, 12, 14, 16],
  [9, 11, 13, 15],
  [9, 11, 12, 14],
  [8, 10, 12, 14],
  [8, 9, 11, 13],
  [7, 9, 11, 12],
  [7, 9, 10, 12],
  [7, 8, 10, 11],
  [6, 8, 9, 11],
  [6, 7, 9, 10],
  [6, 7, 8, 9],
] as const;

/**
 * The quantiser of a slice with `cabac_init_idc` 0 at which `mb_skip_flag` starts in state 42 with 1 as the more probable symbol
 * (§9.3.1.1 with m = 23, n = 33).
 */
export const SKIP_SLICE_QP = 51;

/**
 * Writes the CABAC slice data of a P slice in which every macroblock is skipped (§7.3.4, §9.3.4). Skipped or unavailable neighbours always
 * select the same context, and every symbol is the most probable one. The last bit written is the slice's stop bit.
 */
export function writeSkippedWithCabac(out: BitWriter, macroblocks: number): void {
  while (!out.isAligned) out.bit(1);
  const coder = new Coder(out);
  for (let n = 0; n < macroblocks; n += 1) {
    coder.skip();
    if (n + 1 < macroblocks) coder.continueSlice();
  }
  coder.end();
}

/** The parts of the arithmetic encoder (§9.3.4.2 to §9.3.4.5) that such a slice needs. */
class Coder {
  readonly #out: BitWriter;
  #low = 0;
  #range = 510;
  #isFirstBit = true;
  #outstanding = 0;
  #state = FIRST_STATE;

  constructor(out: BitWriter) {
    this.#out = out;
  }

  /** `mb_skip_flag` 1 */
  skip(): void {
    this.#range -= RANGE_LPS[this.#state - FIRST_STATE]![(this.#range >> 6) & 3]!;
    this.#state = Math.min(this.#state + 1, LAST_STATE);
    this.#renormalise();
  }

  /** `end_of_slice_flag` 0 */
  continueSlice(): void {
    this.#range -= 2;
    this.#renormalise();
  }

  /** `end_of_slice_flag` 1 */
  end(): void {
    this.#low += this.#range - 2;
    this.#range = 2;
    this.#renormalise();
    this.#put((this.#low >> 9) & 1);
    this.#out.write(((this.#low >> 7) & 3) | 1, 2);
  }

  #renormalise(): void {
    while (this.#range < 256) {
      if (this.#low < 256) this.#put(0);
      else if (this.#low >= 512) {
        this.#low -= 512;
        this.#put(1);
      } else {
        this.#low -= 256;
        this.#outstanding += 1;
      }
      this.#range *= 2;
      this.#low *= 2;
    }
  }

  #put(bit: number): void {
    if (this.#isFirstBit) this.#isFirstBit = false;
    else this.#out.bit(bit);
    for (; this.#outstanding > 0; this.#outstanding -= 1) this.#out.bit(1 - bit);
  }
}
