/** Reads a bit stream from its first bit. Returns zeros past its end, as decoders do for damaged data. */
export class Bits {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length * 8 - this.at;
  }

  /** Up to 32 bits, most significant first. */
  read(count: number): number {
    let value = 0;
    for (let n = 0; n < count; n++, this.at++) {
      value = value * 2 + (((this.bytes[this.at >> 3] ?? 0) >> (7 - (this.at & 7))) & 1);
    }
    return value;
  }

  flag(): boolean {
    return this.read(1) === 1;
  }

  /** ue(v) of H.264 §9.1; invalid codes of more than 32 bits read as 0. */
  exp(): number {
    let zeros = 0;
    while (zeros < 32 && this.left > 0 && !this.flag()) zeros += 1;
    return zeros >= 32 ? 0 : 2 ** zeros - 1 + this.read(zeros);
  }

  /** se(v) of H.264 §9.1.1. */
  signedExp(): number {
    const code = this.exp();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}
