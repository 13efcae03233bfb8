import type { SampleColumns } from "./fragment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import { readTimes } from "./sample-reader.ts";
import { keyCount, type SampleTable } from "./sample-table.ts";
import type { Track } from "./track.ts";

/** Players start at 0. A first frame up to this late is extended back to 0; a later one rules out passthrough. */
export const MAX_START_GAP_SECONDS = 0.2;

export interface FrameSurvey {
  /** Added to decoding time plus composition offset, gives the presentation time. */
  shiftTicks: number;
  /** The first frame is extended by this, back to time 0. */
  leadTicks: number;
  endTicks: number;
  /** Presentation times of the key frames, from 0. */
  keyTicks: Float64Array;
  /** Their frame numbers in presentation order, which equals decoding order because GOPs are closed. */
  keyFrames: Uint32Array;
  /** Exact constant frame duration; null when it varies or the first frame is extended. */
  frameTicks: number | null;
}

/** First pass, over the frame times: checks for closed GOPs and an edit list that only shifts. */
export async function surveyFrames(track: Track): Promise<FrameSurvey> {
  const times = new FrameTimes(track.table);
  await readTimes(track.table, (batch) => times.add(batch));

  const { keyTicks, endTicks: end } = times;
  const { skippedTicks, delayTicks, shownTicks } = track.edit;
  let shiftTicks = Math.round(delayTicks) - skippedTicks;
  const first = keyTicks[0]! + shiftTicks;
  const frame = end / track.table.sampleCount;
  standardOnlyIf(first >= -frame / 2, "an edit list that cuts into a GOP");
  standardOnlyIf(first <= MAX_START_GAP_SECONDS * track.timescale, "video that starts late");
  const total = end - skippedTicks;
  standardOnlyIf(
    shownTicks === null || shownTicks >= total - Math.max(2 * frame, 0.1 * track.timescale),
    "an edit list that cuts the end",
  );
  if (first < 0) shiftTicks -= first;
  const leadTicks = Math.max(0, first);
  for (let key = 0; key < keyTicks.length; key++) keyTicks[key] = key === 0 ? 0 : keyTicks[key]! + shiftTicks;
  const { frameTicks } = times;
  return {
    shiftTicks,
    leadTicks,
    endTicks: end + shiftTicks,
    keyTicks,
    keyFrames: times.keyFrames,
    frameTicks: leadTicks === 0 && frameTicks !== null && frameTicks > 0 ? frameTicks : null,
  };
}

/** Presentation times of the key frames, and what all frames have in common. Times are those of the media, before any edit list. */
class FrameTimes {
  endTicks = 0;
  private readonly allKeyTicks: Float64Array;
  private readonly allKeyFrames: Uint32Array;
  private readonly sampleCount: number;
  private keys = 0;
  private index = 0;
  private decodeTicks = 0;
  private latestTicks = -Infinity;
  private firstDuration = 0;
  private isConstant = true;

  constructor(table: SampleTable) {
    // Sized for all frames being key frames, so that the lists never have to grow.
    const mostKeys = keyCount(table);
    this.allKeyTicks = new Float64Array(mostKeys);
    this.allKeyFrames = new Uint32Array(mostKeys);
    this.sampleCount = table.sampleCount;
  }

  get keyTicks(): Float64Array {
    return this.allKeyTicks.subarray(0, this.keys);
  }

  get keyFrames(): Uint32Array {
    return this.allKeyFrames.subarray(0, this.keys);
  }

  /** The duration of every frame, except that the last one may have another; null when it varies. */
  get frameTicks(): number | null {
    return this.isConstant ? this.firstDuration : null;
  }

  /** @throws {NotStandard} */
  add({ count, durations, compositionOffsets, isKey }: SampleColumns): void {
    if (this.index === 0) this.firstDuration = durations[0]!;
    const lastRow = this.sampleCount - 1 - this.index;
    const { firstDuration } = this;
    let { decodeTicks, latestTicks, endTicks, isConstant } = this;
    let keyTicks = this.keys === 0 ? Infinity : this.allKeyTicks[this.keys - 1]!;
    for (let row = 0; row < count; row++) {
      const duration = durations[row]!;
      const shown = decodeTicks + compositionOffsets[row]!;
      if (isKey[row] === 1) {
        standardOnlyIf(shown > latestTicks, "frames that are reordered across key frames");
        keyTicks = shown;
        this.allKeyTicks[this.keys] = shown;
        this.allKeyFrames[this.keys++] = this.index + row;
      } else standardOnlyIf(shown >= keyTicks, this.keys === 0 ? "a first frame that is not a key frame" : "open GOPs");
      if (duration !== firstDuration && row !== lastRow) isConstant = false;
      if (shown > latestTicks) latestTicks = shown;
      if (shown + duration > endTicks) endTicks = shown + duration;
      decodeTicks += duration;
    }
    this.index += count;
    this.decodeTicks = decodeTicks;
    this.latestTicks = latestTicks;
    this.endTicks = endTicks;
    this.isConstant = isConstant;
  }
}
