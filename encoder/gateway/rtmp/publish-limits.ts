/** Limits of what a peer may send over RTMP. Input before the publish command is untrusted and has lower limits. */
import type { ChunkLimits } from "./protocol/chunk-reader.ts";
import { RtmpError } from "./protocol/rtmp-error.ts";

export const CHUNK_LIMITS: ChunkLimits = {
  messageBytes: 8 << 20, // a 4K key frame at 60 Mbit/s has about 2 MB
  unfinishedBytes: 24 << 20,
  chunkStreams: 32,
};
/** Limit for all bytes between handshake and publish, including chunk headers. An encoder sends less than 2 KiB. */
const BYTES_BEFORE_PUBLISH = 64 << 10;
/** Limit for all commands before a publish. An encoder sends up to six. */
const COMMANDS_BEFORE_PUBLISH = 32;
const COMMAND_BYTES = 64 << 10;
/** Each costs an admission, and an encoder that ends with the broadcast. An encoder beyond the limit connects again. */
const PUBLISHES = 32;

/** Every method throws an RtmpError when a limit is exceeded. */
export class PublishLimits {
  #publishes = 0;
  #isPublishing = false;
  #commandsBefore = 0;

  /** @param bytes all bytes behind the handshake */
  checkBytes(bytes: number): void {
    if (this.#publishes === 0 && bytes > BYTES_BEFORE_PUBLISH) throw new RtmpError("too much before a publish");
  }

  countCommand(bytes: number): void {
    if (bytes > COMMAND_BYTES) throw new RtmpError("command too long");
    if (this.#isPublishing) return;
    this.#commandsBefore += 1;
    if (this.#commandsBefore > COMMANDS_BEFORE_PUBLISH) throw new RtmpError("too many commands");
  }

  countPublish(): void {
    this.#publishes += 1;
    if (this.#publishes > PUBLISHES) throw new RtmpError("too many publishes");
    this.#isPublishing = true;
  }

  unpublished(): void {
    this.#isPublishing = false;
    this.#commandsBefore = 0;
  }
}
