/**
 * Reads messages from RTMP's chunk stream (RTMP 1.0 §5.3) and applies the peer's chunk size and aborts (§5.4.1, §5.4.2). Pure. Input is
 * untrusted: memory grows with the bytes received, never with a length or a chunk size that the peer declares.
 */
import { RtmpError } from "./rtmp-error.ts";

export interface RtmpMessage {
  type: number;
  /** Message stream. */
  streamId: number;
  /** Milliseconds modulo 2^32: the successor of 0xffffffff is 0 (§4). */
  timestampMs: number;
  payload: Buffer;
}

export interface ChunkLimits {
  /** Length of one message. */
  messageBytes: number;
  /** Sum of the lengths of all messages that are not complete. */
  unfinishedBytes: number;
  chunkStreams: number;
}

const DEFAULT_CHUNK_BYTES = 128;
const MAX_CHUNK_BYTES = 0x7fffffff;
const TIMESTAMPS = 2 ** 32;
const EXTENDED = 0xffffff;
const EXTENDED_BYTES = 4;
/** Bytes of the message header, by the chunk's type. */
const HEADER_BYTES = [11, 7, 3, 0] as const;
const FULL = 0;
const CONTINUES = 3;
const SET_CHUNK_SIZE = 1;
const ABORT = 2;

/** The newest header of a chunk stream, which later chunks abbreviate. */
interface ChunkStream {
  type: number;
  length: number;
  streamId: number;
  timestampMs: number;
  /** The header's timestamp: absolute in a full header, otherwise the time since the message before. */
  timeField: number;
  isExtended: boolean;
  /** The message that is being received; null between two messages. */
  message: MessageBuffer | null;
}

interface ChunkHeader {
  /** Position behind the header. */
  end: number;
  stream: ChunkStream;
  beginsMessage: boolean;
}

export class ChunkReader {
  readonly #limits: ChunkLimits;
  readonly #streams = new Map<number, ChunkStream>();
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #chunkBytes = DEFAULT_CHUNK_BYTES;
  #unfinishedBytes = 0;
  /** Whose chunk is being read; null between two chunks. */
  #current: ChunkStream | null = null;
  #chunkRest = 0;
  #consumedBytes = 0;

  constructor(limits: ChunkLimits) {
    this.#limits = limits;
  }

  /** All bytes that have been read. */
  get consumedBytes(): number {
    return this.#consumedBytes;
  }

  /** Allocated for incomplete messages and unread bytes. */
  get heldBytes(): number {
    const messages = [...this.#streams.values()].reduce((sum, { message }) => sum + (message?.heldBytes ?? 0), 0);
    return messages + this.#bytes.length - this.#at;
  }

  push(bytes: Buffer): void {
    const rest = this.#bytes.subarray(this.#at);
    this.#bytes = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    this.#at = 0;
  }

  /** @returns the next complete message; null = more bytes are needed @throws {RtmpError} */
  next(): RtmpMessage | null {
    for (;;) {
      const stream = this.#current ?? this.#beginChunk();
      if (stream?.message == null) return null;
      const piece = this.#bytes.subarray(this.#at, this.#at + this.#chunkRest);
      stream.message.append(piece);
      this.#advance(piece.length);
      this.#chunkRest -= piece.length;
      if (this.#chunkRest > 0) {
        this.#current = stream;
        return null;
      }
      this.#current = null;
      if (!stream.message.isComplete) continue;
      const { type, streamId, timestampMs } = stream;
      const message = { type, streamId, timestampMs, payload: stream.message.bytes };
      this.#endMessage(stream);
      if (!this.#obey(message)) return message;
    }
  }

  /** @returns the stream of the chunk that begins here; null = its header is not complete */
  #beginChunk(): ChunkStream | null {
    const header = this.#header();
    if (header === null) return null;
    const { stream, end } = header;
    if (header.beginsMessage) this.#beginMessage(stream);
    this.#advance(end - this.#at);
    this.#chunkRest = Math.min(this.#chunkBytes, stream.message!.missingBytes);
    return stream;
  }

  #header(): ChunkHeader | null {
    const bytes = this.#bytes.subarray(this.#at);
    if (bytes.length === 0) return null;
    const idBytes = idBytesOf(bytes[0]!);
    const format = bytes[0]! >> 6;
    let end = idBytes + HEADER_BYTES[format]!;
    if (bytes.length < end) return null;
    const id = idOf(bytes, idBytes);
    const known = this.#streams.get(id);
    const beginsMessage = known?.message == null;
    if (!beginsMessage && format !== CONTINUES) throw new RtmpError("a message within a message");
    // Some encoders begin a chunk stream without the message stream, but its length and type must be known.
    if (known === undefined && format > 1) throw new RtmpError("a chunk without a header");
    const stream = known ?? newStream();
    let extended: number | null = null;
    if (format === CONTINUES) {
      const repeated = stream.isExtended ? repeatedBytes(bytes.subarray(end), stream) : 0;
      if (repeated === null) return null;
      end += repeated;
    } else if (bytes.readUIntBE(idBytes, 3) === EXTENDED) {
      if (bytes.length < end + EXTENDED_BYTES) return null;
      extended = bytes.readUInt32BE(end);
      end += EXTENDED_BYTES;
    }
    if (known === undefined) this.#add(id, stream);
    if (format !== CONTINUES) {
      stream.isExtended = extended !== null;
      stream.timeField = extended ?? bytes.readUIntBE(idBytes, 3);
    }
    if (format <= 1) {
      stream.length = bytes.readUIntBE(idBytes + 3, 3);
      stream.type = bytes[idBytes + 6]!;
    }
    if (format === FULL) stream.streamId = bytes.readUInt32LE(idBytes + 7);
    // A message without a header of its own takes the time field as a step, even after a full header (§5.3.1.2.4).
    if (beginsMessage)
      stream.timestampMs = ((format === FULL ? 0 : stream.timestampMs) + stream.timeField) % TIMESTAMPS;
    return { end: this.#at + end, stream, beginsMessage };
  }

  #add(id: number, stream: ChunkStream): void {
    if (this.#streams.size >= this.#limits.chunkStreams) throw new RtmpError("too many chunk streams");
    this.#streams.set(id, stream);
  }

  #beginMessage(stream: ChunkStream): void {
    if (stream.length > this.#limits.messageBytes) throw new RtmpError("message too long");
    this.#unfinishedBytes += stream.length;
    if (this.#unfinishedBytes > this.#limits.unfinishedBytes) throw new RtmpError("messages too long");
    stream.message = new MessageBuffer(stream.length);
  }

  #endMessage(stream: ChunkStream): void {
    stream.message = null;
    this.#unfinishedBytes -= stream.length;
  }

  #advance(bytes: number): void {
    this.#at += bytes;
    this.#consumedBytes += bytes;
  }

  /** @returns whether the message is about the chunk stream itself */
  #obey({ type, payload }: RtmpMessage): boolean {
    if (type !== SET_CHUNK_SIZE && type !== ABORT) return false;
    if (payload.length < 4) throw new RtmpError("control message too short");
    const value = payload.readUInt32BE();
    if (type === SET_CHUNK_SIZE) {
      if (value === 0 || value > MAX_CHUNK_BYTES) throw new RtmpError("chunk size out of range");
      this.#chunkBytes = value; // no message is longer than 0xffffff, so larger sizes have the same effect
    } else {
      const aborted = this.#streams.get(value);
      if (aborted?.message != null) this.#endMessage(aborted);
    }
    return true;
  }
}

const newStream = (): ChunkStream => ({
  type: 0,
  length: 0,
  streamId: 0,
  timestampMs: 0,
  timeField: 0,
  isExtended: false,
  message: null,
});

/** Length of the basic header, which holds the chunk stream's ID (§5.3.1.1). */
const idBytesOf = (first: number): number => ((first & 0x3f) === 0 ? 2 : (first & 0x3f) === 1 ? 3 : 1);

function idOf(bytes: Buffer, idBytes: number): number {
  if (idBytes === 1) return bytes[0]! & 0x3f;
  return 64 + bytes[1]! + (idBytes === 3 ? bytes[2]! * 256 : 0);
}

/**
 * Bytes of the extended timestamp in a chunk that has no other header field. The specification repeats it there, and many encoders do not,
 * so it is recognised by its value: the time field of the newest header, or the message's own time.
 *
 * @param bytes behind the basic header
 * @returns null when the bytes so far are a part of such a value
 */
function repeatedBytes(bytes: Buffer, { timeField, timestampMs, message }: ChunkStream): number | null {
  const own = message === null ? (timestampMs + timeField) % TIMESTAMPS : timestampMs;
  if (!startsLike(bytes, timeField) && !startsLike(bytes, own)) return 0;
  return bytes.length < EXTENDED_BYTES ? null : EXTENDED_BYTES;
}

function startsLike(bytes: Buffer, value: number): boolean {
  const expected = Buffer.alloc(EXTENDED_BYTES);
  expected.writeUInt32BE(value);
  const compared = Math.min(bytes.length, EXTENDED_BYTES);
  return bytes.compare(expected, 0, compared, 0, compared) === 0;
}

/** The bytes of a message, in a buffer that grows by doubling up to the message's length. */
class MessageBuffer {
  readonly #length: number;
  #buffer = Buffer.alloc(0);
  #received = 0;

  constructor(length: number) {
    this.#length = length;
  }

  get heldBytes(): number {
    return this.#buffer.length;
  }

  get missingBytes(): number {
    return this.#length - this.#received;
  }

  get isComplete(): boolean {
    return this.missingBytes === 0;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#received);
  }

  append(piece: Buffer): void {
    const needed = this.#received + piece.length;
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(this.#length, Math.max(needed, 2 * this.#buffer.length)));
      this.#buffer.copy(grown, 0, 0, this.#received);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#received);
    this.#received = needed;
  }
}
