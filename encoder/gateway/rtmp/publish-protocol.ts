/**
 * The server's side of RTMP for one connection that publishes: node-media-server's protocol class, with what it lacks.
 *
 * Its own session classes answer a publish before anybody can decide on it, keep groups of pictures in memory for players and share one
 * global registry; so only its handshake, chunks and commands are used. Added: the answer to a publish waits for a decision, input has
 * bounds, acknowledgements are sent, playing is refused.
 */
import logger from "node-media-server/src/core/logger.js";
import Flv from "node-media-server/src/protocol/flv.js";
import Rtmp, { type Command } from "node-media-server/src/protocol/rtmp.js";

const APP = "live";
const RTMP_VERSION = 3;
/** Messages before a publish are commands. */
const COMMAND_BYTES = 64 << 10;
const COMMANDS_BYTES = 256 << 10;
/** A key frame of 4K at 60 Mbit/s has about 2 MB. */
const MESSAGE_BYTES = 8 << 20;
const MESSAGES_BYTES = 24 << 20;
const MAX_CHUNK_STREAMS = 32;
const MAX_CHUNK_BYTES = 0xffffff; // no message is longer (RTMP 1.0 §5.4.1)
const ACK_BYTES = 2_500_000;
const MAX_KEY_LENGTH = 512;
const SET_DATA_FRAME = Buffer.concat([Buffer.from([2, 0, 13]), Buffer.from("@setDataFrame")]);
const CONTINUES = 3; // header type of a chunk that goes on with a message
const TYPE = { setChunkSize: 1, abort: 2, audio: 8, video: 9, data: 18 } as const;
/** What enhanced RTMP may carry here ("Enhancing RTMP, FLV", Veovera): picture and sound that libav can read out of FLV. */
const FOURCCS = ["hvc1", "av01", "vp09", "Opus", "ac-3", "ec-3", "fLaC", "mp4a"];

logger.log = () => {}; // it writes what strangers send, as plain text

/** The connection cannot go on. */
export class RtmpError extends Error {}

export class PublishProtocol extends Rtmp {
  /** The key that somebody wants to publish under, from the moment on that they ask. */
  streamKey: string | null = null;
  /** The publisher said goodbye, or was told so. */
  isOver = false;
  /** FLV, from its header on; emptied by the reader. */
  readonly flvTags: Buffer[] = [Flv.createHeader(true, true)];
  #hasBegun = false;
  #receivedBytes = 0;
  #acknowledgedBytes = 0;
  #allocatedBytes = 0;

  constructor(output: (bytes: Buffer) => void) {
    super();
    this.flv = null; // a megabyte for a parser that is not needed
    this.onOutputCallback = output;
  }

  /** @throws {RtmpError} and others, all of which mean that the connection cannot go on */
  read(bytes: Buffer): void {
    if (!this.#hasBegun && bytes[0] !== RTMP_VERSION) throw new RtmpError("no RTMP handshake");
    this.#hasBegun = true;
    const problem = this.parserData(bytes);
    if (problem !== null) throw new RtmpError(problem);
    this.#acknowledge(bytes.length);
  }

  accept(): void {
    this.respondPublish();
  }

  /** Encoders show the description to their user. */
  refuse(description: string): void {
    this.sendStatusMessage(this.streamId ?? 1, "error", "NetStream.Publish.BadName", description);
  }

  hangUp(description: string): void {
    this.isOver = true;
    this.sendStatusMessage(this.streamId ?? 1, "error", "NetStream.Publish.Denied", description);
  }

  override packetParse(): void {
    super.packetParse();
    const { header, bytes } = this.parserPacket;
    // The parser would go back in its input if a message were begun anew in its middle.
    if (bytes > 0 && header.fmt !== CONTINUES) throw new RtmpError("a message within a message");
    if (this.inPackets.size > MAX_CHUNK_STREAMS) throw new RtmpError("too many chunk streams");
  }

  override packetAlloc(): void {
    const { header, capacity } = this.parserPacket;
    const isPublishing = this.streamKey !== null;
    if (header.length > (isPublishing ? MESSAGE_BYTES : COMMAND_BYTES)) throw new RtmpError("message too long");
    super.packetAlloc();
    this.#allocatedBytes += this.parserPacket.capacity - capacity;
    if (this.#allocatedBytes > (isPublishing ? MESSAGES_BYTES : COMMANDS_BYTES))
      throw new RtmpError("messages too long");
  }

  override controlHandler(): void {
    const { header, payload } = this.parserPacket;
    if (header.length < 4) throw new RtmpError("control message too short");
    const value = payload.readUInt32BE();
    if (header.type === TYPE.setChunkSize && (value === 0 || value > MAX_CHUNK_BYTES))
      throw new RtmpError("chunk size out of range");
    if (header.type === TYPE.abort) {
      const aborted = this.inPackets.get(value);
      if (aborted !== undefined) aborted.bytes = 0;
    }
    super.controlHandler();
  }

  override invokeHandler(): void {
    if (this.parserPacket.header.length > COMMAND_BYTES) throw new RtmpError("command too long");
    super.invokeHandler();
  }

  /** Media that comes before the answer waits with the rest. */
  override dataHandler(): void {
    if (this.streamKey === null || this.isOver) return;
    const { header, payload, clock } = this.parserPacket;
    let data = payload.subarray(0, header.length);
    if (header.type === TYPE.data && data.indexOf(SET_DATA_FRAME) === 0) data = data.subarray(SET_DATA_FRAME.length);
    const isKnown = header.type === TYPE.audio || header.type === TYPE.video || header.type === TYPE.data;
    if (!isKnown || data.length === 0) return;
    this.flvTags.push(Flv.createMessage({ codec_type: header.type, dts: clock, size: data.length, data }));
  }

  override onConnect(command: Command): void {
    const app = command.cmdObj?.["app"];
    if (typeof app !== "string" || appOf(app) !== APP) {
      const info = {
        level: "error",
        code: "NetConnection.Connect.Rejected",
        description: `The application is "${APP}".`,
      };
      this.sendInvokeMessage(0, { cmd: "_error", transId: command.transId, cmdObj: null, info });
      throw new RtmpError("another application");
    }
    super.onConnect(command);
    this.streamApp = APP;
  }

  /** As the base class answers, and with what enhanced RTMP carries. */
  override respondConnect(transactionId: number): void {
    this.sendInvokeMessage(0, {
      cmd: "_result",
      transId: transactionId,
      cmdObj: { fmsVer: "FMS/3,0,1,123", capabilities: 31 },
      info: {
        level: "status",
        code: "NetConnection.Connect.Success",
        description: "Connection succeeded.",
        objectEncoding: this.objectEncoding,
        fourCcList: Object.assign([...FOURCCS], { sarray: true }), // written as a strict array
      },
    });
  }

  override onPublish(command: Command): void {
    if (this.streamKey !== null) return this.refuse("This connection publishes already.");
    if (this.streamApp === undefined) throw new RtmpError("publish before connect");
    const key = typeof command.streamName === "string" ? command.streamName.split("?")[0]! : "";
    this.streamId = this.parserPacket.header.stream_id;
    if (key === "" || key.length > MAX_KEY_LENGTH) {
      this.refuse("A stream key has 1 to 512 characters.");
      throw new RtmpError("no stream key");
    }
    Object.assign(this, { streamName: "stream" }); // the base class names it in its answer
    this.streamKey = key;
  }

  override onPlay(): void {
    this.sendStatusMessage(
      this.parserPacket.header.stream_id,
      "error",
      "NetStream.Play.Failed",
      "Nothing is played here.",
    );
    throw new RtmpError("play");
  }

  override onDeleteStream(): void {
    this.isOver = this.streamKey !== null;
  }

  #acknowledge(bytes: number): void {
    this.#receivedBytes += bytes;
    const every = Math.max(1, Math.min(this.ackSize ?? ACK_BYTES, ACK_BYTES));
    if (this.#receivedBytes - this.#acknowledgedBytes < every) return;
    this.#acknowledgedBytes = this.#receivedBytes;
    this.sendACK(this.#receivedBytes % 2 ** 32);
  }
}

/** "live", "live/" and "live?x=1" are the same. */
const appOf = (app: string) => app.split("?")[0]!.replace(/^\/+|\/+$/g, "");
