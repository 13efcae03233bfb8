import * as fc from "fast-check";
import { Amf0Error, type Amf0Output, encodeAmf0 } from "../../../encoder/gateway/rtmp/protocol/amf0.ts";
import { PublishProtocol } from "../../../encoder/gateway/rtmp/publish-protocol.ts";
import { RtmpError } from "../../../encoder/gateway/rtmp/protocol/rtmp-error.ts";
import { chunk, HANDSHAKE, picture, setChunkSize } from "../../gateway/rtmp-client.ts";
import { type Mutations, mutated, mutations, pieces, pieceSizes } from "../chunks.ts";
import type { FuzzTarget } from "../target.ts";

interface Session {
  handshake: Uint8Array;
  messages: Buffer[];
  mutations: Mutations;
  sizes: number[];
}

const { value } = fc.letrec<{ value: Amf0Output }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.double(),
    fc.integer(),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
  ),
}));
const name = fc.constantFrom(
  "connect",
  "createStream",
  "publish",
  "play",
  "closeStream",
  "deleteStream",
  "releaseStream",
  "FCPublish",
  "FCUnpublish",
  "call",
);
const about = fc.record({
  app: fc.oneof({ weight: 5, arbitrary: fc.constant("live") }, value),
  tcUrl: fc.constant("rtmp://host/live"),
  objectEncoding: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(0, 3) }, value),
  more: value,
});
const wide = fc.integer({ min: 0, max: 60_000 }).map((length) => Array.from({ length }, () => null));
const command = fc.oneof(
  fc.tuple(name, value, value, value).map((values) => encodeAmf0(...values)),
  about.map((fields) => encodeAmf0("connect", 1, fields)),
  fc.constant(encodeAmf0("createStream", 2, null)),
  fc.string().map((key) => encodeAmf0("publish", 3, null, key, "live")),
  wide.map((values) => encodeAmf0("connect", 1, { app: "live", objectEncoding: values })),
  fc
    .integer({ min: 1, max: 12_000 })
    .map((depth) => Buffer.from(`020007636f6e6e656374${"0300016103".repeat(depth)}`, "hex")),
);
/** A part of an aggregate, with a length that may be wrong. */
const part = fc
  .tuple(fc.constantFrom(8, 9, 18, 20, 22), fc.uint8Array({ maxLength: 40 }), fc.nat({ max: 9 }), fc.nat())
  .map(([type, data, more, time]) => {
    const header = Buffer.alloc(11);
    header[0] = type;
    header.writeUIntBE(data.length + (more === 9 ? 100_000 : 0), 1, 3);
    header.writeUInt32BE(time, 4);
    return Buffer.concat([header, data, Buffer.alloc(4)]);
  });
/** A chunk that abbreviates its header, or has an extended timestamp. */
const shortened = fc
  .tuple(fc.nat({ max: 3 }), fc.integer({ min: 2, max: 8 }), fc.boolean(), fc.uint8Array({ maxLength: 150 }))
  .map(([format, id, isExtended, data]) => {
    const time = Buffer.alloc(3, isExtended ? 0xff : 1);
    const length = Buffer.of(0, 0, data.length, 9, 1, 0, 0, 0).subarray(0, [8, 4, 0, 0][format]);
    const header = format < 3 ? Buffer.concat([time, length]) : Buffer.alloc(0);
    const extended = Buffer.alloc(isExtended ? 4 : 0, 2);
    return Buffer.concat([Buffer.of((format << 6) | id), header, extended, data]);
  });
const message = fc.oneof(
  shortened,
  fc.array(part, { maxLength: 60 }).map((parts) => chunk(22, Buffer.concat(parts))),
  fc.tuple(fc.constantFrom(20, 20, 20, 17, 18), command).map(([type, payload]) => chunk(type, payload)),
  fc.nat({ max: 70_000 }).map(setChunkSize),
  fc.nat({ max: 60_000 }).map(picture),
  fc
    .tuple(fc.nat({ max: 22 }), fc.uint8Array({ maxLength: 64 }), fc.nat({ max: 0xffffff }), fc.nat({ max: 63 }))
    .map(([type, bytes, length, stream]) => chunk(type, Buffer.from(bytes), { length, stream })),
);

/** At most 32 commands, with answers of some hundred bytes each. */
const MOST_ANSWERED_BYTES = 16 << 10;

/**
 * A session ends normally or with one of the two refusals. The answers before a publish are bounded for any input, and so is what is held of
 * incomplete messages: by the bytes that have arrived.
 */
export default {
  name: "rtmp",
  arbitrary: fc.record({
    handshake: fc.uint8Array({ minLength: 1536, maxLength: 1536 }),
    messages: fc.array(message, { maxLength: 40 }),
    mutations,
    sizes: pieceSizes,
  }),
  run({ handshake, messages, mutations: changes, sizes }) {
    let answeredBytes = 0;
    let hasPublished = false;
    const protocol = new PublishProtocol((bytes) => {
      if (!hasPublished) answeredBytes += bytes.length;
    });
    const greeting = Buffer.concat([
      HANDSHAKE.subarray(0, 1),
      handshake,
      HANDSHAKE.subarray(1537),
      setChunkSize(65_536),
    ]);
    const session = mutated(Buffer.concat([greeting, ...messages]), changes, 1);
    let receivedBytes = 0;
    let mediaBytes = 0;
    let publishes = 0;
    try {
      for (const piece of pieces(session, sizes)) {
        receivedBytes += piece.length;
        protocol.read(piece);
        for (;;) {
          mediaBytes += protocol.takeFlv()?.length ?? 0;
          if (protocol.heldBytes > 2 * receivedBytes) throw new Error(`held ${protocol.heldBytes} bytes`);
          if (protocol.askedKey !== null) {
            publishes += 1;
            hasPublished = true;
            protocol.accept();
          } else if (protocol.hasUnpublished) protocol.next();
          else break;
          protocol.readOn();
        }
      }
    } catch (error) {
      if (!(error instanceof RtmpError || error instanceof Amf0Error)) throw error;
    }
    if (answeredBytes > MOST_ANSWERED_BYTES) throw new Error(`answered ${answeredBytes} bytes before a publish`);
    if (mediaBytes > 16 * receivedBytes + 13 * (publishes + 1))
      throw new Error(`made ${mediaBytes} bytes of ${receivedBytes}`);
  },
} satisfies FuzzTarget<Session>;
