import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clockSpans, CLOCK_HZ, WRAP_TICKS } from "../../encoder/media/clock/clock-spans.ts";
import { type PesTime, pesTimes } from "../../encoder/media/clock/pes-times.ts";
import { readClock } from "../../encoder/media/clock/read-clock.ts";
import { TestEncoder } from "../support/encoder.ts";
import { pesPackets } from "../support/pes-packets.ts";
import { referencePictures } from "../support/reference.ts";
import {
  decodePictures,
  decodeSound,
  encodeWholeSound,
  gridFor,
  loudness,
  psnr,
  rungFor,
} from "../support/rendition.ts";
import { makeSource, SOURCES } from "../support/sources.ts";

const PICTURE = 0x100;
const SOUND = 0x101;
const seconds = (ticks: number) => ticks / CLOCK_HZ;

/** Packets of 25 pictures and of four sounds a second, on a clock that starts at `startSeconds`. */
function recording(
  startSeconds: number,
  lengthSeconds: number,
  isSilent: (at: number) => boolean = () => false,
): PesTime[] {
  const of = (stream: number, rate: number) =>
    Array.from({ length: lengthSeconds * rate }, (_, i) => ({ stream, at: i / rate }));
  return [...of(PICTURE, 25), ...of(SOUND, 4).filter(({ at }) => !isSilent(at))]
    .toSorted((a, b) => a.at - b.at)
    .map(({ stream, at }) => {
      const ticks = Math.round((startSeconds + at) * CLOCK_HZ) % WRAP_TICKS;
      return { byte: 0, stream, ticks, shownTicks: ticks, hasDecodingTime: true, packetBytes: 0 };
    });
}

const inFile = (...recordings: PesTime[][]) => recordings.flat().map((time, i) => ({ ...time, byte: i * 1000 }));

/** The presentation time of each packet, in seconds. */
function presented(times: PesTime[]): number[] {
  const spans = clockSpans([times], "transport");
  if (spans === null) return times.map(({ ticks }) => seconds(ticks - times[0]!.ticks));
  return times.map(({ byte, ticks }) => {
    const { shiftTicks, startMs } = spans.findLast(({ firstByte }) => firstByte <= byte)!;
    const at = seconds(ticks + shiftTicks);
    const wraps = Math.round((at - startMs / 1000) / seconds(WRAP_TICKS));
    return at - wraps * seconds(WRAP_TICKS);
  });
}

describe("the clock of a transport stream goes on", () => {
  const whole = presented(inFile(recording(10, 30)));
  /** How far a packet is from its place at most, in seconds. */
  const furthest = (times: PesTime[]) => Math.max(...presented(times).map((at, i) => Math.abs(at - whole[i]!)));

  test("where it restarts, is set back, or jumps ahead", () => {
    for (const second of [10, 3, 4000, 90_000])
      expect(furthest(inFile(recording(10, 10), recording(second, 20)))).toBeLessThan(0.26);
  });

  test("across the wrap of its 33 bits, exactly", () => {
    expect(furthest(inFile(recording(seconds(WRAP_TICKS) - 12.34, 30)))).toBeLessThan(1e-6);
  });

  test("over a single wrong time of picture or sound, wherever it is", () => {
    const times = inFile(recording(10, 30));
    const cases = [0, 1, 400, 401, times.length - 2, times.length - 1].flatMap((at) =>
      [5000, 5, -5, -9].map((wrong) => ({ at, wrong })),
    );
    // The first packet of a stream may as well be an early one, and the last one a late one.
    const isAmbiguous = ({ at, wrong }: (typeof cases)[number]) =>
      at < 2 ? wrong < 0 : at >= times.length - 2 && wrong === 5;
    const far = cases.filter((one) => {
      const ticks = (times[one.at]!.ticks + one.wrong * CLOCK_HZ + WRAP_TICKS) % WRAP_TICKS;
      return furthest(times.with(one.at, { ...times[one.at]!, ticks, shownTicks: ticks })) >= 0.26;
    });
    expect(far.filter((one) => !isAmbiguous(one))).toEqual([]);
  });

  test("where packets of two clocks are mixed at the jump", () => {
    const times = inFile(recording(10, 10), recording(3, 20));
    const first = times.findIndex(({ ticks }) => ticks === 3 * CLOCK_HZ);
    [times[first - 1], times[first]] = [
      { ...times[first]!, byte: times[first - 1]!.byte },
      { ...times[first - 1]!, byte: times[first]!.byte },
    ];
    const all = presented(times);
    expect(Math.max(...all)).toBeLessThan(30.3);
    expect(Math.min(...all)).toBeGreaterThanOrEqual(0);
  });

  test("as it is in a gap of eight seconds, and while only the sound pauses for 25 minutes", () => {
    expect(clockSpans([inFile(recording(10, 10), recording(28, 10))], "transport")).toBeNull();
    const isSilent = (at: number) => at > 5 && at < 1505;
    expect(clockSpans([inFile(recording(10, 1510, isSilent))], "transport")).toBeNull();
  });
});

describe("the timestamps in the bytes", () => {
  const times = inFile(recording(10, 2), recording(1, 2));
  const idOf = (stream: number) => (stream === PICTURE ? 0x1e0 : 0x1c0);

  test.each([
    { multiplex: "transport", stride: 188 },
    { multiplex: "transport", stride: 192 },
    { multiplex: "program", stride: 2048 },
  ] as const)("of a $multiplex stream in packets of $stride bytes are found", ({ multiplex, stride }) => {
    const named = multiplex === "transport" ? times : times.map((time) => ({ ...time, stream: idOf(time.stream) }));
    const bytes = pesPackets(named, multiplex, stride);
    const found = pesTimes(multiplex, bytes, 0).times;
    expect(found.map(({ stream, ticks }) => [stream, ticks])).toEqual(
      named.map(({ stream, ticks }) => [stream, ticks]),
    );
  });

  /** A file of this many packets of 188 bytes, in which every hundredth has a time. */
  const fileOf = (all: PesTime[]) => {
    const bytes = pesPackets(all, "transport", 188, 100);
    let bytesRead = 0;
    const read = (offset: number, length: number) => {
      const part = bytes.subarray(offset, offset + length);
      bytesRead += part.length;
      return Promise.resolve(part);
    };
    const reader = {
      sizeBytes: bytes.length,
      nextBytes: (offset: number) => read(offset, 1 << 20),
      sample: read,
    };
    return { file: { reader, multiplex: "transport" as const, streams: [PICTURE, SOUND] }, bytesRead: () => bytesRead };
  };

  test("of a large file are sampled, and read where the clock has jumped", async () => {
    const { file, bytesRead } = fileOf(inFile(recording(10, 60), recording(0, 60)));
    const spans = await readClock(file);
    expect(spans).toHaveLength(2);
    expect(spans![1]!.startMs / 1000).toBeCloseTo(60, 0);
    expect(bytesRead()).toBeLessThan(file.reader.sizeBytes / 2);
  });

  test("of a large file without a jump are sampled only", async () => {
    const { file, bytesRead } = fileOf(inFile(recording(10, 120)));
    expect(await readClock(file)).toBeNull();
    expect(bytesRead()).toBeLessThan(file.reader.sizeBytes / 2);
  });
});

describe("two recordings in one file are encoded as one", () => {
  let encoder: TestEncoder;
  beforeAll(async () => {
    encoder = await TestEncoder.start();
  });
  afterAll(() => encoder.stop());

  const CASES = [
    { name: "ts-restart", second: "ts", tags: [] },
    { name: "ts-jump", second: "ts-late", tags: ["full" as const] },
  ] as const;
  for (const { name, second, tags } of CASES)
    test(`${name} (${SOURCES[name].description})`, { tags: [...tags] }, async () => {
      const path = await makeSource(name);
      const facts = await encoder.probe(path);
      const first = await encoder.probe(await makeSource("ts"));
      const later = await encoder.probe(await makeSource(second));
      expect(Math.abs(facts.durationMs - first.durationMs - later.durationMs)).toBeLessThan(150);

      const start = facts.video!.clock![1]!.startMs / 1000;
      const grid = gridFor(facts);
      const chunk = Math.ceil(start) + 1;
      const { result, desk } = await encoder.encodeVideo(path, {
        video: facts.video!,
        grid,
        firstFrame: chunk * 30,
        frameCount: 30,
        firstSegment: chunk,
        rungs: [rungFor(320, 240)],
      });
      expect(result.frameCount).toBe(30);
      const bytes = Buffer.concat([desk.objects.get("v/init.mp4")!, desk.objects.get(`v/${chunk}.m4s`)!]);
      const pictures = await decodePictures(bytes);
      const references = await referencePictures(await makeSource(second), "null", 320, 240);
      const expected = Math.round((chunk - start) * 30);
      const db = references.slice(expected - 3, expected + 3).map((luma) => psnr(pictures[0]!.luma, luma));
      expect(Math.max(...db)).toBeGreaterThan(37);

      const sound = await decodeSound((await encodeWholeSound(encoder, path, facts.audio[0]!, facts.durationMs)).bytes);
      for (let at = 0.2; at < facts.durationMs / 1000 - 1; at += 0.5)
        expect(loudness(sound, at, at + 0.8), `at ${at} s`).toBeGreaterThan(0.001);
    });
});
