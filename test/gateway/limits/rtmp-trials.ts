/** Limits of one RTMP connection. */
import { Duplex } from "node:stream";
import type { Socket } from "node:net";
import { vi } from "vitest";
import { serveRtmp } from "../../../encoder/gateway/rtmp/connection.ts";
import { PublishProtocol } from "../../../encoder/gateway/rtmp/publish-protocol.ts";
import { TAKEN, until, upTo } from "../../support/limits/trials.ts";
import { TestReception } from "../reception.ts";
import * as rtmp from "../rtmp-client.ts";

const PORT = 1935;
const CHUNK_HEADER_BYTES = 12;
const CHUNK_SIZE = rtmp.setChunkSize(0xffffff);

/** @returns `closed` when these bytes end the connection */
function read(...bytes: Buffer[]): string {
  const protocol = new PublishProtocol(() => {});
  try {
    for (const one of [rtmp.HANDSHAKE, ...bytes]) {
      protocol.read(one);
      if (protocol.askedKey !== null) protocol.accept();
      if (protocol.hasUnpublished) protocol.next();
      protocol.readOn();
    }
    return TAKEN;
  } catch {
    return "closed";
  }
}
const times = (count: number, make: (n: number) => Buffer) => Array.from({ length: count }, (_, n) => make(n));
const connect = rtmp.connectTo(PORT);
const published = (...bytes: Buffer[]) => read(CHUNK_SIZE, connect, rtmp.CREATE_STREAM, rtmp.publish("key"), ...bytes);
/** The first chunk of a longer message. */
const CHUNK_SIZE_1 = rtmp.setChunkSize(1);
const begun = (length: number, stream = 4) => rtmp.chunk(9, Buffer.alloc(1), { length, stream });

/** A peer that sends the given bytes and reads nothing. */
class DeafPeer extends Duplex {
  readonly remoteAddress = "192.0.2.1";
  readonly remotePort = 50_000;
  /** Unread bytes after each answer. */
  readonly unreadBytes: number[] = [];
  override _read(): void {}
  override _write(): void {} // never completes
  override write(bytes: Buffer): boolean {
    const isTaken = super.write(bytes);
    this.unreadBytes.push(this.writableLength);
    return isTaken;
  }
}
function serve(): { peer: DeafPeer; served: Promise<void>; reception: TestReception } {
  const [peer, reception] = [new DeafPeer(), new TestReception()];
  const served = serveRtmp(peer as unknown as Socket, "rtmp", reception, {
    advance() {},
    awaitDecision() {},
    prove() {},
  });
  return { peer, served, reception };
}

/** Whether a connection is closed after this time without more input. @param first bytes sent before */
async function silent(ms: number, first: Buffer, isReady: (reception: TestReception) => boolean): Promise<string> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { peer, served, reception } = serve();
    peer.push(first);
    while (!isReady(reception)) await new Promise((done) => setImmediate(done));
    vi.advanceTimersByTime(ms);
    const verdict = peer.destroyed ? "closed" : TAKEN;
    peer.destroy();
    await served;
    return verdict;
  } finally {
    vi.useRealTimers();
  }
}

export const RTMP_TRIALS = {
  "rtmp-bytes-before-publish": upTo((bytes) => {
    const [first, second] = [0, 60_000].map((length) => rtmp.chunk(9, Buffer.alloc(length)));
    const rest = bytes - CHUNK_SIZE.length - first!.length - second!.length - CHUNK_HEADER_BYTES;
    return read(CHUNK_SIZE, first!, second!, rtmp.chunk(9, Buffer.alloc(rest)));
  }),
  "rtmp-commands-before-publish": upTo((count) =>
    read(CHUNK_SIZE, connect, ...times(count - 1, () => rtmp.CREATE_STREAM)),
  ),
  "rtmp-connects": upTo((count) => read(CHUNK_SIZE, ...times(count, () => connect))),
  "rtmp-command": upTo((bytes) => {
    const name = Buffer.from("\u0002\u0000\u0004none", "latin1");
    return published(rtmp.chunk(20, Buffer.concat([name, Buffer.alloc(bytes - name.length)])));
  }),
  "rtmp-message": upTo((bytes) => published(begun(bytes))),
  "rtmp-unfinished-messages": upTo((bytes) => {
    const largest = 8 << 20;
    const messages = [largest, largest, bytes - 2 * largest - 1, 1]; // the last one is complete, but not before it has begun
    return published(CHUNK_SIZE_1, ...messages.map((length, n) => begun(length, 10 + n)));
  }),
  "rtmp-chunk-streams": upTo((count) => {
    const used = 2; // control and commands
    return published(CHUNK_SIZE_1, ...times(count - used, (n) => begun(2, 10 + n)));
  }),
  "rtmp-publishes": upTo((count) =>
    read(CHUNK_SIZE, connect, ...times(2 * count, (n) => (n % 2 === 0 ? rtmp.publish("key") : rtmp.closeStream()))),
  ),
  "rtmp-stream-key": upTo((length) => read(CHUNK_SIZE, connect, rtmp.publish("k".repeat(length)))),
  "rtmp-unread-answers": async (bound: number) => {
    const { peer, served, reception } = serve();
    peer.push(rtmp.opening(PORT, "deaf"));
    await reception.begun("deaf");
    const commands = Buffer.concat(times(500, () => rtmp.CREATE_STREAM));
    while (!peer.destroyed) {
      peer.push(commands);
      await new Promise((done) => setImmediate(done));
    }
    await served;
    // The last answer is the one that closed the connection.
    const [last = 0, before = 0] = peer.unreadBytes.toReversed();
    const answerBytes = last - before;
    return {
      atBound: before <= bound && bound - before < answerBytes ? TAKEN : "closed",
      above: last > bound ? "closed" : TAKEN,
    };
  },
  "rtmp-time-to-publish": until((ms) => silent(ms, rtmp.HANDSHAKE, () => true)),
  "rtmp-time-to-publish-again": until((ms) =>
    silent(
      ms,
      Buffer.concat([rtmp.opening(PORT, "key"), rtmp.closeStream()]),
      ({ broadcasts }) => broadcasts.some(({ isOver }) => isOver) && vi.getTimerCount() > 0,
    ),
  ),
  "rtmp-silence": until((ms) => silent(ms, rtmp.opening(PORT, "key"), ({ broadcasts }) => broadcasts.length > 0)),
};
