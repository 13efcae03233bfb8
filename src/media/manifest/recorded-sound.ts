/** Sound that is added to the recording of a broadcast: it gets the segments and spans that the recording has. */
import type { SoundCuts } from "../../../protocol/jobs.ts";
import { AAC_FRAME_SAMPLES } from "../../../protocol/media/audio-plan.ts";
import { cutSound } from "../../../protocol/media/sound-cuts.ts";
import type { SegmentList, Span } from "../types.ts";
import type { Rendition } from "./model.ts";
import { spansOf, timedSpans } from "./spans.ts";

type Timed = Pick<Rendition, "segments" | "timescale">;

/** The segments and spans of a recording, as its added sound needs them. */
export interface RecordedCuts extends SoundCuts {
  spans: (SoundCuts["spans"][number] & Pick<Span, "capturedAtMs" | "isDiscontinuous">)[];
}

/**
 * Where the picture of a recording is cut; where it has no picture, its sound. A span without any media is a gap of added sound too: DASH leaves
 * it out, and its timeline must not change for who is watching.
 *
 * @param rows renditions of one recording, video first; at least one
 */
export function recordedCuts(rows: readonly Timed[]): RecordedCuts {
  const timed = timedSpans([...rows]);
  const all = rows.map((row) => ({ row, spans: spansOf(row) }));
  const endsUs: number[] = [];
  const spans = timed.map(({ startSeconds, mediaSeconds, isEmpty, isDiscontinuous }, n) => {
    const { row, spans: own } = all.find((one) => !one.spans[n]!.isGap) ?? all[0]!;
    const { first, count, capturedAtMs } = own[n]!;
    let ticks = 0;
    for (const duration of row.segments.durationTicks.slice(first, first + count)) {
      ticks += duration;
      endsUs.push(Math.round((startSeconds + ticks / row.timescale) * 1e6));
    }
    const mediaUs = Math.round(mediaSeconds * 1e6);
    return { first, mediaUs, isGap: isEmpty, capturedAtMs: capturedAtMs ?? 0, isDiscontinuous };
  });
  return { endsUs, spans };
}

/** Whether the rows say all of `recordedCuts`: further renditions of the recording would change nothing. */
export function hasEverySpan(rows: readonly Timed[]): boolean {
  return timedSpans([...rows]).every(({ isEmpty }) => !isEmpty);
}

/**
 * The list of added sound.
 *
 * @param bytes of each segment; 0 = a gap
 * @returns null when the sound was not cut like that
 */
export function recordedSound(cuts: RecordedCuts, sampleRateHz: number, bytes: number[]): SegmentList | null {
  const all = cutSound(cuts, sampleRateHz);
  const fits = all.length === bytes.length && all.every(({ isGap }, n) => isGap === (bytes[n] === 0));
  if (!fits) return null;
  return {
    durationTicks: all.map(({ frameCount }) => frameCount * AAC_FRAME_SAMPLES),
    bytes,
    keyframes: [],
    spans: cuts.spans.map(({ first, capturedAtMs, isDiscontinuous }) => ({
      first,
      initVersion: 0,
      startTicks: all[first]!.decodeTicks,
      capturedAtMs,
      isDiscontinuous,
    })),
  };
}
