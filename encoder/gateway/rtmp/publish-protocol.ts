/**
 * Server side of RTMP for a connection that publishes: commands, the order of broadcasts, and their media as FLV. Input before a publish is
 * untrusted: it is bounded, and the only value echoed to the caller is a checked number. One broadcast at a time: nothing behind a publish is
 * read until it is accepted, and nothing behind its end until `next`. Playback is refused.
 */
import { APP, MAX_KEY_LENGTH, pathParts, streamKeyIn, withoutSuffix } from "../reception/stream-key.ts";
import { TAG } from "../source/flv-packets.ts";
import { AGGREGATE, partsOf } from "./aggregate.ts";
import { type Amf0Output, Amf0Reader, type Amf0Value, encodeAmf0 } from "./protocol/amf0.ts";
import { ChunkReader, type RtmpMessage } from "./protocol/chunk-reader.ts";
import { CHUNK_BYTES, chunksOf, controlOf } from "./protocol/chunk-writer.ts";
import { FlvWriter } from "./flv-writer.ts";
import { Handshake } from "./protocol/handshake.ts";
import { CHUNK_LIMITS, PublishLimits } from "./publish-limits.ts";
import { RtmpError } from "./protocol/rtmp-error.ts";

const WINDOW_BYTES = 5_000_000;
const DYNAMIC_LIMIT = 2; // RTMP 1.0 §5.4.5
const ACK_BYTES = 2_500_000;
const COMMAND_CHUNK_STREAM = 3;
const TYPE = {
  setChunkSize: 1,
  acknowledgement: 3,
  windowSize: 5,
  peerBandwidth: 6,
  dataAmf3: 15,
  commandAmf3: 17,
  command: 20,
} as const;
const SET_DATA_FRAME = encodeAmf0("@setDataFrame");
const CLEAR_DATA_FRAME = encodeAmf0("@clearDataFrame");
const OBJECT_ENCODINGS = new Set([0, 3]);
/** Enhanced RTMP codecs ("Enhancing RTMP, FLV", Veovera) that libav can demux from FLV. */
const FOURCCS = ["avc1", "hvc1", "av01", "vp09", "Opus", "ac-3", "ec-3", "fLaC", "mp4a"];
const MULTITRACK = 2; // flag of `capsEx`, Enhanced RTMP v2
const UNPUBLISHED = "The stream is no longer published.";
/** Answers of the peer. They are not answered. */
const ANSWERS = new Set<Amf0Value>(["_result", "_error", "onStatus"]);

/** `asked`: a publish waits for `accept` or `refuse`; `ended`: its broadcast is over, and `next` reads on; `closed`: nothing is read. */
type Stage = "idle" | "asked" | "publishing" | "ended" | "closed";

export class PublishProtocol {
  /** The connect command has been accepted. */
  isConnected = false;
  readonly #output: (bytes: Buffer) => void;
  readonly #handshake = Handshake.ofServer();
  readonly #chunks = new ChunkReader(CHUNK_LIMITS);
  readonly #limits = new PublishLimits();
  #stage: Stage = "idle";
  #streamKey = "";
  /** Message stream of the newest publish. */
  #streamId = 1;
  /** Message streams created so far: 1 to this number. */
  #streams = 0;
  /** The key in the application, for encoders that have one field for both. */
  #keyOfApp = "";
  #flv = new FlvWriter();
  #receivedBytes = 0;
  #acknowledgedBytes = 0;
  #ackBytes = ACK_BYTES;

  constructor(output: (bytes: Buffer) => void) {
    this.#output = output;
  }

  get isHandshakeComplete(): boolean {
    return this.#handshake.isComplete;
  }

  /** The key of a publish that waits for its answer; null when none does. */
  get askedKey(): string | null {
    return this.#stage === "asked" ? this.#streamKey : null;
  }

  /** The publisher has ended its broadcast and may begin another one. */
  get hasUnpublished(): boolean {
    return this.#stage === "ended";
  }

  /** No more media follows for the current broadcast. */
  get isOver(): boolean {
    return this.#stage === "ended" || this.#stage === "closed";
  }

  /** Allocated for input that is not complete. */
  get heldBytes(): number {
    return this.#chunks.heldBytes;
  }

  /** @throws {RtmpError} and {Amf0Error}, which end the connection */
  read(bytes: Buffer): void {
    this.#chunks.push(this.#handshake.isComplete ? bytes : this.#handshake.read(bytes, this.#output));
    this.readOn();
    this.#acknowledge(bytes.length);
  }

  /** Reads what arrived behind a publish that has been accepted, or behind a broadcast after `next`. @throws as `read` */
  readOn(): void {
    while (this.#stage === "idle" || this.#stage === "publishing") {
      const message = this.#chunks.next();
      this.#limits.checkBytes(this.#chunks.consumedBytes);
      if (message === null) return;
      this.#handle(message);
    }
  }

  /** FLV of the current broadcast, beginning with the file header; null when nothing more has arrived. */
  takeFlv(): Buffer | null {
    return this.#flv.take();
  }

  accept(): void {
    this.#stage = "publishing";
    this.#sendStatus("status", "NetStream.Publish.Start", `/${APP}/stream is now published.`);
  }

  /** Encoders show the description to their user. */
  refuse(description: string): void {
    this.#stage = "closed";
    this.#sendStatus("error", "NetStream.Publish.BadName", description);
  }

  hangUp(description: string): void {
    this.#stage = "closed";
    this.#sendStatus("error", "NetStream.Publish.Denied", description);
  }

  /** Prepares for another publish behind the end of a broadcast. */
  next(): void {
    this.#stage = "idle";
    this.#flv = new FlvWriter();
    this.#limits.unpublished();
  }

  #handle(message: RtmpMessage): void {
    const { type, payload } = message;
    if (type === TYPE.command || type === TYPE.commandAmf3) this.#command(message);
    else if (type === AGGREGATE) for (const part of partsOf(message)) this.#media(part);
    else if (type === TYPE.windowSize) this.#ackBytes = Math.max(1, Math.min(valueOf(payload), ACK_BYTES));
    else if (type === TYPE.acknowledgement || type === TYPE.peerBandwidth) valueOf(payload);
    else this.#media(message);
  }

  #media({ type, timestampMs, payload }: RtmpMessage): void {
    if (this.#stage !== "publishing") return;
    if (type === TAG.script || type === TYPE.dataAmf3) {
      const data = metadataOf(type === TYPE.dataAmf3 ? withoutFormat(payload) : payload);
      if (data.length > 0) this.#flv.write(TAG.script, timestampMs, data);
    } else if ((type === TAG.audio || type === TAG.video) && payload.length > 0)
      this.#flv.write(type, timestampMs, payload);
  }

  #command({ type, streamId, payload }: RtmpMessage): void {
    this.#limits.countCommand(payload.length);
    const reader = new Amf0Reader(type === TYPE.commandAmf3 ? withoutFormat(payload) : payload);
    const name = reader.read();
    if (name === "connect") this.#connect(transactionOf(reader), reader.read());
    else if (name === "createStream") this.#createStream(transactionOf(reader));
    else if (name === "publish") this.#publish(transactionOf(reader), reader, streamId);
    else if (name === "play") this.#refuseToPlay(streamId);
    else if (name === "closeStream") this.#unpublish(streamId);
    else if (name === "deleteStream") this.#deleteStream(reader);
    else if (name === "releaseStream") this.#answer(reader);
    else if (name === "FCPublish") {
      this.#answer(reader);
      this.#sendEvent("onFCPublish", "NetStream.Publish.Start", "Publish the stream.");
    } else if (name === "FCUnpublish") {
      this.#answer(reader);
      this.#sendEvent("onFCUnpublish", "NetStream.Unpublish.Success", UNPUBLISHED);
      this.#unpublish();
    } else if (!ANSWERS.has(name)) this.#refuseCommand(reader);
  }

  #connect(transactionId: number, about: Amf0Value): void {
    if (this.isConnected) throw new RtmpError("a second connect");
    const fields = about instanceof Map ? about : new Map<string, Amf0Value>();
    const app = fields.get("app");
    const [application, ...rest] = typeof app === "string" ? pathParts(withoutSuffix(app)) : [];
    if (application !== APP) {
      const description = `The application is "${APP}".`;
      const info = { level: "error", code: "NetConnection.Connect.Rejected", description };
      this.#send(0, "_error", transactionId, null, info);
      throw new RtmpError("another application");
    }
    this.#keyOfApp = rest.join("/");
    const objectEncoding = fields.get("objectEncoding") ?? 0;
    if (typeof objectEncoding !== "number" || !OBJECT_ENCODINGS.has(objectEncoding))
      throw new RtmpError("unknown object encoding");
    this.isConnected = true;
    this.#output(controlOf(TYPE.windowSize, WINDOW_BYTES));
    this.#output(controlOf(TYPE.peerBandwidth, WINDOW_BYTES, DYNAMIC_LIMIT));
    this.#output(controlOf(TYPE.setChunkSize, CHUNK_BYTES));
    const server = { fmsVer: "FMS/3,0,1,123", capabilities: 31 };
    this.#send(0, "_result", transactionId, server, {
      level: "status",
      code: "NetConnection.Connect.Success",
      description: "Connection succeeded.",
      objectEncoding,
      fourCcList: FOURCCS,
      capsEx: MULTITRACK,
    });
  }

  #createStream(transactionId: number): void {
    this.#streams += 1;
    this.#send(0, "_result", transactionId, null, this.#streams);
  }

  #publish(_transactionId: number, reader: Amf0Reader, streamId: number): void {
    if (!this.isConnected) throw new RtmpError("publish before connect");
    if (reader.hasMore) reader.read(); // the command object: null
    const name = reader.hasMore ? reader.read() : "";
    if (name === false) return this.#unpublish(streamId);
    if (this.#stage === "publishing")
      return this.#sendStatus("error", "NetStream.Publish.BadName", "This connection publishes already.", streamId);
    this.#streamId = streamId;
    const key = (typeof name === "string" && streamKeyIn(name)) || this.#keyOfApp;
    if (key === "" || key.length > MAX_KEY_LENGTH) {
      this.refuse(`A stream key has 1 to ${MAX_KEY_LENGTH} characters.`);
      throw new RtmpError("no stream key");
    }
    this.#limits.countPublish();
    this.#streamKey = key;
    this.#stage = "asked";
  }

  /** Encoders send several of the commands that end a broadcast; the first one does. @param streamId message stream; absent = any */
  #unpublish(streamId?: number): void {
    const isOther = streamId !== this.#streamId && streamId !== undefined && this.#isStream(streamId);
    if (this.#stage !== "publishing" || isOther) return;
    this.#stage = "ended";
    this.#sendStatus("status", "NetStream.Unpublish.Success", UNPUBLISHED);
  }

  #deleteStream(reader: Amf0Reader): void {
    reader.read(); // the transaction ID: the command is not answered (§7.2.2.3)
    if (reader.hasMore) reader.read();
    const streamId = reader.hasMore ? reader.read() : undefined;
    this.#unpublish(typeof streamId === "number" ? streamId : undefined);
  }

  /** Encoders that name no stream, or one that does not exist, mean the one that they publish. */
  #isStream = (streamId: number): boolean => streamId >= 1 && streamId <= this.#streams;

  /** Answers a command of Flash Media Live Encoder. Some encoders go on only then. */
  #answer(reader: Amf0Reader): void {
    const transactionId = answerableOf(reader);
    if (transactionId !== null) this.#send(0, "_result", transactionId, null, null);
  }

  #sendEvent(name: string, code: string, description: string): void {
    this.#send(0, name, 0, null, { level: "status", code, description });
  }

  #refuseCommand(reader: Amf0Reader): void {
    const transactionId = answerableOf(reader);
    if (transactionId === null) return;
    const info = { level: "error", code: "NetConnection.Call.Failed", description: "There is no such command here." };
    this.#send(0, "_error", transactionId, null, info);
  }

  #refuseToPlay(streamId: number): never {
    this.#sendStatus("error", "NetStream.Play.Failed", "Nothing is played here.", streamId);
    throw new RtmpError("play");
  }

  #sendStatus(level: "status" | "error", code: string, description: string, streamId = this.#streamId): void {
    this.#send(streamId, "onStatus", 0, null, { level, code, description });
  }

  #send(streamId: number, ...values: Amf0Output[]): void {
    const message = { type: TYPE.command, streamId, timestampMs: 0, payload: encodeAmf0(...values) };
    this.#output(chunksOf(message, COMMAND_CHUNK_STREAM));
  }

  #acknowledge(bytes: number): void {
    this.#receivedBytes += bytes;
    if (this.#receivedBytes - this.#acknowledgedBytes < this.#ackBytes) return;
    this.#acknowledgedBytes = this.#receivedBytes;
    this.#output(controlOf(TYPE.acknowledgement, this.#receivedBytes % 2 ** 32));
  }
}

function valueOf(payload: Buffer): number {
  if (payload.length < 4) throw new RtmpError("control message too short");
  return payload.readUInt32BE();
}

/** AMF3 messages start with a format byte; their values are AMF0 nevertheless. A name, which comes first, does not start with 0. */
const withoutFormat = (payload: Buffer): Buffer => payload.subarray(payload[0] === 0 ? 1 : 0);

/** The data for FLV of a data message: the command that a server is to store it is removed. */
function metadataOf(data: Buffer): Buffer {
  if (startsWith(data, CLEAR_DATA_FRAME)) return Buffer.alloc(0);
  return startsWith(data, SET_DATA_FRAME) ? data.subarray(SET_DATA_FRAME.length) : data;
}

const startsWith = (data: Buffer, begin: Buffer): boolean => data.subarray(0, begin.length).equals(begin);

/** The ID is echoed to the caller, so it must be a number. */
function transactionOf(reader: Amf0Reader): number {
  const transactionId = reader.read();
  if (typeof transactionId !== "number" || !Number.isFinite(transactionId)) throw new RtmpError("no transaction ID");
  return transactionId;
}

/** The transaction ID of a command that wants an answer; null for others (§7.2.1.2). */
function answerableOf(reader: Amf0Reader): number | null {
  const transactionId = reader.hasMore ? reader.read() : null;
  const isAnswerable = typeof transactionId === "number" && Number.isFinite(transactionId) && transactionId > 0;
  return isAnswerable ? transactionId : null;
}
