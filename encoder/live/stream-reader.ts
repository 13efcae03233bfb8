/** Provides a broadcast's bytes as a libav IO context, returning data as soon as any has arrived. */
import { IOContext } from "node-av/lib";

const IO_BUFFER_BYTES = 1 << 15;
const HEAD_BYTES = 256 << 10;

export class StreamReader {
  /** Set when the stream broke off instead of ending; the bytes before remain valid. */
  failure: Error | undefined;
  /** Arrival time of the first byte, epoch ms. */
  firstByteAtMs: number | undefined;
  #head: Buffer[] | null = [];
  #headBytes = 0;
  readonly #bytes: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  /** The demuxer has been told that there are no more bytes: what it still returns is what it had not completed. */
  isSpent = false;
  #waitedMs = 0;
  #waitingSinceMs: number | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#bytes = bytes[Symbol.asyncIterator]();
  }

  /** IO context for libav; not seekable. */
  open(): IOContext {
    const io = new IOContext();
    io.allocContextWithCallbacks(IO_BUFFER_BYTES, 0, (size) => this.#read(size), null, null);
    return io;
  }

  /** The first bytes that were read, at most about `HEAD_BYTES`. Can be taken once, and is then no longer kept. */
  takeHead(): Buffer {
    const head = Buffer.concat(this.#head ?? []);
    this.#head = null;
    return head;
  }

  get isWaiting(): boolean {
    return this.#waitingSinceMs !== undefined;
  }

  /** Time spent waiting for the source so far. */
  waitedMs(nowMs: number): number {
    return this.#waitedMs + (this.#waitingSinceMs === undefined ? 0 : nowMs - this.#waitingSinceMs);
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    await this.#bytes.return?.();
  }

  async #read(size: number): Promise<Buffer | null> {
    while (this.#rest.length === 0 && !this.#hasEnded) await this.#more();
    this.isSpent = this.#rest.length === 0;
    if (this.isSpent) return null;
    const given = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(given.length);
    if (this.#head !== null && this.#headBytes < HEAD_BYTES) {
      this.#head.push(given);
      this.#headBytes += given.length;
    }
    return given;
  }

  async #more(): Promise<void> {
    const startedMs = performance.now();
    this.#waitingSinceMs = startedMs;
    try {
      const { done, value } = await this.#bytes.next();
      if (done === true) this.#hasEnded = true;
      else this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      this.firstByteAtMs ??= Date.now();
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      this.#hasEnded = true;
    } finally {
      this.#waitedMs += performance.now() - startedMs;
      this.#waitingSinceMs = undefined;
    }
  }
}
