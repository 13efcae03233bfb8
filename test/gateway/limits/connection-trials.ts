/** Connections to the listeners of encoder and gateway, on real sockets from many addresses, because each network may have only 64 or 128. */
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { SERVER_LIMITS } from "../../../encoder/platform/bounded-server.ts";
import { PushService } from "../../../encoder/gateway/reception/push-service.ts";
import { openRtmpListener, TLS_HANDSHAKE_MS } from "../../../encoder/gateway/rtmp/listener.ts";
import { encoderServer } from "../../../encoder/http.ts";
import { ImagePool } from "../../../encoder/images/image-pool.ts";
import { JobQueue } from "../../../encoder/jobs/job-queue.ts";
import { type Outcome, TAKEN, upTo, waited } from "../../support/limits/trials.ts";
import { untrustedCertificate } from "../../support/untrusted-certificate.ts";
import { TestReception } from "../reception.ts";
import { until } from "../until.ts";

const SECRET = "secret of the tests of the limits page";
const PER_ADDRESS = 50;
const BACKLOG = 200;

interface Peer {
  socket: Socket;
  isClosed: boolean;
  heard: string;
}
async function open(port: number, count: number, addressOf: (n: number) => string): Promise<Peer[]> {
  const peers = Array.from({ length: count }, (_, n): Peer => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: addressOf(n) }).on("error", () => {});
    const peer: Peer = { socket, isClosed: false, heard: "" };
    socket.on("data", (bytes: Buffer) => (peer.heard += bytes.toString("latin1")));
    socket.once("close", () => (peer.isClosed = true));
    return peer;
  });
  await until(() => peers.every(({ socket }) => !socket.connecting));
  return peers;
}
/** This many connections from many addresses, of which the newest is served. Opens a few at a time, because the backlog is short. */
async function many(port: number, count: number, request: Buffer): Promise<string> {
  const peers: Peer[] = [];
  while (peers.length < count)
    peers.push(...(await open(port, Math.min(BACKLOG, count - peers.length), (n) => spread(peers.length + n))));
  const newest = peers.at(-1)!;
  newest.socket.write(request);
  await until(() => newest.isClosed || newest.heard !== "");
  await new Promise((done) => setImmediate(done));
  const verdict = newest.isClosed ? "newest" : peers.some(({ isClosed }) => isClosed) ? "closed" : TAKEN;
  for (const { socket } of peers) socket.destroy();
  return verdict;
}
const spread = (n: number) => `127.0.0.${2 + Math.floor(n / PER_ADDRESS)}`;
const same = () => "127.0.0.2";

async function withServer<T>(use: (port: number) => Promise<T>): Promise<T> {
  const limits = { ...SERVER_LIMITS, headersMs: 600_000 };
  const server: Server = encoderServer(
    [SECRET],
    new JobQueue({ capacity: 0, queue: 0 }),
    new PushService(SECRET, 1),
    new ImagePool(),
    limits,
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
async function withRtmp<T>(use: (port: number) => Promise<T>): Promise<T> {
  const listener = await openRtmpListener({ host: "127.0.0.1", port: 0, protocol: "rtmp" }, new TestReception());
  try {
    return await use(listener.port);
  } finally {
    await listener.close();
  }
}

/** @returns `closed` when the server closes one of this many connections */
async function held(port: number, count: number, addressOf: (n: number) => string): Promise<string> {
  const peers = await open(port, count, addressOf);
  // The server has handled all of them once it has closed a later one.
  const [last] = await open(port, 1, () => "127.0.0.200");
  last!.socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => last!.isClosed);
  await new Promise((done) => setImmediate(done));
  const verdict = peers.some(({ isClosed }) => isClosed) ? "closed" : TAKEN;
  for (const { socket } of peers) socket.destroy();
  return verdict;
}

async function post(bytes: number): Promise<string> {
  return await withServer(async (port) => {
    const job = {
      jobId: "j",
      assetId: "a",
      attempt: 1,
      kind: "probe",
      callbackUrl: "http://127.0.0.1:9/internal/jobs/j",
      token: "t",
      expiresAt: Date.now() + 60_000,
      leaseMs: 10_000,
      clip: { startMs: 0, endMs: null },
    };
    const answer = await fetch(`http://127.0.0.1:${port}/jobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${SECRET}` },
      body: JSON.stringify(job).padEnd(bytes),
    });
    return answer.status === 422 ? "422" : TAKEN; // 429: this queue accepts no job
  });
}

/** Whether a silent peer is closed between half and twice a deadline. */
async function deadline(bound: number, port: number, first: string): Promise<Outcome> {
  const [peer] = await open(port, 1, same);
  peer!.socket.write(first);
  await new Promise((done) => setTimeout(done, bound / 2));
  const atBound = peer!.isClosed ? "closed" : TAKEN;
  const answerOf = () => /^HTTP\/1.1 (\d+)/.exec(peer!.heard)?.[1] ?? "closed";
  const isLate = new Promise<string>((done) => setTimeout(() => done(TAKEN), 1.5 * bound).unref());
  const above = await Promise.race([isLate, once(peer!.socket, "close").then(answerOf)]);
  peer!.socket.destroy();
  return { atBound, above };
}

const RTMP_HANDSHAKE = Buffer.concat([Buffer.of(3), Buffer.alloc(2 * 1536)]);
const HEALTH = Buffer.from(`GET /health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SECRET}\r\n\r\n`);

export const CONNECTION_TRIALS = {
  "rtmp-connections-of-address": upTo((count) => withRtmp((port) => held(port, count, same))),
  "rtmp-connections": upTo((count) => withRtmp((port) => many(port, count, RTMP_HANDSHAKE))),
  "http-connections-of-address": upTo((count) => withServer((port) => held(port, count, same))),
  "http-connections": upTo((count) => withServer((port) => many(port, count, HEALTH))),
  "encoder-job": upTo(post),
  "http-headers": waited(async (bound: number) => {
    if (bound !== SERVER_LIMITS.headersMs) throw new Error("the server has a different time limit");
    const queue = new JobQueue({ capacity: 0, queue: 0 });
    const server = encoderServer([SECRET], queue, new PushService(SECRET, 1), new ImagePool());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const outcome = await deadline(bound, (server.address() as AddressInfo).port, "GET /health HTTP/1.1\r\nHo");
    server.close();
    return outcome;
  }),
  "rtmps-handshake": waited(async (bound: number) => {
    if (bound !== TLS_HANDSHAKE_MS) throw new Error("the listener has a different time limit");
    const { key, cert } = untrustedCertificate();
    const tls = { key: key.toString(), cert: cert.toString() };
    const options = { host: "127.0.0.1", port: 0, protocol: "rtmps", tls } as const;
    const listener = await openRtmpListener(options, new TestReception());
    const outcome = await deadline(bound, listener.port, "\u0016\u0003\u0001");
    await listener.close();
    return outcome;
  }),
};
