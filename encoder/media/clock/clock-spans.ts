/**
 * Continues the clock of a transport or program stream where it restarts or jumps, as players and the ffmpeg command do: two recordings in one file, a
 * jump ahead, the wrap of its 33 bits, a wrong timestamp. Pure.
 */
import type { ClockSpan } from "../../../protocol/source-facts.ts";
import type { PesTime } from "./pes-times.ts";

export const CLOCK_HZ = 90_000;
export const WRAP_TICKS = 2 ** 33;
/** ffmpeg's `dts_delta_threshold`: a longer gap in all streams is a jump of the clock, a shorter one is a gap. */
const LONGEST_GAP = 10 * CLOCK_HZ;
/** As ffmpeg: a stream does not go back. */
const BACK = CLOCK_HZ / 10;
/** Presentation times of pictures go back by their reordering. */
const BACK_REORDERED = CLOCK_HZ;
/** Decoders hold back 16 pictures at most, of which slides have one in a few seconds. */
const LONGEST_REORDERING = 10 * CLOCK_HZ;
/** Between packets of picture and sound, of which one each second is the rule. */
const LONGEST_STEP = CLOCK_HZ;
/** Shifts to which the clock may return. */
const MAX_EARLIER = 2;
/** The start code of one packet is this far behind the end of the last one at least; libav counts from a byte before it. */
const BEFORE_PACKET = 3;
/** Blu-ray has a time code of four bytes in front of each packet. */
const BEFORE_TRANSPORT_PACKET = 20;

interface Placed extends PesTime {
  shift: number;
}

/**
 * @param runs times in the order of the file; between two runs nothing was read, because the clock goes on
 * @returns spans with constant shifts, from presentation time 0 on; null when the clock never jumps
 */
export function clockSpans(runs: PesTime[][], multiplex: "transport" | "program"): ClockSpan[] | null {
  const placed = placeAll(runs);
  const [first] = placed;
  if (first === undefined || placed.every(({ shift }) => shift === first.shift)) return null;
  const zero = startOf(placed);
  const before = multiplex === "transport" ? BEFORE_TRANSPORT_PACKET : BEFORE_PACKET;
  const spans: ClockSpan[] = [];
  for (const { byte, ticks, shift } of placed) {
    const shiftTicks = shift - zero;
    if (spans.at(-1)?.shiftTicks === shiftTicks) continue;
    spans.push({
      firstByte: spans.length === 0 ? 0 : Math.max(0, byte - before),
      shiftTicks,
      startMs: ((ticks + shiftTicks) * 1000) / CLOCK_HZ,
    });
  }
  return spans;
}

/** The earliest start of a stream. */
function startOf(placed: Placed[]): number {
  const starts = new Map<number, number>();
  for (const { stream, ticks, shownTicks, shift } of placed)
    if (!starts.has(stream)) starts.set(stream, ticks + shift + (reordering(ticks, shownTicks) ?? 0));
  return Math.min(...starts.values());
}

function placeAll(runs: PesTime[][]): Placed[] {
  const clock = new Clock();
  return runs.flatMap((run) => {
    clock.resume();
    const wrong = wrongTimes(run);
    const placed = new Map<PesTime, Placed>();
    for (const time of run) if (!wrong.has(time)) placed.set(time, { ...time, shift: clock.place(time) });
    for (const [time, beside] of wrong) placed.set(time, placeWrong(time, beside, placed));
    return run.map((time) => placed.get(time)!);
  });
}

/** Between its neighbours, or one packet behind the last one. */
function placeWrong(time: PesTime, { before, after }: Neighbours, placed: ReadonlyMap<PesTime, Placed>): Placed {
  const [earlier, later] = [before, after]
    .map((one) => one && placed.get(one))
    .map((one) => one && one.ticks + one.shift);
  const at =
    earlier !== undefined && later !== undefined ? Math.round((earlier + later) / 2) : (earlier ?? later ?? time.ticks);
  return { ...time, shift: at - time.ticks };
}

/** The way from one time to another, across a wrap if that is shorter. */
export const stepTicks = (from: number, to: number): number => {
  const step = (to - from) % WRAP_TICKS;
  if (step > WRAP_TICKS / 2) return step - WRAP_TICKS;
  return step < -WRAP_TICKS / 2 ? step + WRAP_TICKS : step;
};

/** How much later a picture is shown than it is decoded; null = one of the two times is wrong. */
export function reordering(ticks: number, shownTicks: number): number | null {
  const step = stepTicks(ticks, shownTicks);
  return Math.abs(step) > LONGEST_REORDERING ? null : step;
}

const backOf = ({ hasDecodingTime }: PesTime) => (hasDecodingTime ? BACK : BACK_REORDERED);

/** The times on both sides, of the same stream, that are not wrong. */
interface Neighbours {
  before: PesTime | undefined;
  after: PesTime | undefined;
}

/** Single times that neither their predecessors nor their successors continue. */
function wrongTimes(run: PesTime[]): Map<PesTime, Neighbours> {
  const wrong = new Map<PesTime, Neighbours>();
  for (const times of Map.groupBy(run, ({ stream }) => stream).values()) {
    let before: PesTime | undefined;
    for (const [i, time] of times.entries()) {
      const after = times[i + 1];
      if (isWrong(time, before, after, times[i + 2])) wrong.set(time, { before, after });
      else before = time;
    }
  }
  return wrong;
}

function isWrong(time: PesTime, before?: PesTime, after?: PesTime, next?: PesTime): boolean {
  if (before === undefined) return after !== undefined && isJump(time, after) && follows(after, next);
  if (after === undefined) return isJump(before, time);
  return !follows(before, time) && !follows(time, after) && follows(before, after, 2);
}

function follows(from: PesTime, to: PesTime | undefined, steps = 1): boolean {
  if (to === undefined) return false;
  const step = stepTicks(from.ticks, to.ticks);
  return step >= -backOf(to) && step <= steps * LONGEST_STEP;
}

function isJump(from: PesTime, to: PesTime): boolean {
  const step = stepTicks(from.ticks, to.ticks);
  return step < -backOf(to) || step > LONGEST_GAP;
}

interface StreamState {
  last: number; // shifted
  step: number;
  bytes: number;
  /** How long the last packet lasts, compared with the one before it. */
  share: number;
}

/** Shifts times so that they go on. All streams share one clock, so a jump of one is a jump of all. */
class Clock {
  #shift = 0;
  #earlier: number[] = [];
  #streams = new Map<number, StreamState>();
  #latest: number | undefined;

  /** The next times are later ones of the same clock. */
  resume(): void {
    this.#streams.clear();
    this.#latest = undefined;
  }

  /** @returns the shift of the time */
  place(time: PesTime): number {
    // Around a jump, the packets of two clocks may be mixed.
    if (!this.#isNext(time, this.#shift)) this.#change(time);
    this.#keep(time, time.ticks + this.#shift);
    return this.#shift;
  }

  #change(time: PesTime): void {
    const returned = this.#earlier.find((shift) => this.#isNext(time, shift));
    if (returned === undefined && this.#goesOn(time, this.#shift)) return;
    const wraps = [this.#shift + WRAP_TICKS, this.#shift - WRAP_TICKS];
    const known = returned ?? [...wraps, ...this.#earlier].find((shift) => this.#goesOn(time, shift));
    const end = Math.max(
      ...[...this.#streams.values()].map(({ last, step, share }) => Math.round(last + step * share)),
    );
    this.#earlier = [this.#shift, ...this.#earlier.filter((shift) => shift !== known)].slice(0, MAX_EARLIER);
    this.#shift = known ?? end - time.ticks;
  }

  /** Whether a time directly follows the one before it in its stream. */
  #isNext(time: PesTime, shift: number): boolean {
    const last = this.#streams.get(time.stream)?.last;
    const at = time.ticks + shift;
    return last !== undefined && at >= last - backOf(time) && at <= last + LONGEST_STEP;
  }

  /** Whether a time is a later one of the same clock. */
  #goesOn(time: PesTime, shift: number): boolean {
    const at = time.ticks + shift;
    const last = this.#streams.get(time.stream)?.last ?? -Infinity;
    return at >= last - backOf(time) && (this.#latest === undefined || Math.abs(at - this.#latest) <= LONGEST_GAP);
  }

  #keep({ stream, packetBytes: bytes }: PesTime, at: number): void {
    const before = this.#streams.get(stream) ?? { last: at, step: 0, bytes: 0 };
    const step = at - before.last;
    this.#streams.set(stream, {
      last: Math.max(before.last, at),
      step: step > 0 && step <= LONGEST_STEP ? step : before.step,
      bytes,
      share: bytes > 0 && bytes < before.bytes ? bytes / before.bytes : 1,
    });
    this.#latest = Math.max(this.#latest ?? -Infinity, at);
  }
}
