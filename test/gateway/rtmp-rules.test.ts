import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { PublishProtocol } from "../../encoder/gateway/rtmp/publish-protocol.ts";
import * as rtmp from "./rtmp-client.ts";

const HANDSHAKE_BYTES = 3073;
const PACKET_BYTES = 1536;

test("parsing a session with arbitrary corruption terminates in bounded memory", () => {
  const session = Buffer.concat([
    rtmp.opening(1935, "key"),
    rtmp.picture(300),
    rtmp.setChunkSize(128),
    rtmp.picture(120),
    rtmp.chunk(18, Buffer.from("02000a6f6e4d65746144617461", "hex")),
    rtmp.picture(50),
  ]);
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48271) % 0x7fffffff) % below;
  const outcomes = { whole: 0, broken: 0 };
  let mostBytes = 0;
  for (let round = 0; round < 500; round++) {
    const mangled = Buffer.from(session);
    for (let edits = random(5); edits > 0; edits--)
      mangled[HANDSHAKE_BYTES + random(mangled.length - HANDSHAKE_BYTES)] = random(256);
    const protocol = new PublishProtocol(() => {});
    let heldBytes = 0;
    try {
      for (let at = 0, size = 0; at < mangled.length; at += size) {
        size = 1 + random(700);
        protocol.read(mangled.subarray(at, at + size));
        if (protocol.askedKey !== null) protocol.accept();
        protocol.readOn();
        heldBytes = Math.max(heldBytes, protocol.heldBytes);
      }
      outcomes.whole += 1;
    } catch {
      outcomes.broken += 1;
    }
    mostBytes = Math.max(mostBytes, heldBytes);
  }
  expect(mostBytes).toBeLessThan(2 * session.length); // whatever lengths are declared
  expect(Math.min(outcomes.whole, outcomes.broken)).toBeGreaterThan(50);
});

describe("the handshake", () => {
  const answerTo = (packet: Buffer) => {
    const answers: Buffer[] = [];
    const protocol = new PublishProtocol((bytes) => answers.push(bytes));
    const hello = Buffer.concat([Buffer.of(3), packet, Buffer.alloc(PACKET_BYTES)]);
    for (const byte of hello) protocol.read(Buffer.of(byte));
    expect(protocol.isHandshakeComplete).toBe(true);
    const answer = Buffer.concat(answers);
    expect([answer.length, answer[0]]).toEqual([HANDSHAKE_BYTES, 3]);
    return [answer.subarray(1, 1 + PACKET_BYTES), answer.subarray(1 + PACKET_BYTES)] as const;
  };
  const sign = (bytes: Buffer, key: string | Buffer) => createHmac("sha256", key).update(bytes).digest();
  const placeOf = (packet: Buffer, at: number) => {
    const digestAt = at + 4 + ([0, 1, 2, 3].reduce((sum, n) => sum + packet[at + n]!, 0) % 728);
    return [digestAt, Buffer.concat([packet.subarray(0, digestAt), packet.subarray(digestAt + 32)])] as const;
  };

  test("returns an unsigned packet to its sender", () => {
    const packet = Buffer.concat([Buffer.alloc(8), randomBytes(PACKET_BYTES - 8)]);
    expect(answerTo(packet)[1].equals(packet)).toBe(true);
  });

  test.each([8, 772])("signs the answer to a packet that is signed, with the digest's place at byte %i", (at) => {
    const packet = Buffer.concat([Buffer.from([0, 0, 0, 0, 9, 0, 124, 2]), randomBytes(PACKET_BYTES - 8)]);
    const [digestAt, rest] = placeOf(packet, at);
    const digest = sign(rest, "Genuine Adobe Flash Player 001");
    digest.copy(packet, digestAt);
    const [first, second] = answerTo(packet);
    const [serverDigestAt, serverRest] = placeOf(first, at);
    const serverKey = "Genuine Adobe Flash Media Server 001";
    expect(first.subarray(serverDigestAt, serverDigestAt + 32).equals(sign(serverRest, serverKey))).toBe(true);
    const tail = Buffer.from("f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae", "hex");
    const key = sign(digest, Buffer.concat([Buffer.from(serverKey), tail]));
    expect(second.subarray(-32).equals(sign(second.subarray(0, -32), key))).toBe(true);
  });
});
