/** Takes exact numbers of bytes from a stream. */
import type { Readable } from "node:stream";

export class ByteQueue {
  #pieces: Buffer[] = [];
  #length = 0;
  #wake: (() => void) | null = null;

  constructor(stream: Readable) {
    stream.on("data", (piece: Buffer) => {
      this.#pieces.push(piece);
      this.#length += piece.length;
      this.#wake?.();
    });
  }

  /** One caller at a time. Never resolves when the stream ends before. */
  async take(bytes: number): Promise<Buffer> {
    while (this.#length < bytes) await new Promise<void>((wake) => (this.#wake = wake));
    const all = Buffer.concat(this.#pieces);
    const rest = all.subarray(bytes);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return all.subarray(0, bytes);
  }
}
