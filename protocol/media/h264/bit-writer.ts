/** Writes a bit stream of H.264 (ITU-T H.264 §7.2, §9.1). */
export class BitWriter {
  readonly #bytes: number[] = [];
  #bits = 0;

  /** Most significant bit first. */
  write(value: number, count: number): void {
    for (let n = count - 1; n >= 0; n -= 1) this.bit(Math.floor(value / 2 ** n) % 2);
  }

  bit(value: number): void {
    if (this.#bits % 8 === 0) this.#bytes.push(0);
    if (value === 1) this.#bytes[this.#bytes.length - 1]! |= 0x80 >> (this.#bits % 8);
    this.#bits += 1;
  }

  /** ue(v) */
  exp(value: number): void {
    const length = Math.floor(Math.log2(value + 1));
    this.write(0, length);
    this.write(value + 1, length + 1);
  }

  /** se(v) */
  signedExp(value: number): void {
    this.exp(value > 0 ? 2 * value - 1 : -2 * value);
  }

  get isAligned(): boolean {
    return this.#bits % 8 === 0;
  }

  /** Bytes so far; the last one is zero-padded. */
  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** Inserts a 3 before each byte below 4 that follows two zeros (§7.4.1.1). */
export function withEmulationPrevention(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte <= 3) {
      out.push(3);
      zeros = 0;
    }
    out.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(out);
}
