/**
 * Server side of RTMP for one publishing connection. node-media-server implements the handshake and the chunk stream. Commands are read
 * and answered here (`amf0.ts`), because input before a publish is untrusted: it is bounded, and the only value echoed to the caller is a
 * checked number. The answer to a publish waits for admission. Playback is refused.
 */
import logger from "node-media-server/src/core/logger.js";
import Flv from "node-media-server/src/protocol/flv.js";
import Rtmp from "node-media-server/src/protocol/rtmp.js";
import { type Amf0Output, Amf0Reader, type Amf0Value, encodeAmf0 } from "./amf0.ts";
import { PublishLimits, RtmpError } from "./publish-limits.ts";

const APP = "live";
const HANDSHAKE_COMPLETE = 3; // node-media-server's state
const RTMP_VERSION = 3;
const WINDOW_BYTES = 5_000_000;
const DYNAMIC_LIMIT = 2; // RTMP 1.0 §5.4.5
const ACK_BYTES = 2_500_000;
const MAX_KEY_LENGTH = 512;
const SET_DATA_FRAME = Buffer.concat([Buffer.from([2, 0, 13]), Buffer.from("@setDataFrame")]);
const CONTINUES = 3; // header type of a chunk that continues a message
const COMMAND_CHUNK_STREAM = 3;
const TYPE = { setChunkSize: 1, abort: 2, audio: 8, video: 9, commandAmf3: 17, data: 18, command: 20 } as const;
const OBJECT_ENCODINGS = new Set([0, 3]);
/** Enhanced RTMP codecs ("Enhancing RTMP, FLV", Veovera) that libav can demux from FLV. */
const FOURCCS = ["hvc1", "av01", "vp09", "Opus", "ac-3", "ec-3", "fLaC", "mp4a"];

logger.log = () => {}; // it would log untrusted input as plain text

export class PublishProtocol extends Rtmp {
  /** The stream key of the publish command; null before it. */
  streamKey: string | null = null;
  /** The publisher deleted the stream, or was disconnected. */
  isOver = false;
  /** The connect command has been accepted. */
  isConnected = false;
  /** FLV starting with the file header; drained by the reader. */
  readonly flvTags: Buffer[] = [Flv.createHeader(true, true)];
  #hasBegun = false;
  readonly #limits = new PublishLimits();
  #receivedBytes = 0;
  #acknowledgedBytes = 0;
  #streams = 0;

  constructor(output: (bytes: Buffer) => void) {
    super();
    this.flv = null; // saves a megabyte for an unused parser
    this.onOutputCallback = output;
  }

  get isHandshakeComplete(): boolean {
    return this.handshakeState === HANDSHAKE_COMPLETE;
  }

  /** @throws {RtmpError} and other errors, all of which end the connection */
  read(bytes: Buffer): void {
    if (!this.#hasBegun && bytes[0] !== RTMP_VERSION) throw new RtmpError("no RTMP handshake");
    this.#hasBegun = true;
    const problem = this.parserData(bytes);
    if (problem !== null) throw new RtmpError(problem);
    this.#acknowledge(bytes.length);
  }

  accept(): void {
    this.#sendStatus("status", "NetStream.Publish.Start", `/${APP}/stream is now published.`);
  }

  /** Encoders show the description to their user. */
  refuse(description: string): void {
    this.#sendStatus("error", "NetStream.Publish.BadName", description);
  }

  hangUp(description: string): void {
    this.isOver = true;
    this.#sendStatus("error", "NetStream.Publish.Denied", description);
  }

  override packetParse(): void {
    super.packetParse();
    const { header, bytes } = this.parserPacket;
    this.#limits.countBytes(this.parserBytes);
    // The parser would move backwards in its input if a new message started inside another.
    if (bytes > 0 && header.fmt !== CONTINUES) throw new RtmpError("a message within a message");
    this.#limits.checkChunkStreams(this.inPackets.size);
  }

  override packetAlloc(): void {
    const { header, capacity } = this.parserPacket;
    this.#limits.countBytes(header.length);
    this.#limits.checkMessage(header.length);
    super.packetAlloc();
    this.#limits.countAllocated(this.parserPacket.capacity - capacity);
  }

  override controlHandler(): void {
    const { header, payload } = this.parserPacket;
    if (header.length < 4) throw new RtmpError("control message too short");
    const value = payload.readUInt32BE();
    if (header.type === TYPE.setChunkSize) this.#limits.checkChunkSize(value);
    if (header.type === TYPE.abort) {
      const aborted = this.inPackets.get(value);
      if (aborted !== undefined) aborted.bytes = 0;
    }
    super.controlHandler();
  }

  override invokeHandler(): void {
    const { header, payload } = this.parserPacket;
    this.#limits.countCommand(header.length);
    // An AMF3 command message starts with a format byte; its values are AMF0 nevertheless.
    const reader = new Amf0Reader(payload.subarray(header.type === TYPE.commandAmf3 ? 1 : 0, header.length));
    const name = reader.read();
    if (name === "connect") this.#connect(transactionOf(reader), reader.read());
    else if (name === "createStream") this.#createStream(transactionOf(reader));
    else if (name === "publish") this.#publish(transactionOf(reader), reader);
    else if (name === "play") this.#refuseToPlay();
    else if (name === "deleteStream") this.isOver = this.streamKey !== null;
  }

  /** Media received before the publish is answered is buffered. */
  override dataHandler(): void {
    if (this.streamKey === null || this.isOver) return;
    const { header, payload, clock } = this.parserPacket;
    let data = payload.subarray(0, header.length);
    if (header.type === TYPE.data && data.indexOf(SET_DATA_FRAME) === 0) data = data.subarray(SET_DATA_FRAME.length);
    const isKnown = header.type === TYPE.audio || header.type === TYPE.video || header.type === TYPE.data;
    if (!isKnown || data.length === 0) return;
    this.flvTags.push(Flv.createMessage({ codec_type: header.type, dts: clock, size: data.length, data }));
  }

  #connect(transactionId: number, about: Amf0Value): void {
    if (this.isConnected) throw new RtmpError("a second connect");
    const fields = about instanceof Map ? about : new Map<string, Amf0Value>();
    const app = fields.get("app");
    if (typeof app !== "string" || appOf(app) !== APP) {
      const description = `The application is "${APP}".`;
      const info = { level: "error", code: "NetConnection.Connect.Rejected", description };
      this.#sendCommand(0, "_error", transactionId, null, info);
      throw new RtmpError("another application");
    }
    const objectEncoding = fields.get("objectEncoding") ?? 0;
    if (typeof objectEncoding !== "number" || !OBJECT_ENCODINGS.has(objectEncoding))
      throw new RtmpError("unknown object encoding");
    this.isConnected = true;
    this.sendWindowACK(WINDOW_BYTES);
    this.setPeerBandwidth(WINDOW_BYTES, DYNAMIC_LIMIT);
    this.setChunkSize(this.outChunkSize);
    const server = { fmsVer: "FMS/3,0,1,123", capabilities: 31 };
    this.#sendCommand(0, "_result", transactionId, server, {
      level: "status",
      code: "NetConnection.Connect.Success",
      description: "Connection succeeded.",
      objectEncoding,
      fourCcList: FOURCCS,
    });
  }

  #createStream(transactionId: number): void {
    this.#streams += 1;
    this.#sendCommand(0, "_result", transactionId, null, this.#streams);
  }

  #publish(_transactionId: number, reader: Amf0Reader): void {
    if (this.streamKey !== null) return this.refuse("This connection publishes already.");
    if (!this.isConnected) throw new RtmpError("publish before connect");
    reader.read(); // the command object: null
    const name = reader.hasMore ? reader.read() : "";
    const key = typeof name === "string" ? name.split("?")[0]! : "";
    this.streamId = this.parserPacket.header.stream_id;
    if (key === "" || key.length > MAX_KEY_LENGTH) {
      this.refuse("A stream key has 1 to 512 characters.");
      throw new RtmpError("no stream key");
    }
    this.streamKey = key;
    this.#limits.hasPublished = true;
  }

  #refuseToPlay(): never {
    this.streamId = this.parserPacket.header.stream_id;
    this.#sendStatus("error", "NetStream.Play.Failed", "Nothing is played here.");
    throw new RtmpError("play");
  }

  #sendStatus(level: "status" | "error", code: string, description: string): void {
    this.#sendCommand(this.streamId ?? 1, "onStatus", 0, null, { level, code, description });
  }

  #sendCommand(streamId: number, ...values: Amf0Output[]): void {
    const payload = encodeAmf0(...values);
    const { length } = payload;
    const header = { fmt: 0, cid: COMMAND_CHUNK_STREAM, timestamp: 0, length, type: TYPE.command, stream_id: streamId };
    this.onOutputCallback(Rtmp.chunksCreate({ header, payload }));
  }

  #acknowledge(bytes: number): void {
    this.#receivedBytes += bytes;
    const every = Math.max(1, Math.min(this.ackSize ?? ACK_BYTES, ACK_BYTES));
    if (this.#receivedBytes - this.#acknowledgedBytes < every) return;
    this.#acknowledgedBytes = this.#receivedBytes;
    this.sendACK(this.#receivedBytes % 2 ** 32);
  }
}

/** "live", "live/" and "live?x=1" are the same application. */
const appOf = (app: string) => app.split("?")[0]!.replace(/^\/+|\/+$/g, "");

/** The ID is echoed to the caller, so it must be a number. */
function transactionOf(reader: Amf0Reader): number {
  const transactionId = reader.read();
  if (typeof transactionId !== "number" || !Number.isFinite(transactionId)) throw new RtmpError("no transaction ID");
  return transactionId;
}
