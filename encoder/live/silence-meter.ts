/** Notices a sound that is sent but silent, as of a muted microphone. Pure. */
import type { SoundPiece } from "./sound-converter.ts";

/** -80 dBFS: dither and the noise of a codec are below. */
const SILENT_BELOW = 1e-4;
const SILENT_SECONDS = 30;

export class SilenceMeter {
  #since: number | undefined;
  #isReported = false;

  /** @returns whether the sound has now been silent for 30 s; once until it is heard again */
  put({ seconds, planes }: SoundPiece): boolean {
    const isSilent = planes.every((plane) => plane.every((sample) => Math.abs(sample) < SILENT_BELOW));
    if (!isSilent) {
      [this.#since, this.#isReported] = [undefined, false];
      return false;
    }
    if (this.#since === undefined || seconds < this.#since) this.#since = seconds;
    if (this.#isReported || seconds - this.#since < SILENT_SECONDS) return false;
    this.#isReported = true;
    return true;
  }
}
