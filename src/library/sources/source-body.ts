import type { SourceLimits } from "./limits.ts";
import type { SourcePace } from "./source-pace.ts";
import { SourceError } from "./source-errors.ts";

/** One read takes at most this much, so that a slow reader holds little. */
const READ_BYTES = 256 * 1024;

/**
 * The body of an answer, read piece by piece: a server that stops sending, sends too slowly or closes early becomes a `SourceError`.
 * Nothing is read ahead of what is asked for.
 */
export class SourceBody {
  readonly #reader: ReadableStreamBYOBReader | null;
  readonly #abort: AbortController;
  readonly #limits: SourceLimits;
  readonly #pace: SourcePace;
  #buffer: ArrayBufferLike = new ArrayBuffer(0);

  /** @param abort of the request that this is the answer to */
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
   * The next piece, at most `maxBytes` and at least one byte; null at the end. It is good until the next call, which
   * uses the memory again.
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
   * Fills `target` from its start; answers how many bytes there were, fewer only where the body ends.
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

  /** Lets go of the connection. Never throws; needless after the end. */
  async cancel(): Promise<void> {
    this.#abort.abort(new SourceError("source_interrupted"));
    await this.#reader?.cancel().catch(() => undefined);
  }
}
