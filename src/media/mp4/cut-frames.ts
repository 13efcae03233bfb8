import { standardOnlyIf } from "./not-standard.ts";
import { readTimes } from "./sample-reader.ts";
import type { SampleTable } from "./sample-table.ts";

interface FrameCuts {
  /** Where the video is cut. */
  cutTicks: number[];
  /** Duration of a whole frame; not always a whole number of ticks. */
  frameTicks: number;
  /** Added to decoding times; negative when the edit list skips priming. */
  shiftTicks: number;
  maxHoleTicks: number;
}

/** First pass, over the frame times: where each segment begins. */
export async function cutFrames(table: SampleTable, cuts: FrameCuts) {
  const { cutTicks, frameTicks, shiftTicks, maxHoleTicks } = cuts;
  const firstSamples: number[] = [];
  const starts: number[] = [];
  let decodeTicks = 0;
  let lastDurationTicks = 0;
  let shift: number | null = null;
  let next = 1;
  let index = 0;
  await readTimes(table, ({ count, durations }) => {
    for (let row = 0; row < count; row++, index++) {
      const isLast = index + 1 === table.sampleCount;
      // Muxers shorten the last frame to the end of the audio; decoders play all of it.
      const durationTicks = isLast ? Math.max(durations[row]!, Math.round(frameTicks)) : durations[row]!;
      standardOnlyIf(isLast || Math.abs(durationTicks - frameTicks) <= maxHoleTicks, "audio with gaps");
      lastDurationTicks = durationTicks;
      const startTicks = decodeTicks;
      decodeTicks += durationTicks;
      if (shift === null && startTicks + frameTicks / 2 <= -shiftTicks) continue;
      let begins = shift === null;
      // The nearest frame may begin slightly before 0, but decode times cannot be negative.
      shift ??= Math.max(shiftTicks, -startTicks);
      for (; next < cutTicks.length && startTicks + shift >= cutTicks[next]! - frameTicks / 2; next++) begins = true;
      if (!begins) continue;
      firstSamples.push(index);
      starts.push(startTicks + shift);
    }
  });
  standardOnlyIf(shift !== null, "audio without frames");
  return { firstSamples, starts, endTicks: decodeTicks + shift, lastDurationTicks };
}
