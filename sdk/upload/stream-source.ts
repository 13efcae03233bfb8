import { SluiceError } from "../api/errors.ts";
import type { FileChunk, UploadSource } from "./upload-source.ts";

/** A stream of unknown length. Keeps one chunk in memory, because a stream cannot be read again. */
export class StreamSource implements UploadSource {
  readonly sizeBytes = null;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Bytes that were read and belong to the next chunk. */
  #rest: Uint8Array[] = [];
  #hasEnded = false;
  #chunk: FileChunk = { bytes: new Uint8Array(0), isLast: false };
  #chunkOffset = 0;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  async read(offset: number, maxBytes: number): Promise<FileChunk> {
    const end = this.#chunkOffset + this.#chunk.bytes.byteLength;
    if (offset === end && !this.#chunk.isLast) {
      this.#chunk = await this.#next(maxBytes);
      this.#chunkOffset = offset;
    }
    if (offset < this.#chunkOffset || offset > this.#chunkOffset + this.#chunk.bytes.byteLength)
      throw new SluiceError("a stream cannot be read again, so its upload cannot be continued from here");
    return { bytes: this.#chunk.bytes.slice(offset - this.#chunkOffset), isLast: this.#chunk.isLast };
  }

  /** Reads one byte more than the chunk has, to see whether it is the last. */
  async #next(maxBytes: number): Promise<FileChunk> {
    let length = this.#rest.reduce((sum, { byteLength }) => sum + byteLength, 0);
    while (length <= maxBytes && !this.#hasEnded) {
      const { done, value } = await this.#reader.read();
      if (done) this.#hasEnded = true;
      else {
        this.#rest.push(value);
        length += value.byteLength;
      }
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const piece of this.#rest) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    this.#rest = length > maxBytes ? [whole.subarray(maxBytes)] : [];
    return { bytes: whole.slice(0, maxBytes), isLast: this.#hasEnded && length <= maxBytes };
  }
}
