/** The captions of a broadcast on the timeline of its recording, or of a clip. Pure. */
import { type Cue, LATEST_MS, MAX_CAPTION_BYTES, MAX_CUES } from "../captions/cue.ts";
import type { Rendition } from "../manifest/model.ts";
import { spansOf, type TimedSpan, timedSpans } from "../manifest/spans.ts";

/** Text that grows after a longer pause begins a cue, as in captions of a file (`ShownText`). */
const PAUSE_MS = 1000;
/** Times of cues are rounded. */
const ROUNDING_MS = 1;

interface PlacedSpan extends TimedSpan {
  /** Position of its first segment. */
  first: number;
}

/** Joins what is shown in each segment into cues. A caption that goes on is one cue, and so is a row that is typed on the screen. */
export class RecordedCues {
  readonly cues: Cue[] = [];
  readonly #spans: PlacedSpan[];
  readonly #firstMsn: number;
  #at = 0; // of the span
  /** When the text of the last cue has changed. */
  #changedMs = 0;
  #length = 0;

  /**
   * @param renditions of the recording, the picture first
   * @param firstMsn of their first segment
   */
  constructor(renditions: Pick<Rendition, "segments" | "timescale">[], firstMsn: number) {
    const firsts = renditions.slice(0, 1).flatMap((one) => spansOf(one));
    this.#spans = timedSpans(renditions).map((span, n) => ({ ...span, first: firsts[n]!.first }));
    this.#firstMsn = firstMsn;
  }

  /** A track has no room for more: 100,000 captions, or 10 MiB. */
  get isFull(): boolean {
    return this.cues.length >= MAX_CUES || this.#length >= MAX_CAPTION_BYTES;
  }

  /** Adds what is shown in a segment, in ascending order. @param cues with times of the session */
  add(msn: number, cues: readonly Cue[]): void {
    const position = msn - this.#firstMsn;
    while ((this.#spans[this.#at + 1]?.first ?? Infinity) <= position) this.#at += 1;
    const span = this.#spans[this.#at];
    if (span === undefined || position < 0) return;
    const [from, to] = [span.startSeconds * 1000, (span.startSeconds + span.durationSeconds) * 1000];
    const place = (ms: number) => Math.round(Math.min(to, Math.max(from, ms + from - span.mediaSeconds * 1000)));
    for (const cue of cues) this.#add({ ...cue, startMs: place(cue.startMs), endMs: place(cue.endMs) });
  }

  #add(cue: Cue): void {
    if (cue.startMs >= cue.endMs || cue.startMs >= LATEST_MS) return;
    const last = this.cues.at(-1);
    const goesOn = last !== undefined && Math.abs(cue.startMs - last.endMs) <= ROUNDING_MS;
    if (goesOn && cue.text === last.text && cue.settings === last.settings) {
      last.endMs = cue.endMs;
      return;
    }
    const hasGrown = goesOn && cue.startMs - this.#changedMs < PAUSE_MS && grows(last, cue);
    this.#changedMs = cue.startMs;
    if (hasGrown) {
      this.#length += cue.text.length - last.text.length;
      [last.text, last.endMs] = [cue.text, cue.endMs];
    } else if (!this.isFull) {
      this.#length += cue.text.length;
      this.cues.push({ ...cue });
    }
  }
}

/** Whether characters were added at the end. Tags that were open then are closed in the shorter text. */
const grows = (before: Cue, after: Cue): boolean =>
  before.settings === after.settings && after.text.startsWith(before.text.replace(/(?:<\/\w+>)+$/, ""));
