import type { SourceLimits } from "./limits.ts";
import type { SourcePace } from "./source-pace.ts";
import { SourceError } from "./source-errors.ts";

/** Largest single read, which bounds the memory of a slow consumer. */
const READ_BYTES = 256 * 1024;

/**
 * The body of a response, read piece by piece without read-ahead. A server that stalls, sends too slowly or closes early causes a
 * `SourceError`.
 */
export class SourceBody {
  readonly #reader: ReadableStreamBYOBReader | null;
  readonly #abort: AbortController;
  readonly #limits: SourceLimits;
  readonly #pace: SourcePace;
  #buffer: ArrayBufferLike = new ArrayBuffer(0);

  /** @param abort aborts the request of this response */
  constructor(
    stream: ReadableStream<Uint8Array> | null,
    abort: AbortController,
    limits: SourceLimits,
    pace: SourcePace,
  ) {
    this.#reader = stream?.getReader({ mode: "byob" }) ?? null;
    this.#abort = abort;
    this.#limits = limits;
    this.#pace = pace;
  }

  /**
   * The next piece, of 1 to `maxBytes` bytes; null at the end. It is valid until the next call, which reuses its memory.
   *
   * @throws {SourceError} source_timed_out, source_interrupted
   */
  async read(maxBytes = READ_BYTES): Promise<Uint8Array | null> {
    const reader = this.#reader;
    if (reader === null) return null;
    if (this.#buffer.byteLength === 0) this.#buffer = new ArrayBuffer(READ_BYTES);
    const waitMs = Math.min(this.#limits.idleMs, this.#pace.remainingMs);
    if (waitMs <= 0) this.#abort.abort(new SourceError("source_timed_out"));
    const timer = setTimeout(() => this.#abort.abort(new SourceError("source_timed_out")), Math.max(0, waitMs));
    try {
      this.#abort.signal.throwIfAborted();
      const view = new Uint8Array(this.#buffer, 0, Math.min(maxBytes, READ_BYTES));
      const { done, value } = await this.#pace.during(
        () => reader.read(view),
        (result) => result.value?.byteLength ?? 0,
      );
      if (value !== undefined) this.#buffer = value.buffer;
      return done ? null : value;
    } catch (error) {
      const reason: unknown = this.#abort.signal.aborted ? this.#abort.signal.reason : error;
      throw reason instanceof SourceError ? reason : new SourceError("source_interrupted", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Fills `target` from its start. @returns the number of bytes read, less than its length only at the end of the body
   *
   * @param onPiece called with the bytes filled so far; may throw to stop
   */
  async readInto(target: Uint8Array, onPiece?: (filled: number) => void): Promise<number> {
    let filled = 0;
    while (filled < target.byteLength) {
      const piece = await this.read(target.byteLength - filled);
      if (piece === null) break;
      target.set(piece, filled);
      filled += piece.byteLength;
      onPiece?.(filled);
    }
    return filled;
  }

  /** Releases the connection. Never throws. Not needed after the end of the body. */
  async cancel(): Promise<void> {
    this.#abort.abort(new SourceError("source_interrupted"));
    await this.#reader?.cancel().catch(() => undefined);
  }
}
