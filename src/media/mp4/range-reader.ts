/** Random access to the bytes of one source in any storage. */
export interface RangeReader {
  /** Length of the whole file in bytes; null when it is not known (yet). */
  readonly size: number | null;
  /** Bytes at the start of the file that are in memory: to read them takes no request. Absent = none. */
  readonly fetchedBytes?: number;
  /**
   * Reads `length` bytes from `offset`. Returns fewer (possibly none) only at the end of the file.
   *
   * @throws {SourceError} when the source cannot be read, or has changed since the first request
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /**
   * The same into the caller's memory, for data too large to be held twice. Returns the number of bytes read.
   *
   * @throws {SourceError} as `read`
   */
  readInto?(offset: number, target: Uint8Array): Promise<number>;
}
