/** Reads and writes media in memory through libav. */
import { Dictionary, FormatContext, IOContext, type Stream } from "node-av/lib";
import {
  AVERROR_EOF,
  AVFMT_FLAG_CUSTOM_IO,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_CUR,
  AVSEEK_END,
  AVSEEK_SET,
  AVSEEK_SIZE,
} from "node-av/constants";
import { CODEC_WHITELIST } from "../media/codecs.ts";
import { JobError } from "../platform/errors.ts";

const IO_BUFFER_BYTES = 64 << 10;

export interface OpenedBytes {
  format: FormatContext;
  video: Stream;
  close(): Promise<void>;
}

/** Opens fragmented MP4. @throws {JobError} source_damaged */
export async function openBytes(bytes: Buffer): Promise<OpenedBytes> {
  const format = new FormatContext();
  format.allocContext();
  const io = new IOContext();
  let position = 0;
  const read = (size: number) => {
    if (position >= bytes.length) return AVERROR_EOF;
    const piece = bytes.subarray(position, position + size);
    position += piece.length;
    return piece;
  };
  const seek = (offset: bigint, whence: number) => {
    if (whence === AVSEEK_SIZE) return BigInt(bytes.length);
    position = placeOf(Number(offset), whence, position, bytes.length);
    return BigInt(position);
  };
  io.allocContextWithCallbacks(IO_BUFFER_BYTES, 0, read, null, seek);
  format.pb = io;
  format.setFlags(AVFMT_FLAG_CUSTOM_IO);
  using options = Dictionary.fromObject({
    format_whitelist: "mov,mp4,m4a,3gp,3g2,mj2",
    codec_whitelist: CODEC_WHITELIST,
    protocol_whitelist: "none",
  });
  const opened = await format.openInput("", null, options);
  const video = opened < 0 ? undefined : format.streams.find((one) => one.codecpar.codecType === AVMEDIA_TYPE_VIDEO);
  if (video === undefined) throw new JobError("source_damaged", `The media could not be opened (${opened}).`);
  return { format, video, close: () => format.closeInput() };
}

/** Collects what a muxer writes, which may go back and overwrite. */
export class BytesWritten {
  #bytes = Buffer.alloc(IO_BUFFER_BYTES);
  #length = 0;
  #position = 0;

  /** Attaches a muxer. */
  attach(output: FormatContext): void {
    const io = new IOContext();
    const seek = (offset: bigint, whence: number) => {
      if (whence === AVSEEK_SIZE) return BigInt(this.#length);
      this.#position = placeOf(Number(offset), whence, this.#position, this.#length);
      return BigInt(this.#position);
    };
    io.allocContextWithCallbacks(IO_BUFFER_BYTES, 1, null, (bytes) => this.#write(bytes), seek);
    output.pb = io;
    output.setFlags(AVFMT_FLAG_CUSTOM_IO);
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #write(bytes: Buffer): number {
    const end = this.#position + bytes.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#position);
    this.#position = end;
    this.#length = Math.max(this.#length, end);
    return bytes.length;
  }
}

function placeOf(offset: number, whence: number, position: number, length: number): number {
  if (whence === AVSEEK_CUR) return position + offset;
  if (whence === AVSEEK_END) return length + offset;
  return whence === AVSEEK_SET ? offset : position;
}
