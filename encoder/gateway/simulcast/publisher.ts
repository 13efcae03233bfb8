/** Publishes FLV tags to an RTMP server over a connected socket. */
import type { Socket } from "node:net";
import logger from "node-media-server/src/core/logger.js";
import Rtmp from "node-media-server/src/protocol/rtmp.js";
import RtmpClient from "node-media-server/src/protocol/rtmp_client.js";
import { DialError } from "./dial.ts";
import { type FlvTag, TAG } from "./flv-tags.ts";
import type { Destination } from "./target.ts";

const MAX_ANSWER_BYTES = 1 << 20;
const CHUNK_STREAM: Record<number, number> = { [TAG.audio]: 4, [TAG.video]: 5, [TAG.script]: 6 };
const SET_DATA_FRAME = Buffer.concat([Buffer.from([2, 0, 13]), Buffer.from("@setDataFrame")]);
const STATUS_CODE = /^Net(?:Connection|Stream)(?:\.[A-Za-z]{1,32}){1,3}$/;
/** Enhanced RTMP codecs announced in `connect` ("Enhancing RTMP, FLV"). */
const FOURCCS = ["hvc1", "av01", "vp09"];

logger.log = () => {};

export class Publisher extends RtmpClient {
  /** Resolves with the cause when the server closes the connection, breaks off or rejects the stream. */
  readonly over: Promise<DialError>;
  readonly #connection: Socket;

  constructor(connection: Socket) {
    super();
    this.flv = null;
    this.socket = connection;
    this.#connection = connection;
    const over = Promise.withResolvers<DialError>();
    this.over = over.promise;
    const end = (error: DialError) => {
      this.rejectAllPending(error);
      over.resolve(error);
      connection.destroy();
    };
    connection.on("data", (bytes: Buffer) => {
      try {
        this.handleData(bytes);
      } catch {
        end(new DialError("refused", "The target does not answer in RTMP."));
      }
    });
    connection.once("close", () => end(new DialError("lost", "The target closed the connection.")));
    connection.on("error", () => {}); // close follows
    this.onErrorCallback = () => end(new DialError("refused", "The target does not answer in RTMP."));
    // The description may repeat the stream key, so only the code is kept.
    this.onStatusCallback = (code, { level }) => {
      if (level === "error") end(new DialError("refused", STATUS_CODE.test(code) ? code : "The target refused."));
    };
  }

  /** Resolves when the server accepts the broadcast. @throws {DialError} */
  async publish({ app, tcUrl }: Destination, streamKey: string): Promise<void> {
    const handshake = new Promise<void>((resolve) => (this.onHandshakeCallback = resolve));
    this.sendClientHandshake();
    try {
      await Promise.race([handshake, this.over.then((error) => Promise.reject(error))]);
      this.setChunkSize(this.outChunkSize);
      const fourCcList = Object.assign([...FOURCCS], { sarray: true });
      const about = { app, type: "nonprivate", flashVer: "FMLE/3.0 (compatible; Sluice)", tcUrl, fourCcList };
      await this.sendCommand("connect", { cmdObj: about });
      const name = { cmdObj: null, streamName: streamKey };
      // Required by some servers. The answer is optional, so neither a refusal nor a missing answer is an error.
      this.sendCommand("releaseStream", name).catch(() => {});
      this.sendCommand("FCPublish", name).catch(() => {});
      await this.sendCreateStream();
      await this.sendPublish(streamKey);
    } catch (error) {
      throw error instanceof DialError ? error : new DialError("refused", "The target refused.");
    }
  }

  /** Resolves when the socket can take the next tag or is closed. */
  async send(tag: FlvTag): Promise<void> {
    const payload = tag.type === TAG.script ? Buffer.concat([SET_DATA_FRAME, tag.data]) : tag.data;
    const message = Rtmp.chunksCreate({
      header: {
        fmt: 0,
        cid: CHUNK_STREAM[tag.type] ?? 6,
        timestamp: tag.timestampMs,
        length: payload.length,
        type: tag.type,
        stream_id: this.streamId,
      },
      payload,
    });
    if (this.#connection.destroyed || this.#connection.write(message)) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        this.#connection.off("drain", go).off("close", go);
        resolve();
      };
      this.#connection.on("drain", go).on("close", go);
    });
  }

  /** Deletes the stream; resolves when everything is sent. */
  async close(): Promise<void> {
    if (this.#connection.destroyed) return;
    this.sendInvokeMessage(0, { cmd: "deleteStream", transId: 0, cmdObj: null, streamId: this.streamId });
    this.#connection.end();
    await this.over;
  }

  override packetParse(): void {
    super.packetParse();
    const { header, bytes } = this.parserPacket;
    if ((bytes > 0 && header.fmt !== 3) || header.length > MAX_ANSWER_BYTES) throw new Error("malformed RTMP");
  }
}
