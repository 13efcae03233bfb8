/** Random access to the bytes of one source, wherever they lie. */
export interface RangeReader {
  /** Length of the whole file in bytes; null when it is not known (yet). */
  readonly size: number | null;
  /**
   * Reads `length` bytes from `offset`. Answers fewer (perhaps none) only where the file ends.
   *
   * @throws {SourceError} when the source cannot be read, or is not what it was at the first request
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /**
   * The same into memory of the caller's, for what is too large to be held twice. Answers how many bytes there were.
   *
   * @throws {SourceError} as `read`
   */
  readInto?(offset: number, target: Uint8Array): Promise<number>;
}
