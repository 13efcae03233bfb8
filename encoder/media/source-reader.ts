/** Reads the source file over HTTP ranges as a libav IO context, in blocks with a small cache and read-ahead. */
import { IOContext } from "node-av/lib";
import { AVSEEK_CUR, AVSEEK_END, AVSEEK_SET, AVSEEK_SIZE } from "node-av/constants";
import { callBack, type CallbackTarget } from "../platform/callbacks.ts";
import { JobError } from "../platform/errors.ts";

const BLOCK_BYTES = 1 << 20;
const BLOCKS_KEPT = 32;
const BLOCKS_AHEAD = 4; // concurrent requests during sequential reads
const IO_BUFFER_BYTES = 1 << 18; // size of libav's reads, each of which calls into JavaScript
const IO_ERROR = -5; // EIO

export interface ReaderHooks {
  /** Called for each read, as a sign of progress. */
  onRead: () => void;
  /** The platform did not answer; the next attempt follows in `ms`. */
  onWait: (ms: number) => void;
}

interface ReadFile {
  target: CallbackTarget;
  hooks: ReaderHooks;
  path: string;
}

/** Keeps the first error in `failure`, because libav only reports "I/O error". */
export class SourceReader {
  readonly sizeBytes: number;
  /** Limit of bytes read in total, which ends loops in hostile files. */
  budgetBytes = Infinity;
  failure: Error | undefined;
  readonly #file: ReadFile;
  readonly #blocks = new Map<number, Promise<Buffer>>(); // in order of last use
  #position = 0;
  #lastBlock = -1;
  #bytesRead = 0;

  private constructor(file: ReadFile, sizeBytes: number, head: Buffer) {
    this.#file = file;
    this.sizeBytes = sizeBytes;
    this.#blocks.set(0, Promise.resolve(head));
  }

  /** @param path of the file among the job's callbacks @throws {JobError} `source_empty` */
  static async open(target: CallbackTarget, hooks: ReaderHooks, path: string): Promise<SourceReader> {
    const head = await fetchRange({ target, hooks, path }, 0, BLOCK_BYTES);
    if (head.sizeBytes === 0) throw new JobError("source_empty", "The source has no content.");
    return new SourceReader({ target, hooks, path }, head.sizeBytes, head.bytes);
  }

  /** Returns a libav IO context at the start of the file. Only one may be in use at a time. */
  startOver(): IOContext {
    this.#position = 0;
    const io = new IOContext();
    io.allocContextWithCallbacks(
      IO_BUFFER_BYTES,
      0,
      (size) => this.#read(size),
      null,
      (offset, whence) => this.#seek(offset, whence),
    );
    return io;
  }

  /** For bytes that are read in order beside libav's own reads: those from an offset to the end of its block. */
  async nextBytes(offset: number): Promise<Buffer> {
    if (offset >= this.sizeBytes) return Buffer.alloc(0);
    const index = Math.floor(offset / BLOCK_BYTES);
    this.#file.hooks.onRead();
    this.#readAhead(index);
    return (await this.#block(index)).subarray(offset - index * BLOCK_BYTES);
  }

  /** A few bytes anywhere, which are not kept. */
  async sample(offset: number, length: number): Promise<Buffer> {
    const { bytes } = await fetchRange(this.#file, offset, Math.min(length, this.sizeBytes - offset));
    return bytes;
  }

  /** The first bytes of the file, at most one block. */
  head(): Promise<Buffer> {
    return this.#block(0);
  }

  async #read(size: number): Promise<Buffer | number | null> {
    this.#file.hooks.onRead();
    if (this.failure !== undefined) return IO_ERROR;
    if (this.#position >= this.sizeBytes) return null;
    if (this.#bytesRead > this.budgetBytes) {
      this.failure = new JobError("source_exceeds_limits", "The source makes its reader loop.");
      return IO_ERROR;
    }
    const index = Math.floor(this.#position / BLOCK_BYTES);
    try {
      if (index === this.#lastBlock + 1) this.#readAhead(index);
      this.#lastBlock = index;
      const block = await this.#block(index);
      const start = this.#position - index * BLOCK_BYTES;
      const bytes = block.subarray(start, start + size);
      this.#position += bytes.length;
      this.#bytesRead += bytes.length;
      return bytes;
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      return IO_ERROR;
    }
  }

  #seek(offset: bigint, whence: number): bigint {
    if (whence === AVSEEK_SIZE) return BigInt(this.sizeBytes);
    const base =
      whence === AVSEEK_CUR
        ? this.#position
        : whence === AVSEEK_END
          ? this.sizeBytes
          : whence === AVSEEK_SET
            ? 0
            : Number.NaN;
    const position = base + Number(offset);
    if (!(position >= 0)) return -22n; // EINVAL
    this.#position = position;
    return BigInt(position);
  }

  #readAhead(index: number): void {
    for (let ahead = index; ahead < index + BLOCKS_AHEAD && ahead * BLOCK_BYTES < this.sizeBytes; ahead++) {
      this.#block(ahead).catch(() => {}); // a read of the block gets the same error
    }
  }

  #block(index: number): Promise<Buffer> {
    const known = this.#blocks.get(index);
    const block = known ?? fetchRange(this.#file, index * BLOCK_BYTES, BLOCK_BYTES).then(({ bytes }) => bytes);
    this.#blocks.delete(index);
    this.#blocks.set(index, block);
    if (this.#blocks.size > BLOCKS_KEPT) this.#blocks.delete(this.#blocks.keys().next().value!);
    return block;
  }
}

async function fetchRange({ target, hooks, path }: ReadFile, start: number, length: number) {
  const answer = await callBack(
    target,
    { method: "GET", path, headers: { Range: `bytes=${start}-${start + length - 1}` } },
    hooks.onWait,
  );
  hooks.onRead();
  if (answer.status === 416) return { bytes: Buffer.alloc(0), sizeBytes: start === 0 ? 0 : start };
  if (answer.status === 206) {
    const size = Number(answer.headers["content-range"]?.split("/")[1]);
    if (!Number.isSafeInteger(size))
      throw new JobError("encoder_failed", "The platform sent a range of the source without saying its size.");
    return { bytes: answer.body, sizeBytes: size };
  }
  // A 200 with the whole file is valid only when it equals the requested range.
  if (start > 0 || answer.body.length > length)
    throw new JobError("encoder_failed", "The platform ignored the range of the source.");
  return { bytes: answer.body, sizeBytes: answer.body.length };
}
