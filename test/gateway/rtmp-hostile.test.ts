/** Tests the RTMP listener against unauthenticated clients and broadcasters that do not read. */
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Listener } from "../../encoder/gateway/reception/incoming.ts";
import { openRtmpListener } from "../../encoder/gateway/rtmp/listener.ts";
import { untrustedCertificate } from "../support/untrusted-certificate.ts";
import { TestReception } from "./reception.ts";
import * as rtmp from "./rtmp-client.ts";
import { RtmpClient } from "./rtmp-client.ts";
import { until } from "./until.ts";

let reception: TestReception;
let listener: Listener;

beforeEach(async () => {
  reception = new TestReception();
  listener = await openRtmpListener({ host: "127.0.0.1", port: 0, protocol: "rtmp" }, reception);
});
afterEach(() => listener.close());

const uint = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};
const bare = (text: string) => Buffer.concat([uint(text.length, 2), Buffer.from(text)]);
const string = (text: string) => Buffer.concat([Buffer.of(2), bare(text)]);
const ONE = Buffer.from("003ff0000000000000", "hex");
const NAN = Buffer.from("007ff8000000000000", "hex");
const ARRAY = Buffer.concat([Buffer.of(10), uint(57_000, 4), Buffer.alloc(57_000, 5)]);

/** A `connect` with this object encoding and transaction ID, both AMF0. */
const connectWith = (objectEncoding: Buffer, transactionId = ONE) =>
  rtmp.chunk(
    20,
    Buffer.concat([
      string("connect"),
      transactionId,
      Buffer.of(3),
      bare("app"),
      string("live"),
      bare("objectEncoding"),
      objectEncoding,
      Buffer.of(0, 0, 9),
    ]),
  );

/** Bytes sent after the handshake, the answer to them, and whether the listener closes the connection. */
async function exchange(...bytes: Buffer[]): Promise<{ answered: number; processorMs: number }> {
  const client = new RtmpClient(listener.port).send(rtmp.HANDSHAKE, rtmp.CHUNK_SIZE);
  await until(() => client.heard.length === rtmp.HANDSHAKE.length);
  const before = process.cpuUsage();
  client.send(...bytes);
  await Promise.race([client.closed, until(() => client.heard.includes("NetConnection.Connect.Success"))]);
  const { user, system } = process.cpuUsage(before);
  client.socket.destroy();
  return { answered: client.heard.length - rtmp.HANDSHAKE.length, processorMs: (user + system) / 1000 };
}

describe("before a publish", () => {
  const HOSTILE: [string, () => Buffer[]][] = [
    ["an array of 57,000 as object encoding", () => [connectWith(ARRAY)]],
    ["an array of 57,000 as transaction ID", () => [connectWith(ONE, ARRAY)]],
    [
      "an array of 57,000 as transaction ID of createStream",
      () => [rtmp.chunk(20, Buffer.concat([string("createStream"), ARRAY]))],
    ],
    ["a text as object encoding", () => [connectWith(string("x".repeat(50_000)))]],
    ["a transaction ID that is not a number", () => [connectWith(ONE, NAN)]],
    ["object encoding 1", () => [connectWith(ONE)]],
  ];
  test.each(HOSTILE)(
    "%s is not echoed: the connection is closed, and the answer is shorter than the input",
    async (_, make) => {
      const bytes = make();
      const { answered } = await exchange(...bytes);
      expect(answered).toBe(0);
      expect(reception.asked).toEqual([]);
    },
  );

  test("a connect of 57 KB costs no more than a few plain ones", async () => {
    const cost = async (bytes: Buffer) => {
      const costs = [];
      for (let round = 0; round < 7; round++) costs.push((await exchange(bytes)).processorMs);
      return Math.min(...costs);
    };
    await cost(rtmp.connectTo(listener.port)); // the code is compiled
    const plain = await cost(rtmp.connectTo(listener.port));
    expect(await cost(connectWith(ARRAY))).toBeLessThan(plain * 8);
  });

  test("a second connect closes the connection", async () => {
    const client = new RtmpClient(listener.port).send(rtmp.HANDSHAKE, rtmp.CHUNK_SIZE);
    client.send(rtmp.connectTo(listener.port), rtmp.connectTo(listener.port));
    await client.closed;
    expect(client.heard.split("NetConnection.Connect.Success")).toHaveLength(2);
  });

  test.each([
    ["32 commands are answered, connect among them, and the 33rd closes the connection", () => rtmp.CREATE_STREAM, 31],
    ["64 KiB of messages that are not commands close it", () => rtmp.chunk(9, Buffer.alloc(30_000)), 0],
    ["64 KiB of empty messages close it", () => rtmp.chunk(9, Buffer.alloc(0)), 0],
  ])("%s", async (_, make, answers) => {
    const client = new RtmpClient(listener.port).send(rtmp.HANDSHAKE, rtmp.CHUNK_SIZE, rtmp.connectTo(listener.port));
    client.send(...Array.from({ length: Math.ceil(70_000 / make().length) }, make));
    await client.closed;
    expect(client.heard.split("_result").length - 2).toBe(answers);
    expect(reception.asked).toEqual([]);
  });
});

test.each(["rtmp", "rtmps"] as const)(
  "%s: a broadcaster that does not read its answers is disconnected",
  async (protocol) => {
    const { key, cert } = untrustedCertificate();
    const tls = { key: key.toString(), cert: cert.toString() };
    const other = await openRtmpListener({ host: "127.0.0.1", port: 0, protocol, tls }, reception);
    try {
      const socket =
        protocol === "rtmp"
          ? new RtmpClient(other.port).socket
          : connectTls({ port: other.port, host: "127.0.0.1", rejectUnauthorized: false }).on("error", () => {});
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.pause();
      socket.write(rtmp.opening(other.port, "deaf"));
      await reception.begun("deaf");
      const commands = Buffer.concat(Array.from({ length: 2000 }, () => rtmp.CREATE_STREAM));
      let sentBytes = 0;
      for (; !socket.destroyed && sentBytes < 64 << 20; sentBytes += commands.length)
        if (!socket.write(commands)) await Promise.race([closed, new Promise((done) => socket.once("drain", done))]);
      expect(sentBytes).toBeLessThan(64 << 20); // the socket buffers of both sides hold a fraction of it
      await until(() => reception.broadcasts[0]!.isOver);
    } finally {
      await other.close();
    }
  },
);

test("connections without a key are limited per address: the oldest is closed for a new one, and a broadcaster is admitted", async () => {
  const idle = Array.from({ length: 128 }, () => new RtmpClient(listener.port).send(rtmp.HANDSHAKE));
  await until(() => idle.every(({ heard }) => heard.length === rtmp.HANDSHAKE.length));
  const good = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "good"), rtmp.picture(100));
  const broadcast = await reception.begun("good");
  await idle[0]!.closed;
  expect(idle.filter(({ socket }) => socket.closed)).toHaveLength(1);
  // An admitted broadcaster does not count and is never closed.
  const more = Array.from({ length: 200 }, () => new RtmpClient(listener.port).send(rtmp.HANDSHAKE));
  await Promise.all(idle.map(({ closed }) => closed));
  good.send(rtmp.picture(5000));
  await until(() => Buffer.concat(broadcast.chunks).length > 5000);
  for (const { socket } of [good, ...more]) socket.destroy();
});
