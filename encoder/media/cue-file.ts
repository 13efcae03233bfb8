import { type CaptionsFile, type CaptionsResult, MAX_CAPTIONS_FILE_BYTES } from "../../protocol/captions.ts";
import type { SourceSubtitles } from "../../protocol/source-facts.ts";

const MAX_CUES = 100_000;
/** Bytes of one stream's text, which JSON escapes may lengthen, and of all streams, which are in memory together. */
const MAX_STREAM_BYTES = 8 << 20;
const MAX_JOB_BYTES = 64 << 20;

/** What the streams of one job share: the range of the presentation that is read, and the memory. */
export class CueBounds {
  /** Start of the clip, in file time. */
  readonly zeroMs: number;
  readonly lengthMs: number;
  #bytes = 0;

  constructor(zeroMs: number, lengthMs: number) {
    this.zeroMs = zeroMs;
    this.lengthMs = lengthMs;
  }

  /** @returns false when the memory of the job is used up */
  take(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes <= MAX_JOB_BYTES;
  }
}

/** Collects the cues of one subtitle stream or channel, within bounds. */
export class CueFile {
  readonly of: Pick<SourceSubtitles, "streamIndex" | "channel">;
  readonly cues: CaptionsFile["cues"] = [];
  skippedCues = 0;
  isTooLarge = false;
  readonly #bounds: CueBounds;
  #bytes = 0;

  constructor({ streamIndex, channel }: Pick<SourceSubtitles, "streamIndex" | "channel">, bounds: CueBounds) {
    this.of = channel === undefined ? { streamIndex } : { streamIndex, channel };
    this.#bounds = bounds;
  }

  /** @param startMs, endMs in file time. A cue without duration or outside the clip is skipped. @param bytes of its payload */
  add(startMs: number, endMs: number, payload: string, settings: string, bytes: number): void {
    const { zeroMs, lengthMs } = this.#bounds;
    const from = Math.round(startMs - zeroMs);
    const to = Math.min(lengthMs, Math.round(endMs - zeroMs));
    if (this.isTooLarge) return;
    if (payload === "" || to <= from || to <= 0) {
      this.skippedCues += 1;
      return;
    }
    this.#bytes += bytes;
    if (!this.#bounds.take(bytes) || this.cues.length >= MAX_CUES || this.#bytes > MAX_STREAM_BYTES) {
      this.isTooLarge = true;
      this.cues.length = 0;
    } else this.cues.push([Math.max(0, from), to, payload, settings]);
  }

  /** @returns the JSON to store, null = none, and the facts for the Worker */
  finish(): { bytes: Buffer | null; facts: CaptionsResult["streams"][number] } {
    const bytes = Buffer.from(JSON.stringify({ cues: this.cues } satisfies CaptionsFile));
    const fits = !this.isTooLarge && bytes.length <= MAX_CAPTIONS_FILE_BYTES;
    const cueCount = fits ? this.cues.length : 0;
    const facts = { ...this.of, cueCount, skippedCues: this.skippedCues, isTooLarge: !fits };
    return { bytes: cueCount > 0 ? bytes : null, facts };
  }
}
