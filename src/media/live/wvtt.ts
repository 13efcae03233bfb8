/** Captions of a live session in CMAF, for DASH (ISO/IEC 14496-30 §7): a fragment for each segment or part of the picture. Pure. */
import { box } from "../../../protocol/media/boxes.ts";
import { fragmentBoxes, initSegment, type Sample, segmentType } from "../../../protocol/media/cmaf.ts";
import type { Cue } from "../captions/cue.ts";

/** Ticks per second; that of every live picture, so that the segments are exactly as long. */
export const TEXT_TIMESCALE = 120_000;
const TICKS_PER_MS = TEXT_TIMESCALE / 1000;
/** A sample without a cue. */
const NOTHING = box("vtte");

export const textInit = (): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(initSegment({ kind: "text", timescale: TEXT_TIMESCALE }));

/** Fragment numbers per segment, as in the live encoder: more than a segment can have parts. */
const FRAGMENTS_PER_SEGMENT = 256;

/** @param part 0 also of a whole segment @param startTicks on the session's timeline, in ticks of TEXT_TIMESCALE, as `endTicks` */
export function textFragment(
  cues: readonly Cue[],
  { msn, part, startTicks, endTicks }: { msn: number; part: number; startTicks: number; endTicks: number },
): Uint8Array<ArrayBuffer> {
  const timed = cues.map((cue) => ({ cue, from: cue.startMs * TICKS_PER_MS, to: cue.endMs * TICKS_PER_MS }));
  const changes = timed.flatMap(({ from, to }) => [from, to]).filter((ticks) => ticks > startTicks && ticks < endTicks);
  const bounds = [...new Set([startTicks, ...changes, endTicks])].toSorted((a, b) => a - b);
  const samples = bounds.slice(0, -1).map((begin, n): Sample => {
    const shown = timed.filter(({ from, to }) => from < bounds[n + 1]! && to > begin).map(({ cue }) => cueBox(cue));
    const data = shown.length === 0 ? NOTHING : Buffer.concat(shown);
    return { data, isSync: true, durationTicks: bounds[n + 1]! - begin, compositionTicks: 0 };
  });
  const sequenceNumber = msn * FRAGMENTS_PER_SEGMENT + part + 1;
  const { boxes } = fragmentBoxes({ sequenceNumber, decodeTicks: startTicks, samples });
  return Uint8Array.from(Buffer.concat([...(part === 0 ? [segmentType()] : []), ...boxes]));
}

const cueBox = ({ settings, text }: Cue): Buffer =>
  box("vttc", ...(settings === "" ? [] : [box("sttg", Buffer.from(settings))]), box("payl", Buffer.from(text)));
