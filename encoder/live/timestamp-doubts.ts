/**
 * Tells a wrong timestamp from a jump of the source's clock. A packet far from the one before it is held until the next ones of its stream
 * have come: if they go on as before, its time is replaced, and if they agree with it, the clock has jumped. Pure.
 */
import { BACK_SECONDS, LONGEST_GAP_SECONDS } from "./source-timeline.ts";

/** A jump is believed when this many packets in a row agree on it. */
const PACKETS_OF_A_JUMP = 3;
/** Used before a stream has had two packets. */
const USUAL_STEP_SECONDS = 0.02;

interface Doubtful {
  stream: { index: number };
  decodeSeconds: number;
}

interface StreamTimes<Timed> {
  lastSeconds: number;
  stepSeconds: number;
  held: Timed[];
}

export class TimestampDoubts<Timed extends Doubtful> {
  readonly #streams = new Map<number, StreamTimes<Timed>>();
  readonly #retime: (packet: Timed, seconds: number) => void;
  /** Latest time that any stream has reached. */
  #passedSeconds = -Infinity;

  /** @param retime gives a packet another decode time, in source seconds */
  constructor(retime: (packet: Timed, seconds: number) => void) {
    this.#retime = retime;
  }

  /** @returns the packets whose times are settled, in the order of their stream; none while this one is in doubt */
  put(packet: Timed): Timed[] {
    const { stream, decodeSeconds: seconds } = packet;
    const times = this.#streams.get(stream.index);
    if (times === undefined) {
      this.#streams.set(stream.index, { lastSeconds: seconds, stepSeconds: USUAL_STEP_SECONDS, held: [] });
      this.#passedSeconds = Math.max(this.#passedSeconds, seconds);
      return [packet];
    }
    if (this.#follows(times.lastSeconds, seconds)) return this.#settle(times, packet);
    const newest = times.held.at(-1);
    if (newest !== undefined && !this.#follows(newest.decodeSeconds, seconds)) {
      const replaced = this.#replace(times, times.lastSeconds + (times.held.length + 1) * times.stepSeconds);
      times.held = [packet];
      return replaced;
    }
    times.held.push(packet);
    if (times.held.length < PACKETS_OF_A_JUMP) return [];
    const jumped = times.held.splice(0);
    this.#passedSeconds = seconds;
    times.lastSeconds = seconds;
    return jumped;
  }

  /** The packets that are still in doubt when the source ends. */
  rest(): Timed[] {
    return [...this.#streams.values()].flatMap((times) =>
      this.#replace(times, times.lastSeconds + (times.held.length + 1) * times.stepSeconds),
    );
  }

  #settle(times: StreamTimes<Timed>, packet: Timed): Timed[] {
    const seconds = packet.decodeSeconds;
    const settled = [...this.#replace(times, seconds), packet];
    const step = seconds - times.lastSeconds;
    if (step > 0 && step < LONGEST_GAP_SECONDS) times.stepSeconds = step;
    times.lastSeconds = seconds;
    this.#passedSeconds = Math.max(this.#passedSeconds, seconds);
    return settled;
  }

  /** Spreads the held packets evenly from the last settled time to `untilSeconds`. */
  #replace(times: StreamTimes<Timed>, untilSeconds: number): Timed[] {
    const held = times.held.splice(0);
    const step = Math.max(0, untilSeconds - times.lastSeconds) / (held.length + 1);
    for (const packet of held) {
      times.lastSeconds += step;
      this.#retime(packet, times.lastSeconds);
    }
    return held;
  }

  #follows = (before: number, seconds: number): boolean =>
    seconds >= before - BACK_SECONDS && seconds <= Math.max(before, this.#passedSeconds) + LONGEST_GAP_SECONDS;
}
