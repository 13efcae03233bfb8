import * as fc from "fast-check";
import {
  answerInduction,
  answerRefusal,
  destinationOf,
  forwarded,
  inductionOf,
  isDatagram,
  isShutdown,
  latencyMs,
  readHandshake,
  REJECT,
  streamKeyOf,
} from "../../../encoder/gateway/srt/handshake.ts";
import { isWrappedWith } from "../../../encoder/gateway/srt/key-material.ts";
import { type Mutations, mutated, mutations } from "../chunks.ts";
import type { FuzzTarget } from "../target.ts";

const HEADER_BYTES = 64;
const MAX_DATAGRAM_BYTES = 1500;

const extension = fc
  .tuple(fc.constantFrom(1, 2, 3, 5, 99), fc.array(fc.integer({ min: 0, max: 0xffffffff }), { maxLength: 40 }))
  .map(([type, words]) => {
    const bytes = Buffer.alloc(4 + words.length * 4);
    bytes.writeUInt16BE(type, 0);
    bytes.writeUInt16BE(words.length, 2);
    words.forEach((word, i) => bytes.writeUInt32BE(word, 4 + i * 4));
    return bytes;
  });
const streamId = fc
  .oneof(
    fc.string({ maxLength: 300 }),
    fc.string({ maxLength: 100 }).map((text) => `#!::r=${text},m=publish`),
  )
  .map((text) => {
    const bytes = Buffer.from(text);
    const words = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
    bytes.copy(words);
    const header = Buffer.from([0, 5, words.length >> 10, (words.length >> 2) & 0xff]);
    return Buffer.concat([header, words.swap32()]);
  });
const handshake = fc
  .tuple(fc.constantFrom(1, 0xffffffff), fc.array(fc.oneof(extension, streamId), { maxLength: 4 }))
  .map(([type, extensions]) => {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(0x8000, 0);
    header.writeUInt32BE(5, 16);
    header.writeUInt32BE(type, 36);
    return Buffer.concat([header, ...extensions]);
  });

/** Any datagram is parsed or ignored. Answers are no longer than a handshake's header and have the caller's socket ID. */
export default {
  name: "srt-handshake",
  arbitrary: fc.tuple(
    fc.oneof(
      { weight: 5, arbitrary: handshake },
      fc.uint8Array({ maxLength: MAX_DATAGRAM_BYTES }).map((bytes) => Buffer.from(bytes)),
    ),
    mutations,
  ),
  async run([valid, changes]) {
    const datagram = mutated(valid, changes);
    if (!isDatagram(datagram)) return;
    destinationOf(datagram);
    isShutdown(datagram);
    const read = readHandshake(datagram);
    if (read === null) return;
    latencyMs(datagram);
    streamKeyOf(read.streamId ?? "");
    if (read.keyMaterial !== null && (await isWrappedWith(read.keyMaterial, "0123456789abcdef")))
      throw new Error("noise was unwrapped with a passphrase");
    const answers = [answerInduction(datagram, 1), answerRefusal(datagram, REJECT.notFound)];
    for (const answer of answers) {
      if (answer.length !== HEADER_BYTES) throw new Error(`answered ${answer.length} bytes`);
      if (destinationOf(answer) !== read.socketId) throw new Error("answered another socket");
    }
    const repeated = [inductionOf(datagram), forwarded(datagram, 7, 250_000)].map(readHandshake);
    if (repeated[0]?.step !== "induction" || repeated[1]?.cookie !== 7)
      throw new Error("a handshake was not passed on");
  },
} satisfies FuzzTarget<[Buffer, Mutations]>;
