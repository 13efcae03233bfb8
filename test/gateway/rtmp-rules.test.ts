import { expect, test } from "vitest";
import { PublishProtocol } from "../../encoder/gateway/rtmp/publish-protocol.ts";
import * as rtmp from "./rtmp-client.ts";

const HANDSHAKE_BYTES = 3073;

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
    try {
      for (let at = 0, size = 0; at < mangled.length; at += size) {
        size = 1 + random(700);
        protocol.read(mangled.subarray(at, at + size));
      }
      outcomes.whole += 1;
    } catch {
      outcomes.broken += 1;
    }
    const messages = [...protocol.inPackets.values()].reduce((bytes, { capacity }) => bytes + capacity, 0);
    mostBytes = Math.max(mostBytes, messages);
  }
  expect(mostBytes).toBeLessThan(33 << 20);
  expect(Math.min(outcomes.whole, outcomes.broken)).toBeGreaterThan(50);
});
