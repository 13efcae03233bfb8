/** Tests which unauthenticated connections are closed at the limit of a network. */
import { once } from "node:events";
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { boundedServer, SERVER_LIMITS } from "../../encoder/platform/bounded-server.ts";
import { ConnectionLimit, STEP } from "../../encoder/platform/connection-limit.ts";
import type { Listener } from "../../encoder/gateway/reception/incoming.ts";
import { openRtmpListener } from "../../encoder/gateway/rtmp/listener.ts";
import { untrustedCertificate } from "../support/untrusted-certificate.ts";
import { TestReception } from "./reception.ts";
import * as rtmp from "./rtmp-client.ts";
import { until } from "./until.ts";

/** A fraction of the gateway's own: a client has ten seconds to publish, and as many TLS handshakes as that limit takes can last longer on a busy machine. */
const RTMP_LIMIT = 32;
/** Below a quarter of the limit, so that none is closed before it has reached its step. */
const AT_A_TIME = 4;
const SERVER_BYTES = 1 + 2 * 1536; // S0, S1, S2

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});
const isOpen = (socket: Socket) => !socket.destroyed;
const closedOf = (sockets: Socket[]) => sockets.filter((socket) => socket.destroyed).length;

interface Peer {
  socket: Socket;
  heardBytes(): number;
}
function follow(socket: Socket): Peer {
  let bytes = 0;
  opened.push(socket.on("error", () => {}).on("data", (data: Buffer) => (bytes += data.length)));
  return { socket, heardBytes: () => bytes };
}

describe("connections from many addresses with the same port", () => {
  /** The sockets are real, but their remote addresses are set, since a host does not have a thousand of them. */
  const addressed = (server: Server, addressOf = ofOneSite) => {
    let count = 0;
    return server.prependListener("connection", (socket: Socket) => {
      Object.defineProperty(socket, "remoteAddress", { value: addressOf(++count) });
      Object.defineProperty(socket, "remotePort", { value: 50_000 });
    });
  };
  /** Each in a /64 of its own, all in one /48. */
  const ofOneSite = (n: number) => `2001:db8:1:${n.toString(16)}::1`;
  async function openMany(server: Server, count: number): Promise<{ sockets: Socket[]; accepted: Socket[] }> {
    const accepted: Socket[] = [];
    server.on("connection", (socket: Socket) => accepted.push(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const sockets = Array.from({ length: count }, () => follow(connectTcp(port, "127.0.0.1")).socket);
    await until(() => accepted.length === count);
    server.close();
    return { sockets, accepted };
  }

  test("HTTP: connections of one IPv6 /48 share one network limit", async () => {
    const server = addressed(
      boundedServer(
        () => false,
        () => {},
      ),
    );
    const { sockets, accepted } = await openMany(server, 500);
    await until(() => closedOf(sockets) === 500 - SERVER_LIMITS.unprovenOfNetwork);
    expect(accepted.filter(isOpen)).toHaveLength(SERVER_LIMITS.unprovenOfNetwork);
  });

  test("each connection stops counting when it closes or is proven", async () => {
    const limit = new ConnectionLimit({ total: 100, perNetwork: 3 });
    const server = addressed(createServer()).on("connection", (socket: Socket) => limit.add(socket));
    const { accepted } = await openMany(server, 3);
    limit.prove(accepted[0]!);
    accepted[1]!.destroy();
    await once(accepted[1]!, "close");
    const more = addressed(createServer()).on("connection", (socket: Socket) => limit.add(socket));
    const { accepted: later } = await openMany(more, 2);
    expect([...accepted, ...later].map(isOpen)).toEqual([true, false, true, true, true]);
  });

  /** Accepted one after another: those of site A, B and so on, in the order of the letters. */
  async function acceptFrom(limit: ConnectionLimit, sites: string): Promise<Socket[]> {
    const addressOf = (n: number) => `2001:db8:${sites.codePointAt(n - 1)!.toString(16)}:${n.toString(16)}::1`;
    const server = addressed(createServer(), addressOf).on("connection", (socket: Socket) => limit.add(socket));
    return (await openMany(server, sites.length)).accepted;
  }

  test("at the total limit, the network with most connections loses the one with the least progress", async () => {
    const limit = new ConnectionLimit({ total: 7, perNetwork: 5 });
    const first = await acceptFrom(limit, "AABBBBC");
    limit.prove(first[0]!);
    limit.advance(first[2]!, STEP.connected);
    const later = await acceptFrom(limit, "DE");
    expect(first.map(isOpen)).toEqual([true, true, true, false, false, true, true]);
    expect(later.map(isOpen)).toEqual([true, true]);
  });

  test("at the total limit, networks with one connection each lose the one with the least progress, not the oldest", async () => {
    const limit = new ConnectionLimit({ total: 4, perNetwork: 5 });
    const first = await acceptFrom(limit, "ABCD");
    limit.advance(first[0]!, STEP.handshakeComplete);
    await acceptFrom(limit, "E");
    expect(first.map(isOpen)).toEqual([true, false, true, true]);
  });

  test("at the total limit, no connection with an accepted key or a key being checked is closed", async () => {
    const limit = new ConnectionLimit({ total: 3, perNetwork: 5 });
    const first = await acceptFrom(limit, "AAB");
    limit.prove(first[0]!);
    for (const socket of first.slice(1)) limit.awaitDecision(socket);
    const [newcomer] = await acceptFrom(limit, "C");
    expect([...first, newcomer!].map(isOpen)).toEqual([true, true, true, false]);
    first[1]!.destroy();
    await once(first[1]!, "close");
    expect((await acceptFrom(limit, "C")).map(isOpen)).toEqual([true]);
  });
});

describe.each(["rtmp", "rtmps"] as const)("%s: at the limit per network", (protocol) => {
  let reception: TestReception;
  let listener: Listener;
  beforeEach(async () => {
    reception = new TestReception();
    const { key, cert } = untrustedCertificate();
    const tls = { key: key.toString(), cert: cert.toString() };
    listener = await openRtmpListener(
      { host: "127.0.0.1", port: 0, protocol, tls, maxUnprovenOfNetwork: RTMP_LIMIT },
      reception,
    );
  });
  afterEach(() => listener.close());

  const silent = async () => follow(connectTcp(listener.port, "127.0.0.1"));
  const dial = () =>
    follow(
      protocol === "rtmp"
        ? connectTcp(listener.port, "127.0.0.1")
        : connectTls({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false }),
    );
  const C0_C1 = rtmp.HANDSHAKE.subarray(0, 1537);
  const C2 = rtmp.HANDSHAKE.subarray(1537);
  const opening = () => Buffer.concat([rtmp.CHUNK_SIZE, rtmp.connectTo(listener.port), rtmp.CREATE_STREAM]);

  /** A client in the middle of its handshake. */
  async function shaking(): Promise<Peer> {
    const peer = dial();
    peer.socket.write(C0_C1);
    await until(() => peer.heardBytes() >= SERVER_BYTES);
    return peer;
  }
  /** A client that completes its handshake and then stays silent. */
  async function handshaken(): Promise<Peer> {
    const peer = await shaking();
    peer.socket.write(C2);
    return peer;
  }
  /** A client whose connect was answered and that has not sent a publish. */
  async function greeted(): Promise<Peer> {
    const peer = await shaking();
    peer.socket.write(Buffer.concat([C2, opening()]));
    await until(() => peer.heardBytes() > SERVER_BYTES + 100);
    return peer;
  }
  /** Opens this many connections, a few at a time, and waits for each to reach its step. */
  async function flood(open: () => Promise<Peer>, count: number): Promise<Socket[]> {
    const sockets: Socket[] = [];
    while (sockets.length < count) {
      const peers = await Promise.all(Array.from({ length: AT_A_TIME }, open));
      sockets.push(...peers.map(({ socket }) => socket));
      await until(() => sockets.every(({ connecting }) => !connecting));
    }
    return sockets;
  }

  test("silent connections are closed before a client in its handshake, which is admitted", async () => {
    const honest = await shaking();
    const sockets = await flood(silent, 3 * RTMP_LIMIT);
    await until(() => closedOf(sockets) >= 2 * RTMP_LIMIT);
    expect(isOpen(honest.socket)).toBe(true);
    honest.socket.write(Buffer.concat([C2, opening(), rtmp.publish("honest")]));
    await reception.begun("honest");
  });

  test("connections with a complete handshake are closed before a client whose connect was answered, which is admitted", async () => {
    const honest = await greeted();
    const sockets = await flood(handshaken, 2 * RTMP_LIMIT);
    await until(() => closedOf(sockets) >= RTMP_LIMIT);
    expect(isOpen(honest.socket)).toBe(true);
    honest.socket.write(rtmp.publish("honest"));
    await reception.begun("honest");
  });

  test("connections in their handshake are closed before a client that has completed it, which is admitted", async () => {
    const honest = await greeted();
    const sockets = await flood(shaking, 2 * RTMP_LIMIT);
    await until(() => closedOf(sockets) >= RTMP_LIMIT);
    expect(isOpen(honest.socket)).toBe(true);
    honest.socket.write(rtmp.publish("honest"));
    await reception.begun("honest");
  });

  test("a new connection is admitted although all others have completed their handshakes", async () => {
    const waiting = await flood(greeted, RTMP_LIMIT);
    const newcomer = await silent();
    await until(() => !newcomer.socket.connecting);
    const more = await flood(silent, AT_A_TIME);
    await until(() => closedOf(waiting) === more.length + 1);
    expect(isOpen(newcomer.socket)).toBe(true);
    expect(closedOf(more)).toBe(0);
  });

  test("a client whose key is being checked is never closed", async () => {
    const gate = Promise.withResolvers<void>();
    reception.gate = gate.promise;
    const honest = await greeted();
    honest.socket.write(rtmp.publish("honest"));
    await until(() => reception.asked.length === 1);
    const sockets = await flood(greeted, 2 * RTMP_LIMIT);
    await until(() => closedOf(sockets) >= RTMP_LIMIT);
    gate.resolve();
    await reception.begun("honest");
    expect(isOpen(honest.socket)).toBe(true);
  });
});

test("HTTP: silent connections are closed before one that is sending its headers", async () => {
  const server = boundedServer(
    ({ headers }) => headers.authorization === "Bearer known",
    (_, response) => response.end("welcome"),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const honest = follow(connectTcp(port, "127.0.0.1"));
  const received = once(server, "connection") as Promise<[Socket]>;
  honest.socket.write("GET / HTTP/1.1\r\n");
  const [accepted] = await received;
  await until(() => accepted.bytesRead > 0);
  const silent = Array.from({ length: 3 * SERVER_LIMITS.unprovenOfNetwork }, () =>
    follow(connectTcp(port, "127.0.0.1")),
  );
  await until(() => closedOf(silent.map(({ socket }) => socket)) >= 2 * SERVER_LIMITS.unprovenOfNetwork);
  honest.socket.write("Host: x\r\nAuthorization: Bearer known\r\n\r\n");
  await until(() => honest.heardBytes() > 0);
  expect(isOpen(honest.socket)).toBe(true);
  server.close();
});
