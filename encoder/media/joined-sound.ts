/** Puts the sounds of several ranges together, without clicks where they join. */
import type { Frame } from "node-av/lib";
import { soundFrame } from "./converted-sound.ts";
import { planesOf } from "./decoded-sound.ts";
import type { SoundOutput } from "./sound-encoder.ts";

/** Half of a cross-fade, in seconds: short enough not to be heard, long enough for a low tone not to click. */
const HALF_FADE_SECONDS = 0.005;

/** The sound of one range. */
export interface JoinedTake {
  /** Length in samples of the output: 10 ms at least. */
  samples: number;
  /** Its frames in the output's format from `leadSeconds` before its start on; what the file has behind its end may follow. Null = silence. */
  open: ((leadSeconds: number) => AsyncGenerator<Frame>) | null;
}

/**
 * Yields frames whose times are in samples of the output, one after another from 0. At a join, the earlier sound goes on for a moment behind its end and
 * fades out, while the later one fades in from a moment before its start: linearly, so that a sound that is joined with its own continuation stays as
 * it is. The receiver owns the frames.
 */
export async function* joinedSound(takes: readonly JoinedTake[], output: SoundOutput): AsyncGenerator<Frame> {
  const half = Math.round(HALF_FADE_SECONDS * output.sampleRateHz);
  let position = 0;
  const emit = (planes: Float32Array[]): Frame => {
    const frame = soundFrame(planes, output.sampleRateHz);
    frame.pts = BigInt(position);
    position += frame.nbSamples;
    return frame;
  };
  /** The faded end of the take before, around its join. */
  let held: Float32Array[] | null = null;
  for (const [index, { samples, open }] of takes.entries()) {
    const isFirst = index === 0;
    const isLast = index === takes.length - 1;
    const lead = isFirst ? 0 : half;
    const source = new Samples(open?.(lead / output.sampleRateHz) ?? null, output.channels);
    try {
      let left = samples + lead - (isLast ? 0 : half);
      if (held !== null) {
        const joined = await source.take(2 * half);
        fade(joined, (at) => at / (2 * half));
        add(held, joined);
        left -= 2 * half;
        yield emit(held);
      }
      while (left > 0) {
        const piece = await source.takeSome(left);
        left -= piece[0]!.length;
        yield emit(piece);
      }
      if (isLast) return;
      held = await source.take(2 * half);
      fade(held, (at) => 1 - at / (2 * half));
    } finally {
      await source.close();
    }
  }
}

/** Samples as they are asked for; behind the end of the sound, silence. */
class Samples {
  readonly #frames: AsyncGenerator<Frame> | null;
  readonly #channels: number;
  #piece: Float32Array[] = [];
  #isOver: boolean;

  constructor(frames: AsyncGenerator<Frame> | null, channels: number) {
    this.#frames = frames;
    this.#channels = channels;
    this.#isOver = frames === null;
  }

  /** At least one sample, at most `most`. */
  async takeSome(most: number): Promise<Float32Array[]> {
    while (!this.#isOver && (this.#piece[0]?.length ?? 0) === 0) {
      const { value: frame, done } = await this.#frames!.next();
      if (done === true) {
        this.#isOver = true;
        break;
      }
      this.#piece = planesOf(frame);
      frame.free();
    }
    const available = this.#piece[0]?.length ?? 0;
    if (available === 0) return this.#silence(Math.min(most, SILENCE_AT_ONCE));
    const count = Math.min(available, most);
    const taken = this.#piece.map((plane) => plane.slice(0, count));
    this.#piece = this.#piece.map((plane) => plane.subarray(count));
    return taken;
  }

  async take(count: number): Promise<Float32Array[]> {
    const whole = this.#silence(count);
    for (let at = 0; at < count;) {
      const piece = await this.takeSome(count - at);
      for (const [channel, plane] of whole.entries()) plane.set(piece[channel]!, at);
      at += piece[0]!.length;
    }
    return whole;
  }

  async close(): Promise<void> {
    await this.#frames?.return(undefined);
  }

  #silence(count: number): Float32Array[] {
    return Array.from({ length: this.#channels }, () => new Float32Array(count));
  }
}

const SILENCE_AT_ONCE = 48_000;

function fade(planes: Float32Array[], gainAt: (at: number) => number): void {
  for (const plane of planes) for (let at = 0; at < plane.length; at += 1) plane[at]! *= gainAt(at);
}

function add(into: Float32Array[], planes: Float32Array[]): void {
  for (const [channel, plane] of into.entries())
    for (let at = 0; at < plane.length; at += 1) plane[at]! += planes[channel]![at]!;
}
