/** Publishes FLV tags to an RTMP server over a connected socket. The server is as untrusted as a broadcaster. */
import type { Socket } from "node:net";
import { type Amf0Output, Amf0Reader, type Amf0Value, encodeAmf0 } from "../rtmp/protocol/amf0.ts";
import { ChunkReader, type RtmpMessage } from "../rtmp/protocol/chunk-reader.ts";
import { CHUNK_BYTES, chunksOf, controlOf } from "../rtmp/protocol/chunk-writer.ts";
import { clientGreeting, Handshake } from "../rtmp/protocol/handshake.ts";
import { DialError } from "./dial.ts";
import { type FlvTag, TAG } from "./flv-tags.ts";
import type { Destination } from "./target.ts";

/** Answers are short. */
const CHUNK_LIMITS = { messageBytes: 1 << 20, unfinishedBytes: 2 << 20, chunkStreams: 32 };
const COMMAND_CHUNK_STREAM = 3;
const CHUNK_STREAM: Record<number, number> = { [TAG.audio]: 4, [TAG.video]: 5, [TAG.script]: 6 };
const TYPE = { setChunkSize: 1, acknowledgement: 3, event: 4, windowSize: 5, commandAmf3: 17, command: 20 } as const;
const EVENT = { ping: 6, pong: 7 } as const;
const SET_DATA_FRAME = encodeAmf0("@setDataFrame");
const STATUS_CODE = /^Net(?:Connection|Stream)(?:\.[A-Za-z]{1,32}){1,3}$/;
/** Codes of refusals, for servers that send no level. */
const REFUSED = /Failed|BadName|Rejected|Error/;
/** Enhanced RTMP codecs announced in `connect` ("Enhancing RTMP, FLV"). */
const FOURCCS = ["hvc1", "av01", "vp09"];

interface Call {
  /** @param answer behind the transaction ID */
  resolve(answer: Amf0Reader): void;
  reject(error: DialError): void;
}

export class Publisher {
  /** Resolves with the cause when the server closes the connection, breaks off or rejects the stream. */
  readonly over: Promise<DialError>;
  readonly #connection: Socket;
  readonly #handshake = Handshake.ofClient();
  readonly #chunks = new ChunkReader(CHUNK_LIMITS);
  readonly #shaken = Promise.withResolvers<void>();
  readonly #started = Promise.withResolvers<void>();
  readonly #calls = new Map<number, Call>();
  #transactions = 0;
  #streamId = 0;
  #receivedBytes = 0;
  #acknowledgedBytes = 0;
  #ackBytes = Infinity;

  constructor(connection: Socket) {
    this.#connection = connection;
    const over = Promise.withResolvers<DialError>();
    this.over = over.promise;
    const end = (error: DialError) => {
      over.resolve(error);
      connection.destroy();
    };
    connection.on("data", (bytes: Buffer) => {
      try {
        this.#read(bytes, end);
      } catch {
        end(new DialError("refused", "The target does not answer in RTMP."));
      }
    });
    connection.once("close", () => end(new DialError("lost", "The target closed the connection.")));
    connection.on("error", () => {}); // close follows
  }

  /** Resolves when the server accepts the broadcast. @throws {DialError} */
  async publish({ app, tcUrl }: Destination, streamKey: string): Promise<void> {
    this.#write(clientGreeting());
    await this.#unlessOver(this.#shaken.promise);
    this.#write(controlOf(TYPE.setChunkSize, CHUNK_BYTES));
    const about = { app, type: "nonprivate", flashVer: "FMLE/3.0 (compatible; Sluice)", tcUrl, fourCcList: FOURCCS };
    await this.#call("connect", about);
    // Required by some servers. The answer is optional, so neither a refusal nor a missing answer is an error.
    this.#call("releaseStream", null, streamKey).catch(() => {});
    this.#call("FCPublish", null, streamKey).catch(() => {});
    const created = await this.#call("createStream", null);
    created.read(); // the command object: null
    const streamId = created.read();
    if (typeof streamId !== "number") throw new DialError("refused", "The target refused.");
    this.#streamId = streamId;
    // Most servers answer with a status alone.
    const answered = this.#call("publish", null, streamKey, "live").then(() => this.#started.promise);
    await this.#unlessOver(Promise.race([this.#started.promise, answered]));
  }

  /** Resolves when the socket can take the next tag or is closed. */
  async send({ type, timestampMs, data }: FlvTag): Promise<void> {
    const payload = type === TAG.script ? Buffer.concat([SET_DATA_FRAME, data]) : data;
    const message = chunksOf({ type, streamId: this.#streamId, timestampMs, payload }, CHUNK_STREAM[type] ?? 6);
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
    this.#send(0, "deleteStream", 0, null, this.#streamId);
    this.#connection.end();
    await this.over;
  }

  #read(bytes: Buffer, end: (error: DialError) => void): void {
    this.#receivedBytes += bytes.length;
    this.#chunks.push(
      this.#handshake.isComplete ? bytes : this.#handshake.read(bytes, (answer) => this.#write(answer)),
    );
    if (this.#handshake.isComplete) this.#shaken.resolve();
    for (let message = this.#chunks.next(); message !== null; message = this.#chunks.next()) this.#handle(message, end);
    if (this.#receivedBytes - this.#acknowledgedBytes < this.#ackBytes) return;
    this.#acknowledgedBytes = this.#receivedBytes;
    this.#write(controlOf(TYPE.acknowledgement, this.#receivedBytes % 2 ** 32));
  }

  #handle({ type, payload }: RtmpMessage, end: (error: DialError) => void): void {
    if (type === TYPE.command) this.#command(new Amf0Reader(payload), end);
    else if (type === TYPE.commandAmf3) this.#command(new Amf0Reader(payload.subarray(1)), end); // behind the format byte
    else if (type === TYPE.windowSize) this.#ackBytes = Math.max(1, payload.readUInt32BE());
    else if (type === TYPE.event && payload.readUInt16BE() === EVENT.ping) this.#pong(payload.subarray(2, 6));
  }

  #command(reader: Amf0Reader, end: (error: DialError) => void): void {
    const name = reader.read();
    const transactionId = reader.hasMore ? reader.read() : 0;
    if (name === "onStatus") this.#status(reader, end);
    if (name !== "_result" && name !== "_error") return;
    const call = typeof transactionId === "number" ? this.#calls.get(transactionId) : undefined;
    if (call === undefined) return;
    this.#calls.delete(transactionId as number);
    if (name === "_result") call.resolve(reader);
    else call.reject(new DialError("refused", "The target refused."));
  }

  #status(reader: Amf0Reader, end: (error: DialError) => void): void {
    reader.read(); // the command object: null
    const info = reader.hasMore ? reader.read() : null;
    const [code, level] = info instanceof Map ? [textOf(info.get("code")), textOf(info.get("level"))] : ["", ""];
    if (code === "NetStream.Publish.Start") this.#started.resolve();
    // The description may repeat the stream key, so only the code is kept.
    else if (level === "error" || REFUSED.test(code))
      end(new DialError("refused", STATUS_CODE.test(code) ? code : "The target refused."));
  }

  #pong(time: Buffer): void {
    const payload = Buffer.concat([Buffer.of(0, EVENT.pong), time]);
    this.#write(chunksOf({ type: TYPE.event, streamId: 0, timestampMs: 0, payload }, 2));
  }

  /** Resolves with the `_result`. @throws {DialError} */
  async #call(name: string, ...values: Amf0Output[]): Promise<Amf0Reader> {
    const transactionId = (this.#transactions += 1);
    const answer = new Promise<Amf0Reader>((resolve, reject) => this.#calls.set(transactionId, { resolve, reject }));
    this.#send(this.#streamId, name, transactionId, ...values); // 0 until the stream is created
    return await this.#unlessOver(answer);
  }

  #unlessOver = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, this.over.then((error) => Promise.reject(error))]);

  #send(streamId: number, ...values: Amf0Output[]): void {
    const message = { type: TYPE.command, streamId, timestampMs: 0, payload: encodeAmf0(...values) };
    this.#write(chunksOf(message, COMMAND_CHUNK_STREAM));
  }

  #write(bytes: Buffer): void {
    if (!this.#connection.destroyed) this.#connection.write(bytes);
  }
}

const textOf = (value: Amf0Value): string => (typeof value === "string" ? value : "");
