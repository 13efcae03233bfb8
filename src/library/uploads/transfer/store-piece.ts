import type { Env } from "../../../platform/env.ts";
import { pieceKey } from "../../../platform/storage/keys.ts";

/** The next bytes of a request body. */
export interface PieceBytes {
  length: number;
  /** The piece is the whole body. */
  isWholeBody: boolean;
  /** Sees each stored byte, for checksums. */
  onBytes?: (bytes: Uint8Array) => void;
}

/** Reads a request body to its end, in steps that stop at the borders of pieces. */
export class BodyReader {
  readonly #body: ReadableStream<Uint8Array>;
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(body: ReadableStream<Uint8Array>) {
    this.#body = body;
  }

  /** The whole body, for the runtime to pipe without this code seeing its bytes. Only before the first read, and only once. */
  whole(): ReadableStream<Uint8Array> {
    return this.#body;
  }

  /** The next 1 to `maxBytes` bytes; null at the end. */
  async read(maxBytes: number): Promise<Uint8Array | null> {
    this.#reader ??= this.#body.getReader();
    while (this.#rest.byteLength === 0) {
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#rest = value;
    }
    const bytes = this.#rest.subarray(0, maxBytes);
    this.#rest = this.#rest.subarray(bytes.byteLength);
    return bytes;
  }

  /** Ends the reading of a body whose rest is not needed. */
  async cancel(): Promise<void> {
    await this.#reader?.cancel();
  }

  /** Reads the rest without keeping it. Never rejects. */
  async drain(): Promise<void> {
    if (this.#reader === null && this.#body.locked) return; // given away by `whole`
    try {
      while ((await this.read(Infinity)) !== null);
    } catch {
      // The client has left.
    }
  }
}

/**
 * Stores the next bytes of a body as one object, while they arrive. The object exists only when all of its bytes do.
 *
 * @throws when the body ends early, or R2 cannot store it; then there is no object
 */
export async function storePiece(
  { MEDIA }: Pick<Env, "MEDIA">,
  uploadId: string,
  piece: number,
  body: BodyReader,
  { length, isWholeBody, onBytes }: PieceBytes,
): Promise<void> {
  if (isWholeBody && onBytes === undefined) {
    // A body of another length fails: R2 stores it whole or not at all.
    await MEDIA.put(pieceKey(uploadId, piece), body.whole().pipeThrough(new FixedLengthStream(length)));
    return;
  }
  // R2 accepts only streams of known length.
  const { readable, writable } = new FixedLengthStream(length);
  const writer = writable.getWriter();
  const storing = MEDIA.put(pieceKey(uploadId, piece), readable);
  // A failed put may leave its stream unread, and a writer that waits for the reader alone would never resolve.
  const failed = new Promise<never>((_, reject) => void storing.catch(reject));
  failed.catch(() => undefined);
  try {
    for (let left = length; left > 0;) {
      const bytes = await readSome(body, left);
      onBytes?.(bytes);
      await Promise.race([writer.write(bytes), failed]);
      left -= bytes.byteLength;
    }
    await Promise.race([writer.close(), failed]);
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    await storing.catch(() => undefined);
    throw error;
  }
  await storing;
}

async function readSome(body: BodyReader, maxBytes: number): Promise<Uint8Array> {
  const bytes = await body.read(maxBytes);
  if (bytes === null) throw new Error("the body has ended early");
  return bytes;
}
