/** Tests how commands of RTMP are answered, and what becomes of the media between them. */
import { describe, expect, test } from "vitest";
import { Amf0Reader, type Amf0Value } from "../../encoder/gateway/rtmp/protocol/amf0.ts";
import { ChunkReader } from "../../encoder/gateway/rtmp/protocol/chunk-reader.ts";
import { CHUNK_LIMITS } from "../../encoder/gateway/rtmp/publish-limits.ts";
import { PublishProtocol } from "../../encoder/gateway/rtmp/publish-protocol.ts";
import { tagsOf } from "../support/flv.ts";
import * as rtmp from "./rtmp-client.ts";

const COMMAND = 20;

/** A connection whose first publishes have been accepted. */
class Session {
  readonly protocol = new PublishProtocol((bytes) => this.#answers.push(bytes));
  readonly #answers: Buffer[] = [];
  #read = 0;

  /** @param app of the connect command */
  constructor(app = "live") {
    this.send(rtmp.HANDSHAKE, rtmp.CHUNK_SIZE, rtmp.connectTo(1935, app), rtmp.CREATE_STREAM);
    this.answers();
  }

  send(...bytes: Buffer[]): this {
    this.protocol.read(Buffer.concat(bytes));
    return this;
  }

  /** Sends the publish and accepts it. @returns its key */
  publish(command = rtmp.publish("key")): string | null {
    this.send(command);
    const key = this.protocol.askedKey;
    if (key !== null) this.accept();
    return key;
  }

  accept(): void {
    this.protocol.accept();
    this.protocol.readOn();
  }

  /** Goes on behind the end of a broadcast. */
  next(): void {
    this.protocol.next();
    this.protocol.readOn();
  }

  /** The commands received since the last call: name, transaction ID, and the code or the value of what follows. */
  answers(): Amf0Value[][] {
    const reader = new ChunkReader(CHUNK_LIMITS);
    const bytes = Buffer.concat(this.#answers);
    reader.push(bytes.subarray(rtmp.HANDSHAKE.length));
    const commands: Amf0Value[][] = [];
    for (let next = reader.next(); next !== null; next = reader.next()) {
      if (next.type !== COMMAND) continue;
      const amf = new Amf0Reader(next.payload);
      const [name, transactionId] = [amf.read(), amf.read()];
      amf.read();
      const value = amf.read();
      commands.push([name, transactionId, value instanceof Map ? value.get("code") : value, next.streamId]);
    }
    const since = commands.slice(this.#read);
    this.#read = commands.length;
    return since;
  }

  /** The tags of the broadcast, all of which must be taken at once. */
  tags() {
    const [, ...tags] = tagsOf(this.protocol.takeFlv() ?? Buffer.alloc(0));
    return tags.map(({ bytes, atMs }) => ({ type: bytes[0], timeMs: atMs, data: bytes.subarray(11, -4) }));
  }
}

const UNPUBLISHED = ["onStatus", 0, "NetStream.Unpublish.Success", 1];

test("an encoder that waits for each answer before it goes on gets to its publish", () => {
  const session = new Session();
  session.send(rtmp.called("releaseStream", 2, rtmp.string("key")));
  expect(session.answers()).toEqual([["_result", 2, null, 0]]);
  session.send(rtmp.called("FCPublish", 3, rtmp.string("key")));
  expect(session.answers()).toEqual([
    ["_result", 3, null, 0],
    ["onFCPublish", 0, "NetStream.Publish.Start", 0],
  ]);
  expect(session.publish()).toBe("key");
  expect(session.answers()).toEqual([["onStatus", 0, "NetStream.Publish.Start", 1]]);
});

test("an unknown command is refused if it wants an answer; an answer of the peer is not answered", () => {
  const session = new Session();
  session.send(
    rtmp.called("_checkbw", 9),
    rtmp.called("_checkbw", 0),
    rtmp.commandOn(0, rtmp.string("getStreamLength"), rtmp.NULL),
    rtmp.called("_result", 10),
    rtmp.called("onStatus", 11),
  );
  expect(session.answers()).toEqual([["_error", 9, "NetConnection.Call.Failed", 0]]);
});

const FALSE = Buffer.of(1, 0);
describe("the end of a broadcast by", () => {
  const ENDS: { how: string; bytes: Buffer; answers: Amf0Value[][] }[] = [
    { how: "closeStream", bytes: rtmp.closeStream(), answers: [UNPUBLISHED] },
    { how: "closeStream of the connection", bytes: rtmp.closeStream(0), answers: [UNPUBLISHED] },
    { how: "deleteStream", bytes: rtmp.deleteStream(1), answers: [UNPUBLISHED] },
    { how: "deleteStream of no stream that exists", bytes: rtmp.deleteStream(7), answers: [UNPUBLISHED] },
    { how: "deleteStream without a stream", bytes: rtmp.called("deleteStream", 0), answers: [UNPUBLISHED] },
    {
      how: "FCUnpublish",
      bytes: rtmp.fcUnpublish("key"),
      answers: [["_result", 6, null, 0], ["onFCUnpublish", 0, "NetStream.Unpublish.Success", 0], UNPUBLISHED],
    },
    {
      how: "publish with false",
      bytes: rtmp.commandOn(1, rtmp.string("publish"), rtmp.number(0), rtmp.NULL, FALSE),
      answers: [UNPUBLISHED],
    },
  ];
  test.each(ENDS)("$how is answered, and the next publish is read behind it", ({ bytes, answers }) => {
    const session = new Session();
    session.publish();
    session.answers();
    session.send(rtmp.picture(10), bytes, rtmp.picture(20), rtmp.CREATE_STREAM, rtmp.publish("next"));
    const { protocol } = session;
    expect([protocol.hasUnpublished, protocol.isOver, protocol.askedKey]).toEqual([true, true, null]);
    expect(session.answers()).toEqual(answers);
    expect(session.tags().map(({ data }) => data.length)).toEqual([15]);
    session.next();
    expect([protocol.hasUnpublished, protocol.askedKey]).toEqual([false, "next"]);
    session.accept();
    expect(session.answers()).toEqual([
      ["_result", 2, 2, 0],
      ["onStatus", 0, "NetStream.Publish.Start", 1],
    ]);
    session.send(rtmp.picture(30));
    expect(session.tags().map(({ data }) => data.length)).toEqual([35]); // with a file header of its own, and nothing sent between
  });
});

test("only the first of the commands that end a broadcast does; those for another stream do not", () => {
  const session = new Session();
  session.send(rtmp.CREATE_STREAM); // a second one
  session.publish();
  session.answers();
  session.send(rtmp.deleteStream(2), rtmp.closeStream(2), rtmp.picture(10));
  expect([session.protocol.isOver, session.answers()]).toEqual([false, []]);
  session.send(rtmp.fcUnpublish("key"), rtmp.closeStream(), rtmp.deleteStream(1));
  session.next();
  expect(session.answers().filter(([name]) => name === "onStatus")).toEqual([UNPUBLISHED]);
  expect(session.protocol.isOver).toBe(false);
});

test("between two broadcasts, media is ignored in any amount, and commands are limited as before the first", () => {
  const session = new Session();
  session.publish();
  session.send(rtmp.closeStream());
  session.next();
  for (let n = 0; n < 20; n++) session.send(rtmp.picture(50_000));
  expect(session.protocol.takeFlv()).toBeNull();
  for (let n = 0; n < 32; n++) session.send(rtmp.CREATE_STREAM);
  expect(() => session.send(rtmp.CREATE_STREAM)).toThrow("too many commands");
});

test("a second publish is refused while the first continues", () => {
  const session = new Session();
  session.publish();
  session.send(rtmp.CREATE_STREAM, rtmp.publish("second"), rtmp.picture(10));
  expect(session.answers().at(-1)).toEqual(["onStatus", 0, "NetStream.Publish.BadName", 1]);
  expect(session.tags()).toHaveLength(1);
});

describe("the stream key is found in", () => {
  const KEY = "0123k4567";
  test.each([
    ["the name", "live", KEY],
    ["a name with a query", "live", `${KEY}?user=a&pass=b`],
    ["a name with a fragment", "live", `${KEY}#backup`],
    ["a name with a slash behind", "live", `${KEY}/`],
    ["a name with a slash before", "live", `/${KEY}`],
    ["a name with the application before", "live", `live/${KEY}`],
    ["a name that was copied with its line end", "live", ` ${KEY}\r\n`],
    ["a name, with an instance in the application", "live/_definst_", KEY],
    ["the application, without a name", `live/${KEY}`, ""],
    ["the application with a query, without a name", `live/${KEY}/?x=1`, "?y=2"],
    ["the name, with slashes around the application", "//live/", KEY],
    ["the name, with a query behind the application", "live?x=1", KEY],
  ])("%s", (_, app, name) => {
    expect(new Session(app).publish(rtmp.publish(name))).toBe(KEY);
  });

  test("a publish without a type, in an AMF3 message, on stream 0", () => {
    const values = Buffer.concat([Buffer.of(0), rtmp.string("publish"), rtmp.number(5), rtmp.NULL, rtmp.string(KEY)]);
    expect(new Session().publish(rtmp.chunk(17, values, { message: 0 }))).toBe(KEY);
  });

  test.each(["", "/", "live", "?x", " ", "/live/#y"])("not in %j", (name) => {
    const session = new Session();
    expect(() => session.publish(rtmp.publish(name))).toThrow("no stream key");
    expect(session.answers()).toEqual([["onStatus", 0, "NetStream.Publish.BadName", 1]]);
  });
});

describe("data messages reach FLV as script data", () => {
  const metadata = Buffer.concat([rtmp.string("onMetaData"), rtmp.object({ encoder: "e" })]);
  const set = Buffer.concat([rtmp.string("@setDataFrame"), metadata]);
  const AMF3 = Buffer.of(0);
  test.each([
    ["onMetaData", 18, metadata, [metadata]],
    ["@setDataFrame", 18, set, [metadata]],
    ["AMF3", 15, Buffer.concat([AMF3, set]), [metadata]],
    ["AMF3 without its format byte", 15, set, [metadata]],
    [
      "@clearDataFrame, which holds none",
      18,
      Buffer.concat([rtmp.string("@clearDataFrame"), rtmp.string("onMetaData")]),
      [],
    ],
    ["@setDataFrame without data, which holds none", 18, rtmp.string("@setDataFrame"), []],
  ])("%s", (_, type, data, expected) => {
    const session = new Session();
    session.publish();
    session.send(rtmp.chunk(type, data));
    expect(session.tags().map((tag) => [tag.type, tag.data])).toEqual(expected.map((one) => [18, one]));
  });
});

describe("an aggregate", () => {
  const START_MS = 60_000;
  const part = (type: number, timeMs: number, data: Buffer, trailer = true) => {
    const header = Buffer.alloc(11);
    header[0] = type;
    header.writeUIntBE(data.length, 1, 3);
    header.writeUIntBE(timeMs & 0xffffff, 4, 3);
    header[7] = timeMs >>> 24;
    return Buffer.concat([header, data, Buffer.alloc(trailer ? 4 : 0)]);
  };
  const sound = (n: number) => Buffer.of(0xaf, 1, n);
  const picture = (n: number) => Buffer.of(0x27, 1, 0, 0, 0, n);
  const sent = (...messages: Buffer[]) => {
    const session = new Session();
    session.publish();
    session.send(...messages);
    return session.tags().map(({ type, timeMs, data }) => [type, timeMs - START_MS, data.at(-1)]);
  };
  const aggregate = (time: number, ...parts: Buffer[]) => rtmp.chunk(22, Buffer.concat(parts), { time });

  test("is taken apart; its parts keep their distances from the first, which has the time of the message", () => {
    expect(
      sent(
        rtmp.chunk(8, sound(1), { time: 5000 }),
        aggregate(5020, part(9, 100, picture(2)), part(8, 103, sound(3)), part(9, 133, picture(4), false)),
        aggregate(5100, part(8, 5100, sound(5))),
      ),
    ).toEqual([
      [8, 0, 1],
      [9, 20, 2],
      [8, 23, 3],
      [9, 53, 4],
      [8, 100, 5],
    ]);
  });

  test("has times modulo 2^32", () => {
    expect(
      sent(
        aggregate(0xffffffff, part(8, 0xfffffff0, sound(1)), part(8, 5, sound(2))),
        aggregate(30, part(8, 7, sound(3))),
      ),
    ).toEqual([
      [8, 0, 1],
      [8, 21, 2],
      [8, 31, 3],
    ]);
  });

  test("holds media only: commands and control messages in it have no effect", () => {
    const end = Buffer.concat([rtmp.string("closeStream"), rtmp.number(0), rtmp.NULL]);
    expect(sent(aggregate(0, part(20, 0, end), part(1, 0, Buffer.of(0, 0, 0, 1)), part(8, 0, sound(9))))).toEqual([
      [8, 0, 9],
    ]);
  });

  test.each([
    ["a length beyond its end", Buffer.concat([part(8, 0, Buffer.alloc(3)), part(8, 0, sound(1)).subarray(0, 13)])],
    ["a header cut short", Buffer.concat([part(8, 0, sound(1)), Buffer.alloc(10)])],
    ["an aggregate inside", part(22, 0, part(8, 0, sound(1)))],
  ])("with %s ends the connection", (_, payload) => {
    expect(() => sent(rtmp.chunk(22, payload))).toThrow(/aggregate/);
  });
});

describe("times in FLV", () => {
  const SEQUENCE_HEADER = Buffer.of(0x17, 0, 0, 0, 0);
  const frame = (time: number) => rtmp.chunk(9, Buffer.of(0x27, 1, 0, 0, 0), { time });
  const times = (...messages: Buffer[]) => {
    const session = new Session();
    session.publish();
    session.send(...messages);
    return session.tags().map(({ timeMs }) => timeMs);
  };

  test("count from the first frame and grow across 2^32 of RTMP", () => {
    const last = 0xffffffff;
    expect(times(frame(last - 40), frame(last), frame(39), frame(79))).toEqual([60_000, 60_040, 60_080, 60_120]);
  });

  test("count from a frame, not from metadata and configurations before it, whose clock is another", () => {
    const metadata = rtmp.chunk(18, rtmp.string("onMetaData"));
    expect(times(metadata, rtmp.chunk(9, SEQUENCE_HEADER), frame(3_000_000_000), frame(2_999_999_980))).toEqual([
      60_000, 60_000, 60_000, 59_980,
    ]);
  });
});

test("acknowledges what it received as often as the encoder asks, at least every 2.5 MB", () => {
  const ACKNOWLEDGEMENT = 3;
  const session = (window: Buffer) => {
    let acknowledged = 0;
    const protocol = new PublishProtocol((bytes) => (acknowledged += bytes[7] === ACKNOWLEDGEMENT ? 1 : 0));
    protocol.read(Buffer.concat([rtmp.HANDSHAKE, rtmp.CHUNK_SIZE, window, rtmp.connectTo(1935), rtmp.publish("key")]));
    protocol.accept();
    for (let n = 0; n < 100; n++) protocol.read(rtmp.picture(50_000));
    return acknowledged;
  };
  const window = (bytes: number) => {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(bytes);
    return rtmp.chunk(5, payload, { stream: 2, message: 0 });
  };
  expect([0, 1, 1_000_000, 0xffffffff].map((bytes) => session(window(bytes)))).toEqual([101, 101, 5, 2]);
});
