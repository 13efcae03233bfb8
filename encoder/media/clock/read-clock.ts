/** Reads the clock of a transport or program stream from the timestamps in its bytes. */
import type { ClockSpan } from "../../../protocol/source-facts.ts";
import { CLOCK_HZ, clockSpans, stepTicks } from "./clock-spans.ts";
import { type Multiplex, type PesTime, pesTimes } from "./pes-times.ts";

/** Random access to the file. */
export interface ByteReader {
  readonly sizeBytes: number;
  /** Bytes that are read in order, from an offset on, as many as arrive together; none at the end of the file. */
  nextBytes(offset: number): Promise<Buffer>;
  /** A few bytes anywhere, which are not kept. */
  sample(offset: number, length: number): Promise<Buffer>;
}

export interface Multiplexed {
  reader: ByteReader;
  multiplex: Multiplex;
  /** The selected streams, the one whose clock counts first. */
  streams: readonly number[];
}

/** A file up to this size is read as a whole; of a larger one, samples. The reader keeps as much, so it is not read again. */
const WHOLE_BYTES = 32 << 20;
const SAMPLES = 128;
const SAMPLE_BYTES = 128 << 10;
/** A large picture may be between the starts of two packets. */
const MAX_SAMPLE_BYTES = 1 << 20;
const SAMPLES_AT_ONCE = 8;
/** Between two samples, the clock of a file of any rate advances by this many times the usual at most. */
const FASTEST = 4;
const SLOWEST = 0.25;
const SURELY_JUMPED_SECONDS = 10;

/** @returns null when the clock never jumps */
export async function readClock(file: Multiplexed): Promise<ClockSpan[] | null> {
  const { reader } = file;
  const runs = reader.sizeBytes <= WHOLE_BYTES ? [await timesIn(file, 0, reader.sizeBytes)] : await sampledTimes(file);
  const others = strangers(runs.flat(), file.streams);
  return clockSpans(
    runs.map((run) => run.filter(({ stream }) => !others.has(stream))),
    file.multiplex,
  );
}

/** Streams whose clock is another one, such as those of another programme. */
function strangers(times: PesTime[], [main]: readonly number[]): Set<number> {
  const first = times.find(({ stream }) => stream === main) ?? times[0];
  const known = new Set<number>();
  const others = new Set<number>();
  let latest = first;
  for (const time of times) {
    const isFirst = !known.has(time.stream) && !others.has(time.stream);
    if (isFirst && Math.abs(stepTicks(latest!.ticks, time.ticks)) > SURELY_JUMPED_SECONDS * CLOCK_HZ)
      others.add(time.stream);
    else if (isFirst) known.add(time.stream);
    if (known.has(time.stream) && time.byte > first!.byte) latest = time;
  }
  return others;
}

/** Every time in a range of the file. */
async function timesIn(file: Multiplexed, from: number, to: number): Promise<PesTime[]> {
  const { reader, multiplex } = file;
  const streams = new Set(file.streams);
  const times: PesTime[] = [];
  let rest: Buffer = Buffer.alloc(0);
  for (let at = from; at < to;) {
    const isSample = to - from <= MAX_SAMPLE_BYTES;
    const piece = isSample ? await reader.sample(at, to - at) : (await reader.nextBytes(at)).subarray(0, to - at);
    if (piece.length === 0) break;
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const found = pesTimes(multiplex, bytes, at - rest.length);
    for (const time of found.times) if (streams.has(time.stream)) times.push(time);
    rest = bytes.subarray(found.rest);
    at += piece.length;
  }
  return times;
}

/** Samples, and all times between two of them where the clock may have jumped. */
async function sampledTimes(file: Multiplexed): Promise<PesTime[][]> {
  const { sizeBytes } = file.reader;
  const starts = Array.from({ length: SAMPLES }, (_, i) =>
    Math.floor((i * (sizeBytes - SAMPLE_BYTES)) / (SAMPLES - 1)),
  );
  const samples: PesTime[][] = [];
  for (let at = 0; at < starts.length; at += SAMPLES_AT_ONCE) {
    const some = starts.slice(at, at + SAMPLES_AT_ONCE);
    samples.push(...(await Promise.all(some.map((start) => sampleAt(file, start)))));
  }
  const advances = samples.map((sample, i) => advanceTicks(file.streams[0], sample, samples[i + 1] ?? []));
  const known = advances.filter((ticks) => ticks !== null).toSorted((a, b) => a - b);
  const usual = known[Math.floor(known.length / 2)] ?? 0;
  const isUsual = (ticks: number | null) =>
    ticks !== null &&
    ticks >= 0 &&
    ticks >= usual * SLOWEST - CLOCK_HZ &&
    ticks <= usual * FASTEST + SURELY_JUMPED_SECONDS * CLOCK_HZ;
  const runs: PesTime[][] = [];
  for (let first = 0, last = 0; first < SAMPLES; first = last += 1) {
    while (last + 1 < SAMPLES && !isUsual(advances[last]!)) last++;
    runs.push(first === last ? samples[first]! : await timesIn(file, starts[first]!, starts[last]! + SAMPLE_BYTES));
  }
  return runs;
}

/** The times at a place of the file, with one of the first stream at least. */
async function sampleAt(file: Multiplexed, from: number): Promise<PesTime[]> {
  for (let bytes = SAMPLE_BYTES; ; bytes *= 2) {
    const times = await timesIn(file, from, Math.min(file.reader.sizeBytes, from + bytes));
    if (bytes >= MAX_SAMPLE_BYTES || times.some(({ stream }) => stream === file.streams[0])) return times;
  }
}

/** How far the clock of a stream advances between two samples; null = the stream is not in both. */
function advanceTicks(main: number | undefined, sample: PesTime[], next: PesTime[]): number | null {
  const before = sample.findLast(({ stream }) => stream === main);
  const after = next.find(({ stream }) => stream === main);
  return before === undefined || after === undefined ? null : after.ticks - before.ticks;
}

/** Interpolation ends at pieces of this size. */
const FOUND_BYTES = 256 << 10;

/** A position in the file at or shortly before a presentation time, in the span that contains it; by the first of the streams. */
export async function byteBefore(file: Multiplexed, clock: ClockSpan[], seconds: number): Promise<number> {
  const index = Math.max(
    0,
    clock.findLastIndex(({ startMs }) => startMs <= seconds * 1000),
  );
  const { firstByte, shiftTicks } = clock[index]!;
  let [low, high] = [firstByte, clock[index + 1]?.firstByte ?? file.reader.sizeBytes];
  while (high - low > FOUND_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const times = await sampleAt(file, middle);
    const time = times.find(({ stream, byte }) => stream === file.streams[0] && byte < high);
    const isBefore = time !== undefined && (time.ticks + shiftTicks) / CLOCK_HZ <= seconds;
    [low, high] = isBefore ? [middle, high] : [low, middle];
  }
  return low;
}
