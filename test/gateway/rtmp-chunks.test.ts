/** Tests the reader of RTMP's chunk stream against chunks that are written here byte by byte (RTMP 1.0 §5.3). */
import { describe, expect, test } from "vitest";
import { ChunkReader, type RtmpMessage } from "../../encoder/gateway/rtmp/protocol/chunk-reader.ts";
import { chunksOf as chunksWritten } from "../../encoder/gateway/rtmp/protocol/chunk-writer.ts";
import { RtmpError } from "../../encoder/gateway/rtmp/protocol/rtmp-error.ts";

const LIMITS = { messageBytes: 8 << 20, unfinishedBytes: 24 << 20, chunkStreams: 32 };
const SOUND = 8;

const uint = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

interface Chunk {
  /** 0 to 3. */
  format: number;
  id?: number;
  /** Timestamp or delta. */
  time?: number;
  /** An extended timestamp behind a header without fields. */
  repeated?: number;
  length?: number;
  type?: number;
  data?: Buffer;
}

function basicHeader(format: number, id: number): Buffer {
  const bits = format << 6;
  if (id < 64) return Buffer.of(bits | id);
  return id < 320 ? Buffer.of(bits, id - 64) : Buffer.of(bits | 1, (id - 64) & 0xff, (id - 64) >> 8);
}

function chunk({
  format,
  id = 4,
  time = 0,
  repeated,
  data = Buffer.alloc(0),
  length = data.length,
  type = SOUND,
}: Chunk) {
  const isExtended = format < 3 && time >= 0xffffff;
  return Buffer.concat([
    basicHeader(format, id),
    format < 3 ? uint(isExtended ? 0xffffff : time, 3) : Buffer.alloc(0),
    format < 2 ? Buffer.concat([uint(length, 3), Buffer.of(type)]) : Buffer.alloc(0),
    format < 1 ? Buffer.of(1, 0, 0, 0) : Buffer.alloc(0),
    isExtended ? uint(time, 4) : Buffer.alloc(0),
    repeated === undefined ? Buffer.alloc(0) : uint(repeated, 4),
    data,
  ]);
}
const setChunkSize = (bytes: number) => chunk({ format: 0, id: 2, type: 1, data: uint(bytes, 4) });
const abort = (id: number) => chunk({ format: 0, id: 2, type: 2, data: uint(id, 4) });

/** A message in chunks of this size. */
function message(first: Omit<Chunk, "data" | "length">, data: Buffer, chunkBytes: number, repeated?: number): Buffer {
  const parts = [chunk({ ...first, data: data.subarray(0, chunkBytes), length: data.length })];
  for (let at = chunkBytes; at < data.length; at += chunkBytes)
    parts.push(
      chunk({
        format: 3,
        ...(first.id === undefined ? {} : { id: first.id }),
        ...(repeated === undefined ? {} : { repeated }),
        data: data.subarray(at, at + chunkBytes),
      }),
    );
  return Buffer.concat(parts);
}

/** @param pieceBytes sizes in which the input arrives */
function read(input: Buffer, pieceBytes = input.length): RtmpMessage[] {
  const reader = new ChunkReader(LIMITS);
  const messages: RtmpMessage[] = [];
  for (let at = 0; at < input.length; at += pieceBytes) {
    reader.push(input.subarray(at, at + pieceBytes));
    for (let next = reader.next(); next !== null; next = reader.next()) messages.push(next);
  }
  expect(reader.consumedBytes).toBe(input.length);
  return messages;
}
const timesOf = (...chunks: Buffer[]) => read(Buffer.concat(chunks)).map(({ timestampMs }) => timestampMs);

const noise = Buffer.from(Array.from({ length: 700 }, (_, i) => (i * 7919) >> 3));

test.each([1, 2, 128, 699, 700, 0xffffff, 0x1000000, 0x7fffffff])(
  "messages in chunks of %i bytes are whole, in whatever pieces they arrive",
  (chunkBytes) => {
    const input = Buffer.concat([
      setChunkSize(chunkBytes),
      message({ format: 0, time: 20 }, noise, chunkBytes),
      message({ format: 1, time: 20, type: 9 }, noise.subarray(1), chunkBytes),
      chunk({ format: 0, id: 9, time: 7 }), // empty
      message({ format: 0, id: 64, time: 0xfffffe }, noise, chunkBytes),
    ]);
    for (const pieceBytes of [1, 2, 19, 700, input.length])
      expect(read(input, pieceBytes)).toEqual([
        { type: 8, streamId: 1, timestampMs: 20, payload: noise },
        { type: 9, streamId: 1, timestampMs: 40, payload: noise.subarray(1) },
        { type: 8, streamId: 1, timestampMs: 7, payload: Buffer.alloc(0) },
        { type: 8, streamId: 1, timestampMs: 0xfffffe, payload: noise },
      ]);
  },
);

test.each([2, 63, 64, 319, 320, 65_599])("chunk stream %i has headers of its own", (id) => {
  const input = Buffer.concat([
    message({ format: 0, id, time: 1000 }, noise, 128),
    chunk({ format: 0, id: 5, time: 5, type: 9, data: Buffer.of(1) }),
    chunk({ format: 2, id, time: 21, data: noise.subarray(0, 128) }),
    chunk({ format: 3, id: 5, data: Buffer.of(2) }),
    ...[128, 256, 384, 512, 640].map((at) => chunk({ format: 3, id, data: noise.subarray(at, at + 128) })),
  ]);
  expect(read(input).map(({ type, timestampMs, payload }) => [type, timestampMs, payload.length])).toEqual([
    [8, 1000, 700],
    [9, 5, 1],
    [9, 10, 1],
    [8, 1021, 700],
  ]);
});

describe("timestamps", () => {
  const one = Buffer.of(0xaf);
  const LAST = 0xffffffff;

  test("continue with 0 behind 0xffffffff, in full headers, in deltas and in chunks without either", () => {
    const full = (time: number) => chunk({ format: 0, time, data: one });
    expect(timesOf(full(LAST - 20), full(0), full(20))).toEqual([LAST - 20, 0, 20]);
    const more = chunk({ format: 3, data: one, repeated: LAST - 30 });
    expect(
      timesOf(
        full(LAST - 30),
        chunk({ format: 1, time: 21, data: one }),
        chunk({ format: 2, time: 21, data: one }),
        chunk({ format: 3, data: one }),
      ),
    ).toEqual([LAST - 30, LAST - 9, 11, 32]);
    expect(timesOf(full(LAST - 30), more)).toEqual([LAST - 30, (2 * (LAST - 30)) % 2 ** 32]);
  });

  test("a chunk without a header repeats the delta, or the time of a full header", () => {
    const again = chunk({ format: 3, data: one });
    expect(timesOf(chunk({ format: 0, time: 23, data: one }), again, again)).toEqual([23, 46, 69]);
    expect(timesOf(chunk({ format: 0, time: 0, data: one }), chunk({ format: 2, time: 21, data: one }), again)).toEqual(
      [0, 21, 42],
    );
  });

  test("a chunk stream may begin with a delta", () => {
    expect(timesOf(chunk({ format: 1, time: 40, data: one }))).toEqual([40]);
  });

  const HOUR_5 = 18_000_000;
  test.each([
    { name: "a full header", headers: [{ format: 0, time: HOUR_5 }], times: [HOUR_5], repeats: [HOUR_5] },
    {
      name: "a delta, repeated as it is or as the message's time",
      headers: [
        { format: 0, time: 1000 },
        { format: 1, time: HOUR_5 },
      ],
      times: [1000, HOUR_5 + 1000],
      repeats: [HOUR_5, HOUR_5 + 1000],
    },
    {
      name: "a delta behind a full header",
      headers: [
        { format: 0, time: HOUR_5 },
        { format: 1, time: 21 },
        { format: 0, time: LAST },
        { format: 1, time: 21 },
      ],
      times: [HOUR_5, HOUR_5 + 21, LAST, 20],
      repeats: [HOUR_5],
    },
  ])(
    "extended, of $name: continued by chunks that repeat it, and by chunks that do not",
    ({ headers, times, repeats }) => {
      for (const repeated of [undefined, ...repeats]) {
        for (const chunkBytes of [1, 128, 699]) {
          const input = Buffer.concat([
            setChunkSize(chunkBytes),
            ...headers.map((header) => {
              const isExtended = header.time >= 0xffffff;
              const again = header.format === 0 ? header.time : repeated;
              return message(header, noise, chunkBytes, isExtended && repeated !== undefined ? again : undefined);
            }),
          ]);
          for (const pieceBytes of [1, 3, input.length])
            expect(read(input, pieceBytes)).toEqual(
              times.map((timestampMs) => ({ type: 8, streamId: 1, timestampMs, payload: noise })),
            );
        }
      }
    },
  );
});

test("a chunk size that changes within a message applies from the next chunk on", () => {
  const input = Buffer.concat([
    chunk({ format: 0, data: noise.subarray(0, 128), length: 700 }),
    setChunkSize(500),
    chunk({ format: 3, data: noise.subarray(128, 628) }),
    setChunkSize(10),
    ...[0, 1, 2, 3, 4, 5, 6].map((n) => chunk({ format: 3, data: noise.subarray(628 + 10 * n, 638 + 10 * n) })),
    chunk({ format: 3, data: noise.subarray(698) }),
  ]);
  expect(read(input).map(({ payload }) => payload)).toEqual([noise]);
});

test("an aborted message is discarded, and its chunk stream continues with the next", () => {
  const input = Buffer.concat([
    chunk({ format: 0, time: 100, data: noise.subarray(0, 128), length: 700 }),
    abort(4),
    abort(77), // unknown
    chunk({ format: 1, time: 20, data: Buffer.of(1) }),
  ]);
  expect(read(input)).toEqual([{ type: 8, streamId: 1, timestampMs: 120, payload: Buffer.of(1) }]);
});

test.each([
  ["a first chunk without a header", chunk({ format: 3, data: Buffer.of(1) })],
  ["a first chunk with a delta alone", chunk({ format: 2, time: 1, data: Buffer.of(1) })],
  [
    "a message within a message",
    Buffer.concat([
      chunk({ format: 0, length: 1000, data: Buffer.alloc(128) }),
      chunk({ format: 0, length: 10, data: Buffer.alloc(10) }),
    ]),
  ],
  ["a chunk size of 0", setChunkSize(0)],
  ["a chunk size of 2^31", setChunkSize(2 ** 31)],
  ["a control message of 3 bytes", chunk({ format: 0, id: 2, type: 1, data: Buffer.alloc(3) })],
])("%s ends the connection", (_, input) => {
  expect(() => read(input)).toThrow(RtmpError);
});

test("memory grows with what has arrived, not with what is declared", () => {
  const reader = new ChunkReader(LIMITS);
  reader.push(setChunkSize(0x7fffffff));
  for (const id of [4, 5, 6]) {
    reader.push(chunk({ format: 0, id, length: 8 << 20, data: Buffer.alloc(0) }));
    expect(reader.next()).toBeNull();
    if (id < 6) {
      reader.push(Buffer.alloc(8 << 20));
      expect(reader.next()).not.toBeNull();
    }
  }
  reader.push(Buffer.alloc(1000));
  expect(reader.next()).toBeNull();
  expect(reader.heldBytes).toBeLessThan(2048);
});

test.each([0, 0xfffffe, 0xffffff, 2 ** 32 - 1])("what is written at %i is read", (timestampMs) => {
  for (const length of [0, 1, 0xffff, 0x10000, 200_000]) {
    const sent = { type: 9, streamId: 1, timestampMs, payload: Buffer.alloc(length, 7) };
    expect(read(Buffer.concat([setChunkSize(0xffff), chunksWritten(sent, 5)]))).toEqual([sent]);
  }
});
