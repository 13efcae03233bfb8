/** Numbers of which there may be millions: 8 bytes each, and never more than half as many again while it grows. */
export class NumberList {
  length = 0;
  private numbers = new Float64Array(1024);

  push(value: number): void {
    if (this.length === this.numbers.length) {
      const larger = new Float64Array(Math.ceil(this.length * 1.5));
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.length++] = value;
  }

  /** NaN of an empty list. */
  get last(): number {
    return this.length === 0 ? Number.NaN : this.numbers[this.length - 1]!;
  }

  /** Shares its memory with the list. */
  values(): Float64Array {
    return this.numbers.subarray(0, this.length);
  }
}
