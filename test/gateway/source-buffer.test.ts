/** Tests the source buffer, which feeds a decoder that replaces a crashed one. */
import { describe, expect, test } from "vitest";
import { ContainerUnits } from "../../encoder/gateway/source/container-units.ts";
import { RestartLimit } from "../../encoder/gateway/reception/restart-limit.ts";
import { SourceBuffer } from "../../encoder/gateway/source/source-buffer.ts";
import { broadcast, broadcastOf, chunksOf, FLV, H264, TS } from "../support/live.ts";

const SMALL = "$IN -s 160x90 -r 15";
const FMP4 = `-t 6 ${H264} -c:a aac -movflags empty_moov+default_base_moof+frag_keyframe -f mp4`;
const CONTAINERS: [string, string][] = [
  ["FLV", `${SMALL} ${FLV}`],
  ["MPEG-TS", `${SMALL} ${TS}`],
  ["fragmented MP4", `${SMALL} ${FMP4}`],
];

/** A source that yields a piece on request. */
function byHand() {
  const waiting: ((result: IteratorResult<Uint8Array>) => void)[] = [];
  const ready: IteratorResult<Uint8Array>[] = [];
  const give = (result: IteratorResult<Uint8Array>) => {
    const taker = waiting.shift();
    if (taker) taker(result);
    else ready.push(result);
  };
  const bytes: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise<IteratorResult<Uint8Array>>((done) => {
          const result = ready.shift();
          if (result) done(result);
          else waiting.push(done);
        }),
    }),
  };
  return {
    bytes,
    give: (value: Uint8Array) => give({ value, done: false }),
    end: () => give({ value: undefined, done: true }),
  };
}

/** Starts to read immediately, not with the first request for a piece. */
function begun(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const first = pieces.next();
  return (async function* () {
    for (let next = await first; next.done !== true; next = await pieces.next()) yield next.value;
  })();
}

describe.each(CONTAINERS)("%s", (_, words) => {
  test("is returned unchanged, for chunks of any size", async () => {
    const bytes = await broadcastOf(words);
    for (const size of [1, 13, 4096, bytes.length]) {
      const units = new ContainerUnits();
      const out = [
        ...(function* () {
          for (let at = 0; at < Math.min(bytes.length, size * 20_000); at += size)
            yield* units.push(bytes.subarray(at, at + size));
          yield* units.rest();
        })(),
      ];
      const whole = Buffer.concat(out.map((unit) => unit.bytes));
      expect(whole.equals(bytes.subarray(0, whole.length))).toBe(true);
      expect(whole.length).toBe(Math.min(bytes.length, size * 20_000));
    }
  });

  test("continues for a second decoder with the head and from an entry point", async () => {
    const bytes = await broadcastOf(words);
    const line = new SourceBuffer();
    const source = byHand();
    void line.fill(source.bytes);
    const pieces: Buffer[] = [];
    for await (const piece of chunksOf(bytes, 5000)) pieces.push(piece);
    const half = Math.floor(pieces.length / 2);
    const first = line.read();
    const taken = (async () => {
      let length = 0;
      for await (const piece of first) length += piece.length;
      return length;
    })();
    for (const piece of pieces.slice(0, half)) source.give(piece);
    await new Promise((done) => setImmediate(done));
    const made = broadcast(begun(line.read())); // the first decoder has crashed
    for (const piece of pieces.slice(half)) source.give(piece);
    source.end();
    const { parts, started } = await made;
    expect(await taken).toBeGreaterThan(0);
    expect([started[0]?.video?.codec, started[0]?.audio?.codec]).toEqual(["h264", "aac"]);
    expect(parts.length).toBeGreaterThan(4); // about two of three seconds
    expect(line.isSpent).toBe(true);
  });
});

test("MPEG-TS: a program map of several packets, as of many languages, is in the head as a whole", async () => {
  const SOUNDS = 16;
  const maps = Array.from({ length: SOUNDS }, (_, n) => `-map 0 -metadata:s:a:${n} language=eng`).join(" ");
  const bytes = await broadcastOf(`-f lavfi -i anullsrc=r=48000 -t 0.5 ${maps} -c:a aac -f mpegts`);
  const units = new ContainerUnits().push(bytes);
  const heads = new Map(units.flatMap(({ head, bytes: packet }) => (head === null ? [] : [[head, packet] as const])));
  expect([...heads.keys()]).toEqual(["0-pat", "1-pmt-4096", "1-pmt-4096-1"]);
  expect(
    Buffer.concat([...heads.values()])
      .toString("latin1")
      .match(/eng/g),
  ).toHaveLength(SOUNDS);
  const tables = units.filter(({ bytes: unit }) => unit.length === 188 && (unit.readUInt16BE(1) & 0x1fff) === 0x1000);
  expect(tables.filter(({ head }) => head === null)).toEqual([]);
});

test("back-pressure applies while nothing is read, and ends when reading resumes", async () => {
  let given = 0;
  const line = new SourceBuffer();
  const filled = line.fill(
    (async function* () {
      for (; given < 40; given += 1) yield Buffer.alloc(1 << 20, 1);
    })(),
  );
  await new Promise((done) => setImmediate(done));
  expect(given).toBe(16); // the seventeenth is being taken
  let read = 0;
  for await (const piece of line.read()) read += piece.length;
  await filled;
  expect([given, read]).toEqual([40, 40 << 20]);
});

test("closing the buffer ends its source and its reader", async () => {
  const line = new SourceBuffer();
  const source = byHand();
  const filled = line.fill(source.bytes);
  const reading = (async () => {
    for await (const piece of line.read()) void piece;
  })();
  line.close();
  await reading;
  source.give(Buffer.from("late"));
  await filled;
  expect(line.isSpent).toBe(true);
});

test("a unit with an excessive declared size is passed through without buffering", () => {
  const units = new ContainerUnits();
  const header = Buffer.concat([
    Buffer.from("FLV\u0001\u0005\0\0\0\u0009\0\0\0\0", "latin1"),
    Buffer.from([9, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0]),
  ]);
  const out = [...units.push(header), ...units.push(Buffer.alloc(1000, 7))];
  expect(Buffer.concat(out.map(({ bytes }) => bytes))).toHaveLength(header.length + 1000);
});

test("encoder starts are limited to five per minute", () => {
  const limit = new RestartLimit();
  expect([0, 1, 2, 3, 4, 5].map((second) => limit.record(second * 1000))).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(limit.record(70_000)).toBe(true);
});
