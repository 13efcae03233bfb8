/** An RTMP client that sends arbitrary bytes, including invalid ones. */
import { connect, type Socket } from "node:net";

const HANDSHAKE_BYTES = 1536;

export const number = (value: number) => {
  const bytes = Buffer.alloc(9);
  bytes.writeDoubleBE(value, 1);
  return bytes;
};
const bare = (text: string) => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
};
export const string = (text: string) => Buffer.concat([Buffer.of(2), bare(text)]);
export const object = (fields: Record<string, string>) =>
  Buffer.concat([
    Buffer.of(3),
    ...Object.entries(fields).flatMap(([name, value]) => [bare(name), string(value)]),
    Buffer.of(0, 0, 9),
  ]);
export const NULL = Buffer.of(5);

/** A chunk with a full header (RTMP 1.0 §5.3.1.2.1); the message length may exceed the bytes that are sent. */
export function chunk(
  type: number,
  payload: Buffer,
  { length = payload.length, stream = 3, message = 1, time = 0 } = {},
): Buffer {
  const header = Buffer.alloc(12);
  header[0] = stream;
  header.writeUIntBE(Math.min(time, 0xffffff), 1, 3);
  header.writeUIntBE(length, 4, 3);
  header[7] = type;
  header.writeUInt32LE(message, 8);
  const extended = Buffer.alloc(time < 0xffffff ? 0 : 4);
  if (extended.length > 0) extended.writeUInt32BE(time);
  return Buffer.concat([header, extended, payload]);
}
const chunkSize = (bytes: number) => {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(bytes);
  return chunk(1, value, { stream: 2, message: 0 });
};
/** @param message stream that the command is about; 0 = the connection */
export const commandOn = (message: number, ...values: Buffer[]) => chunk(20, Buffer.concat(values), { message });
const command = (...values: Buffer[]) => commandOn(1, ...values);

export const HANDSHAKE = Buffer.concat([Buffer.of(3), Buffer.alloc(2 * HANDSHAKE_BYTES)]);
export const CHUNK_SIZE = chunkSize(60_000);
export const setChunkSize = chunkSize;
export const connectTo = (port: number, app = "live") =>
  command(string("connect"), number(1), object({ app, tcUrl: `rtmp://127.0.0.1:${port}/${app}` }));
export const CREATE_STREAM = command(string("createStream"), number(2), NULL);
export const publish = (key: string) => command(string("publish"), number(3), NULL, string(key), string("live"));
/** The commands of Flash Media Live Encoder, and what ends a broadcast. */
export const called = (name: string, transactionId: number, ...values: Buffer[]) =>
  commandOn(0, string(name), number(transactionId), NULL, ...values);
export const closeStream = (message = 1) => commandOn(message, string("closeStream"), number(0), NULL);
export const deleteStream = (streamId: number) => called("deleteStream", 0, number(streamId));
export const fcUnpublish = (key: string) => called("FCUnpublish", 6, string(key));
export const play = (key: string) => command(string("play"), number(3), NULL, string(key));
export const picture = (bytes: number) => chunk(9, Buffer.concat([Buffer.of(0x17, 1, 0, 0, 0), Buffer.alloc(bytes)]));

export class RtmpClient {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  heard = "";

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.on("error", () => {}); // most tests expect a disconnect
    this.socket.on("data", (bytes: Buffer) => (this.heard += bytes.toString("latin1")));
    this.closed = new Promise((resolve) => this.socket.once("close", resolve));
  }

  send(...bytes: Buffer[]): this {
    this.socket.write(Buffer.concat(bytes));
    return this;
  }
}

/** All commands before media, in one write. */
export const opening = (port: number, key: string) =>
  Buffer.concat([HANDSHAKE, CHUNK_SIZE, connectTo(port), CREATE_STREAM, publish(key)]);
