/** Tells sound from silence, frame by frame. Pure. */

/** Loudness is judged by this. */
export const FRAME_SECONDS = 0.02;
export const LOUDNESS_FRAME_MS = FRAME_SECONDS * 1000;
/** Softer frames are silence, whatever the rest is like; louder ones are sound. */
const [SOFTEST_DB, LOUDEST_DB] = [-60, -35];
/** Speech is this much louder than the noise between its words. */
const ABOVE_NOISE_DB = 10;
/** The noise is the least loud of this. */
const NOISE_SECONDS = 8;
const SILENCE_DB = -100;

/** Compares each frame with the noise before it. */
export class LoudnessGate {
  readonly #noise = new LeastOf(Math.round(NOISE_SECONDS / FRAME_SECONDS));

  /** @param samples of one frame */
  hear(samples: Float32Array): { db: number; isLoud: boolean } {
    const db = loudnessDb(samples);
    const noiseDb = this.#noise.put(db);
    return { db, isLoud: db > Math.min(LOUDEST_DB, Math.max(SOFTEST_DB, noiseDb + ABOVE_NOISE_DB)) };
  }
}

/** Whether each whole frame of a sound is loud. */
export function loudFrames(samples: Float32Array, rateHz: number): boolean[] {
  const gate = new LoudnessGate();
  const length = Math.round(rateHz * FRAME_SECONDS);
  return Array.from(
    { length: Math.floor(samples.length / length) },
    (_, n) => gate.hear(samples.subarray(n * length, (n + 1) * length)).isLoud,
  );
}

function loudnessDb(samples: Float32Array): number {
  let sum = 0;
  for (const value of samples) sum += value * value;
  return sum === 0 ? SILENCE_DB : Math.max(SILENCE_DB, 10 * Math.log10(sum / samples.length));
}

/** The least of the last values, of which each takes a part of the window: exact to that part, with little memory. */
class LeastOf {
  readonly #partLength: number;
  readonly #parts: number[] = [];
  #inPart = 0;

  constructor(length: number, parts = 8) {
    this.#partLength = Math.ceil(length / parts);
    this.#parts = [Infinity];
    this.#most = parts;
  }

  readonly #most: number;

  put(value: number): number {
    if (this.#inPart === this.#partLength) {
      this.#parts.push(Infinity);
      if (this.#parts.length > this.#most) this.#parts.shift();
      this.#inPart = 0;
    }
    this.#inPart += 1;
    const last = this.#parts.length - 1;
    this.#parts[last] = Math.min(this.#parts[last]!, value);
    return Math.min(...this.#parts);
  }
}
