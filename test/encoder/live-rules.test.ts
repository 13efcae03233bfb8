import { expect, test } from "vitest";
import { CaptureClock } from "../../encoder/live/capture-clock.ts";
import { planLiveLadder, refitLadder } from "../../encoder/live/ladder-plan.ts";
import { MissingStreams } from "../../encoder/live/missing-streams.ts";
import { SilenceMeter } from "../../encoder/live/silence-meter.ts";
import { Interleaving } from "../../encoder/live/interleaving.ts";
import { isRateConfirmed, planLiveGrid, withFirstAligned } from "../../encoder/live/live-grid.ts";
import { LivePicker } from "../../encoder/live/live-picker.ts";
import type { PartFacts } from "../../encoder/live/output.ts";
import { Outbox } from "../../encoder/live/outbox.ts";
import { OverloadPolicy } from "../../encoder/live/overload.ts";
import { Pcm } from "../../encoder/live/pcm.ts";
import { avcConfigOf, avcStreamOf, avcUnitOf } from "../../encoder/media/avc-units.ts";
import { SourceTimeline } from "../../encoder/live/source-timeline.ts";
import { SegmentGrid } from "../../encoder/live/segment-grid.ts";
import { TimestampDoubts } from "../../encoder/live/timestamp-doubts.ts";
import { encodeMessage, MessageReader, type WireMessage } from "../../encoder/live/wire.ts";
import { STANDARD_RATES } from "../../protocol/standard-rates.ts";

const timesAt = (rate: number, count = 30) => Array.from({ length: count }, (_, i) => i / rate);
const ODD_RATES = [1, 5, 10, 12, 12.5, 15, 20, 29.5, 33, 48, 90, 120].map((num) => ({ num, den: 1 }));

test("at every rate and part target, parts are at most the target and at least 85 % of it, in whole ticks", () => {
  for (const { num, den } of [...STANDARD_RATES, ...ODD_RATES])
    for (const partTargetMs of [200, 250, 333, 500, 1000])
      for (const segmentMs of [2000, 4000]) {
        const grid = planLiveGrid(num / den, timesAt(num / den), { segmentMs, partTargetMs });
        const partMs = (1000 * grid.framesPerPart * grid.frameRate.den) / grid.frameRate.num;
        const what = `${num}/${den}, ${partTargetMs} ms: ${JSON.stringify(grid)}`;
        expect(partMs, `at ${what}`).toBeLessThanOrEqual(partTargetMs + 0.001);
        expect(partMs, `at ${what}`).toBeGreaterThanOrEqual(0.85 * partTargetMs - 0.001);
        expect(Number.isInteger(grid.ticksPerFrame), `at ${what}`).toBe(true);
        expect((grid.framesPerSegment * grid.frameRate.den) / grid.frameRate.num, `at ${what}`).toBeCloseTo(
          segmentMs / 1000,
          1,
        );
      }
});

test("a source with a missing or wrong rate gets 30 fps", () => {
  const settings = { segmentMs: 2000, partTargetMs: 500 };
  expect(planLiveGrid(0, [], settings).frameRate).toEqual({ num: 30, den: 1 });
  expect(planLiveGrid(90_000, [0, 0.01, 0.4], settings).frameRate).toEqual({ num: 30, den: 1 });
  expect(planLiveGrid(0, timesAt(25), settings).frameRate).toEqual({ num: 25, den: 1 });
});

test("a declared rate that would leave out regular pictures is ignored; one that would only repeat them is not", () => {
  const settings = { segmentMs: 2000, partTargetMs: 500 };
  const rateOf = (declared: number, times: number[]) => planLiveGrid(declared, times, settings).frameRate.num;
  expect([15, 24, 25].map((declared) => rateOf(declared, timesAt(30)))).toEqual([30, 30, 30]);
  expect([30, 60].map((declared) => rateOf(declared, timesAt(30)))).toEqual([30, 60]); // it may show more of them later
  const on50 = timesAt(30).map((seconds) => Math.round(seconds * 50) / 50); // 30 pictures a second, on a clock of 50 Hz
  expect([50, 30, 0].map((declared) => rateOf(declared, on50))).toEqual([50, 30, 30]);
});

test("eight regular times confirm the declared rate; irregular, different or fewer times do not", () => {
  const rounded = timesAt(30, 8).map((seconds) => Math.round(seconds * 1000) / 1000);
  expect(isRateConfirmed(30, rounded)).toBe(true);
  expect(isRateConfirmed(30, timesAt(30, 7))).toBe(false);
  for (const declared of [0, 25, 60, 90_000]) expect(isRateConfirmed(declared, rounded)).toBe(false);
  expect(isRateConfirmed(30, [...timesAt(30, 7), 0.3])).toBe(false);
});

const GRID_30 = planLiveGrid(30, timesAt(30), { segmentMs: 2000, partTargetMs: 500 });

test("sound parts have valid durations in segments of any length, including a divided first one", () => {
  for (const rateHz of [44_100, 48_000])
    for (const partTargetMs of [200, 250, 500, 1000])
      for (const isFirstShort of [false, true])
        for (let segment = 0; segment < 50; segment++) {
          const grid = new SegmentGrid(null, { segmentMs: 2002, partTargetMs }, isFirstShort);
          const ms = (grid.soundPartFrames(segment, rateHz) * 1024 * 1000) / rateHz;
          expect(ms).toBeLessThanOrEqual(partTargetMs);
          expect(ms).toBeGreaterThanOrEqual(0.85 * partTargetMs);
        }
});

test.each([false, true])(
  "wherever a picture ends, its sound ends in the same segment: first one divided %s",
  (isFirstShort) => {
    const grid = new SegmentGrid(GRID_30, { segmentMs: 2000, partTargetMs: 500 }, isFirstShort);
    for (let frames = 1; frames < 600; frames++) {
      const segments = grid.segmentOf(frames - 1) + 1;
      const total = grid.soundFramesUntil(frames / 30, segments, 48_000);
      expect(total).toBeLessThanOrEqual(grid.soundEnd(segments - 1, 48_000));
      if (segments > 1) expect(total).toBeGreaterThan(grid.soundEnd(segments - 2, 48_000));
    }
  },
);

test("a divided start is a GOP and the rest; later segments start as without division", () => {
  const usual = new SegmentGrid(GRID_30, { segmentMs: 2000, partTargetMs: 500 }, false);
  const divided = new SegmentGrid(GRID_30, { segmentMs: 2000, partTargetMs: 500 }, true);
  expect([0, 1, 2].map((segment) => usual.end(segment))).toEqual([60, 120, 180]);
  expect([0, 1, 2, 3].map((segment) => divided.end(segment))).toEqual([30, 60, 120, 180]);
  expect([0, 29, 30, 59, 60, 119, 120].map((frame) => [divided.segmentOf(frame), divided.intoSegment(frame)])).toEqual([
    [0, 0],
    [0, 29],
    [1, 0],
    [1, 29],
    [2, 0],
    [2, 59],
    [3, 0],
  ]);
  expect([0, 1, 2, 3].map(divided.startSeconds)).toEqual([0, 1, 2, 4]);
  expect([usual, divided].map((grid) => grid.start(grid.firstUndivided))).toEqual([0, 60]);
  const times = { segmentMs: 1000, partTargetMs: 500 };
  const seconds = new SegmentGrid(planLiveGrid(30, timesAt(30), times), times, true);
  expect([seconds.end(0), seconds.end(1), seconds.firstUndivided]).toEqual([30, 60, 0]);
});

test("an early first picture is moved to its place; one before a gap or of an irregular source keeps its time", () => {
  const shifted = [
    0,
    ...timesAt(30, 12)
      .slice(1)
      .map((seconds) => seconds + 0.021),
  ];
  expect(withFirstAligned(shifted)[0]).toBeCloseTo(0.021, 6);
  for (const times of [timesAt(30, 12), [0, ...timesAt(30, 12).slice(3)], [0, 0.05, 0.06, 0.13, 0.14, 0.19, 0.3]])
    expect(withFirstAligned(times)).toEqual(times);
});

test("a picture is placed immediately: rounded times keep their frame, double rates drop every second one, gaps repeat", () => {
  const rate = { num: 30, den: 1 };
  const placesOf = (times: number[]) => {
    const picker = new LivePicker(rate);
    return times.map((seconds) => picker.place(seconds));
  };
  const rounded = timesAt(30, 100).map((seconds) => Math.round(seconds * 1000) / 1000);
  expect(placesOf(rounded)).toEqual(rounded.map((_, frame) => ({ repeated: 0, frame })));
  expect(placesOf(timesAt(60, 6)).map((place) => place?.frame ?? null)).toEqual([0, null, 1, null, 2, null]);
  expect(placesOf([0, 5 / 30])).toEqual([
    { repeated: 0, frame: 0 },
    { repeated: 4, frame: 5 },
  ]);
  const picker = new LivePicker(rate);
  picker.place(0);
  expect([picker.holdUntil(0.5), picker.count, picker.place(0.3)]).toEqual([14, 15, null]);
});

test("only the leader's jumps count; sound of another timeline is stray until the picture reaches it", () => {
  const timeline = new SourceTimeline(1.2);
  const seen = (
    [
      ["video", 10],
      ["audio", 9.2],
      ["video", 12.9],
      ["audio", 500],
      ["video", 500],
      ["audio", 500.1],
      ["audio", 13],
      ["video", 499.8],
    ] as const
  ).map(([kind, seconds]) => timeline.place(kind === "video", seconds));
  expect(seen).toEqual(["continuous", "continuous", "continuous", "stray", "jump", "continuous", "stray", "jump"]);
});

test("a late picture after a stall is not a jump, and neither is the next one", () => {
  const timeline = new SourceTimeline(1.2);
  timeline.place(true, 10);
  timeline.passUntil(15);
  expect([10.1, 15.2, 17, 9].map((seconds) => timeline.place(true, seconds))).toEqual([
    "continuous",
    "continuous",
    "continuous",
    "jump",
  ]);
});

test("capture times follow the smallest delay, ignore a network stall, and never decrease", () => {
  const clock = new CaptureClock();
  const reported: number[] = [];
  for (let i = 0; i < 30; i++) {
    const stalledMs = i >= 5 && i < 8 ? (8 - i) * 1000 : 0; // three seconds arrive at once
    clock.note(i, 1_000_000 + i * 1000 + (i % 3) * 40 + stalledMs);
    reported.push(clock.capturedAtMs(i));
  }
  for (const [i, ms] of reported.entries()) expect(Math.abs(ms - 1_000_000 - i * 1000)).toBeLessThan(100);
  clock.note(10, 1_030_000);
  expect(clock.capturedAtMs(10)).toBeGreaterThanOrEqual(reported.at(-1)!);
});

test("capture times advance with the media even after a bad first estimate, and converge", () => {
  const clock = new CaptureClock();
  const reported: number[] = [];
  for (let i = 0; i < 120; i++) {
    clock.note(i, 1_000_000 + i * 1000 + (i < 3 ? 400 : 0)); // the first seconds arrived late
    reported.push(clock.capturedAtMs(i));
  }
  for (let i = 1; i < 120; i++) expect(Math.abs(reported[i]! - reported[i - 1]! - 1000)).toBeLessThanOrEqual(10.001);
  expect(reported[119]! - 1_119_000).toBeLessThan(100);
});

const RUNGS = [1080, 720, 270].map((px) => ({ name: `v${px}`, maxBitrateBps: px * 1000 }));

test("a machine that stays too slow drops its largest rungs one at a time, and never the lowest", () => {
  const policy = new OverloadPolicy();
  let rungs = RUNGS;
  const given: string[] = [];
  for (let second = 1; second < 60; second++) {
    const name = policy.decide({ atMs: second * 1000, busyMs: 1000, mediaMs: 700 }, rungs);
    if (name === null) continue;
    given.push(`${name} after ${second} s`);
    rungs = rungs.filter((rung) => rung.name !== name);
  }
  expect(given).toEqual(["v1080 after 4 s", "v720 after 10 s"]);
});

test("short delays, source pauses and fast feeds drop no rung", () => {
  const policy = new OverloadPolicy();
  for (let second = 1; second < 60; second++) {
    const sample = [
      { busyMs: 1000, mediaMs: 500 },
      { busyMs: 1000, mediaMs: 800 },
      { busyMs: 1000, mediaMs: 5000 },
      { busyMs: 3, mediaMs: 0 },
    ][second % 4]!;
    expect(policy.decide({ atMs: second * 1000, ...sample }, RUNGS)).toBeNull();
  }
});

test("a picture of another size keeps the rung names and its aspect ratio, and is not upscaled", () => {
  const rungs = planLiveLadder({ widthPx: 1920, heightPx: 1080 }, { num: 30, den: 1 }, "720p");
  expect(rungs.map(({ name }) => name)).toEqual(["v720", "v480", "v270"]);
  const upright = refitLadder(rungs, { widthPx: 480, heightPx: 854 });
  expect(upright.map(({ name, widthPx, heightPx }) => [name, widthPx, heightPx])).toEqual([
    ["v720", 480, 854],
    ["v480", 480, 854],
    ["v270", 270, 480],
  ]);
});

test("sound on its timeline: rounding causes no gap, gaps become silence, overlaps are dropped", () => {
  const pcm = new Pcm(48_000, 1);
  const ones = (count: number) => [new Float32Array(count).fill(1)];
  pcm.write(0, ones(1000));
  pcm.write(1010, ones(1000));
  expect(pcm.end).toBe(2000);
  pcm.write(8000, ones(5100));
  pcm.write(2500, ones(10_700));
  expect(pcm.end).toBe(13_200);
  const [samples] = pcm.read(13_200)!;
  expect([samples![1999], samples![2000], samples![7999], samples![13_199]]).toEqual([1, 0, 0, 1]);
  expect(pcm.read(1)).toBeNull();
});

test("sound that comes after silence in its place is placed exactly", () => {
  const pcm = new Pcm(48_000, 1);
  pcm.write(500, [new Float32Array(1000).fill(1)]);
  expect(pcm.end).toBe(1500);
  pcm.padTo(6000);
  pcm.write(5000, [new Float32Array(1500).fill(1)]);
  expect(pcm.end).toBe(6500);
});

const AAC_SECONDS = 1024 / 48_000;
/** Ten seconds of AAC frames with these timestamps: the sound, and how far its end is from its place. */
function played(timeOf: (n: number) => number): { holes: number; lateSeconds: number } {
  const pcm = new Pcm(48_000, 1);
  const count = 470;
  for (let n = 0; n < count; n++) pcm.write(Math.round(48_000 * timeOf(n)), [new Float32Array(1024).fill(1)]);
  const lateSeconds = pcm.end / 48_000 - (timeOf(count - 1) + AAC_SECONDS);
  return { holes: pcm.read(pcm.end)![0]!.filter((sample) => sample === 0).length, lateSeconds };
}

test.each<[string, (n: number) => number]>([
  ["milliseconds", (n) => Math.round(1000 * n * AAC_SECONDS) / 1000],
  ["pairs with one timestamp", (n) => AAC_SECONDS * (n - (n % 2))],
  ["fours with one timestamp", (n) => AAC_SECONDS * (n - (n % 4))],
  ["eights with one timestamp", (n) => AAC_SECONDS * (n - (n % 8))],
  ["fours that begin with the third", (n) => (n < 2 ? 0 : AAC_SECONDS * (n - ((n + 2) % 4)))],
  [
    "a capture clock that jitters by 30 ms",
    (n) => Math.max(0, n * AAC_SECONDS + [0, 0.03, -0.005, 0.025, -0.028, 0.01][n % 6]!),
  ],
])("sound stamped in %s has no holes, and all of it is played", (_, timeOf) => {
  const { holes, lateSeconds } = played(timeOf);
  expect(holes).toBe(0);
  expect(lateSeconds).toBeGreaterThan(-0.05);
  expect(lateSeconds).toBeLessThan(0.16);
});

test("sound of which 40 ms are lost is in its place again after a second", () => {
  const { holes, lateSeconds } = played((n) => n * AAC_SECONDS + (n < 100 ? 0 : 0.04));
  expect(holes).toBe(1920);
  expect(Math.abs(lateSeconds)).toBeLessThan(0.001);
});

test("a source whose sound is slower than its clock keeps within 60 ms of its timestamps", () => {
  const { lateSeconds } = played((n) => n * AAC_SECONDS * 1.01);
  expect(Math.abs(lateSeconds)).toBeLessThan(0.06);
});

/** The times of a stream of 25 Hz after doubts about them, with the sound between its packets. */
function settledTimes(times: number[], sound: (n: number) => number = (n) => times[0]! + n / 25): number[] {
  const packetOf = (index: number, decodeSeconds: number) => ({ stream: { index }, decodeSeconds });
  const doubts = new TimestampDoubts<ReturnType<typeof packetOf>>(
    (packet, seconds) => (packet.decodeSeconds = seconds),
  );
  const settled = times.flatMap((seconds, n) => [
    ...doubts.put(packetOf(0, seconds)),
    ...doubts.put(packetOf(1, sound(n))),
  ]);
  const rounded = ({ decodeSeconds }: { decodeSeconds: number }) => Math.round(100 * decodeSeconds) / 100;
  return [...settled, ...doubts.rest()].filter(({ stream }) => stream.index === 0).map(rounded);
}
const STEADY = timesAt(25, 8);
const stray = (at: number, seconds: number) => STEADY.map((time, n) => (n === at ? seconds : time));

test.each([
  ["hours ahead", 36_000],
  ["hours behind", -36_000],
  ["four seconds ahead", 4],
  ["half a second behind", -0.5],
])("one timestamp %s is replaced, wherever it is", (_, seconds) => {
  for (let at = 1; at < STEADY.length; at++) expect(settledTimes(stray(at, seconds))).toEqual(STEADY);
});

test("two wrong timestamps in a row, alike or not, are replaced", () => {
  const wrong = (pair: number[]) => STEADY.map((time, n) => pair[n - 3] ?? time);
  expect(settledTimes(wrong([500, 500.04]))).toEqual(STEADY);
  expect(settledTimes(wrong([500, -900]))).toEqual(STEADY);
});

test("a jump that three packets agree on is believed, with all its packets", () => {
  const jumped = [...STEADY, ...STEADY.map((time) => time + 1000), ...STEADY.map((time) => time - 1000)];
  expect(settledTimes(jumped)).toEqual(jumped.map((time) => Math.round(100 * time) / 100));
});

test("a picture that comes after a pause, while the sound goes on, is in its place", () => {
  const paused = [0, 0.04, 6, 6.04, 6.08, 6.12, 6.16, 6.2];
  expect(settledTimes(paused, (n) => (n < 2 ? n / 25 : 6))).toEqual(paused);
});

const part = (msn: number, number: number, isLast = false): PartFacts => ({
  rendition: "v",
  msn,
  part: number,
  durationTicks: 1,
  decodeTicks: 0,
  isIndependent: true,
  isLast,
  capturedAtMs: 0,
  isDiscontinuous: false,
  initVersion: 0,
});

test("memory is bounded for a slow receiver: the oldest queued segment becomes a gap, the rest arrives in order", async () => {
  const gate = Promise.withResolvers<void>();
  const heard: string[] = [];
  const outbox = new Outbox(
    {
      onInit: async () => void heard.push("init"),
      onPart: async ({ msn, part: number }) => {
        await gate.promise;
        heard.push(`${msn}.${number}`);
      },
      onGap: async (_, msn) => void heard.push(`gap ${msn}`),
      onRejected: () => void heard.push("rejected"),
    },
    4000,
  );
  outbox.putInit("v", 0, Buffer.alloc(10), { codec: "", widthPx: null, heightPx: null, timescale: 1, frameRate: null });
  for (let msn = 0; msn < 5; msn++)
    for (let number = 0; number < 2; number++) {
      outbox.putPart(part(msn, number, number === 1), Buffer.alloc(1000));
      await Promise.resolve();
      expect(outbox.queuedBytes).toBeLessThanOrEqual(4000);
    }
  gate.resolve();
  await outbox.settled();
  expect(heard).toEqual(["init", "0.0", "gap 0", "gap 1", "gap 2", "3.0", "3.1", "4.0", "4.1"]);
});

test("a refused part makes its segment a gap, and the next segment continues", async () => {
  const heard: string[] = [];
  const outbox = new Outbox(
    {
      onInit: async () => {},
      onPart: async ({ msn, part: number }) => {
        if (msn === 0 && number === 1) throw new Error("refused");
        heard.push(`${msn}.${number}`);
      },
      onGap: async (_, msn) => void heard.push(`gap ${msn}`),
      onRejected: () => void heard.push("rejected"),
    },
    1e6,
  );
  for (const [msn, number] of [
    [0, 0],
    [0, 1],
    [0, 2],
    [1, 0],
  ] as const)
    outbox.putPart(part(msn, number), Buffer.alloc(10));
  await outbox.settled();
  expect(heard).toEqual(["0.0", "rejected", "gap 0", "1.0"]);
});

test("messages are reassembled from any pipe chunks, and invalid data is an error", () => {
  const messages: [WireMessage, Buffer][] = [
    [{ type: "part", facts: part(1, 2) }, Buffer.from("bytes of a part")],
    [{ type: "pulse", pulse: { segments: 1, speed: 2, isWaiting: true, steps: 3 } }, Buffer.alloc(0)],
  ];
  const stream = Buffer.concat(messages.map(([message, bytes]) => encodeMessage(message, bytes)));
  for (let cut = 1; cut < stream.length; cut++) {
    const reader = new MessageReader();
    const found = [...reader.push(stream.subarray(0, cut)), ...reader.push(stream.subarray(cut))];
    expect(found.map(({ message, bytes }) => [message, bytes.toString()])).toEqual(
      messages.map(([message, bytes]) => [message, bytes.toString()]),
    );
  }
  expect(() => new MessageReader().push(Buffer.alloc(8, 0xff))).toThrow("not a valid message");
});

test("access units of any framing become samples; other parameter sets and damaged units are refused", () => {
  const nal = (type: number, ...rest: number[]) => Buffer.from([0x60 | type, ...rest]);
  const [sps, pps, slice, idr] = [nal(7, 100, 0, 31, 1, 2), nal(8, 3), nal(1, 9, 9, 1), nal(5, 8, 0, 0, 3, 1)];
  const startCoded = (...units: Buffer[]) =>
    Buffer.concat(units.flatMap((unit, i) => [Buffer.from(i === 0 ? [0, 0, 0, 1] : [0, 0, 1]), unit]));
  const lengthCoded = (bytes: number, ...units: Buffer[]) =>
    Buffer.concat(
      units.flatMap((unit) => {
        const length = Buffer.alloc(bytes);
        length.writeUIntBE(unit.length, 0, bytes);
        return [length, unit];
      }),
    );
  const annexB = avcStreamOf(startCoded(sps, pps))!;
  const record = avcConfigOf(annexB);
  expect(record.toString("hex")).toBe("0164001fffe100066764001f01020100026803fdf8f800");
  expect(avcStreamOf(record)).toEqual({ ...annexB, lengthBytes: 4 });
  const [delimiter, filler] = [nal(9, 0xf0), nal(12, 0xff)];
  const key = { data: lengthCoded(4, idr), isIdr: true };
  expect(avcUnitOf(startCoded(delimiter, sps, pps, idr, filler), annexB)).toEqual(key);
  expect(avcUnitOf(lengthCoded(2, sps, idr), { ...annexB, lengthBytes: 2 })).toEqual(key);
  expect(avcUnitOf(startCoded(slice), annexB)).toEqual({ data: lengthCoded(4, slice), isIdr: false });
  expect(avcUnitOf(startCoded(nal(7, 100, 0, 32), idr), annexB)).toBeNull();
  expect(avcUnitOf(startCoded(delimiter), annexB)).toBeNull();
  expect(avcUnitOf(lengthCoded(4, slice).subarray(0, 6), { ...annexB, lengthBytes: 4 })).toBeNull();
  expect(avcStreamOf(startCoded(sps))).toBeNull();
  expect(avcStreamOf(null)).toBeNull();
});

test("a stream is waited for as long as it has been behind, within limits, and not at all while it has never come", () => {
  const interleaving = new Interleaving(false);
  expect(interleaving.delaySeconds(1)).toBe(3.5);
  for (let n = 0; n < 100; n++) {
    expect(interleaving.note("picture", n / 25)).toBe(false);
    if (n >= 50) interleaving.note(1, n / 25 - 2);
  }
  expect(interleaving.delaySeconds(1)).toBeCloseTo(2.4);
  expect(interleaving.delaySeconds("picture")).toBe(1.2);
  expect(interleaving.delaySeconds(2)).toBe(0);
  expect(interleaving.note(1, -1)).toBe(true);
  expect(interleaving.delaySeconds(1)).toBe(3.5);
  expect(new Interleaving(true).delaySeconds(1)).toBe(5);
});

test("a stream is missing after 10 s without it, once until it comes again", () => {
  const missing = new MissingStreams();
  missing.expect("picture");
  missing.expect(1);
  const found = (seconds: number, stream: "picture" | number = 1) => missing.note(stream, seconds);
  expect(Array.from({ length: 21 }, (_, n) => found(n / 2)).flat()).toEqual([]);
  expect([found(10.5), found(11)]).toEqual([["picture"], []]);
  expect([found(11, "picture"), found(21, "picture"), found(21.1, "picture"), found(30, "picture")]).toEqual([
    [],
    [],
    [1],
    [],
  ]);
  missing.changeTimeline();
  expect([found(5000), found(5010), found(5010.1)]).toEqual([[], [], ["picture"]]);
});

test("a sound is silent when it has been for 30 s, once until it is heard", () => {
  const meter = new SilenceMeter();
  const at = (seconds: number, level: number) => meter.put({ seconds, planes: [new Float32Array(1024).fill(level)] });
  expect([at(0, 0), at(29, 0.00005), at(30, 0), at(60, 0)]).toEqual([false, false, true, false]);
  expect([at(61, 0.01), at(62, 0), at(91, 0), at(92, 0)]).toEqual([false, false, false, true]);
});
