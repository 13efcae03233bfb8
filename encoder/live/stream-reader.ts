/** A broadcast's bytes as libav's IO: it gets what has come, as soon as anything has. */
import { IOContext } from "node-av";

const IO_BUFFER_BYTES = 1 << 15;

export class StreamReader {
  /** The stream broke instead of ending; what came before counts. */
  failure: Error | undefined;
  /** When the first byte came, epoch ms. */
  firstByteAtMs: number | undefined;
  readonly #bytes: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  #waitedMs = 0;
  #waitingSinceMs: number | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#bytes = bytes[Symbol.asyncIterator]();
  }

  /** IO for libav. Without seeking: a broadcast has no past. */
  open(): IOContext {
    const io = new IOContext();
    io.allocContextWithCallbacks(IO_BUFFER_BYTES, 0, (size) => this.#read(size), null, null);
    return io;
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
    if (this.#rest.length === 0) return null;
    const given = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(given.length);
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
