/** Limits of what a peer may send over RTMP. Input before the publish command is untrusted and has lower limits. */

/** Limit for all bytes between handshake and publish, including chunk headers. An encoder sends less than 2 KiB. */
const BYTES_BEFORE_PUBLISH = 64 << 10;
/** Limit for all commands before the publish. An encoder sends up to six. */
const COMMANDS_BEFORE_PUBLISH = 32;
const COMMAND_BYTES = 64 << 10;
/** A 4K key frame at 60 Mbit/s has about 2 MB. */
const MESSAGE_BYTES = 8 << 20;
const MESSAGES_BYTES = 24 << 20;
const MAX_CHUNK_STREAMS = 32;
const MAX_CHUNK_BYTES = 0xffffff; // no message is longer (RTMP 1.0 §5.4.1)

/** A protocol error that ends the connection. */
export class RtmpError extends Error {}

/** Every method throws an RtmpError when a limit is exceeded. */
export class PublishLimits {
  hasPublished = false;
  #bytesBefore = 0;
  #commandsBefore = 0;
  #allocatedBytes = 0;

  countBytes(bytes: number): void {
    if (this.hasPublished) return;
    this.#bytesBefore += bytes;
    if (this.#bytesBefore > BYTES_BEFORE_PUBLISH) throw new RtmpError("too much before a publish");
  }

  countCommand(bytes: number): void {
    if (bytes > COMMAND_BYTES) throw new RtmpError("command too long");
    if (this.hasPublished) return;
    this.#commandsBefore += 1;
    if (this.#commandsBefore > COMMANDS_BEFORE_PUBLISH) throw new RtmpError("too many commands");
  }

  checkMessage(bytes: number): void {
    if (bytes > MESSAGE_BYTES) throw new RtmpError("message too long");
  }

  /** @param bytes by which the buffers of incomplete messages have grown */
  countAllocated(bytes: number): void {
    this.#allocatedBytes += bytes;
    if (this.#allocatedBytes > MESSAGES_BYTES) throw new RtmpError("messages too long");
  }

  checkChunkStreams(count: number): void {
    if (count > MAX_CHUNK_STREAMS) throw new RtmpError("too many chunk streams");
  }

  checkChunkSize(bytes: number): void {
    if (bytes === 0 || bytes > MAX_CHUNK_BYTES) throw new RtmpError("chunk size out of range");
  }
}
