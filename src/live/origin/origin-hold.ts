import type { OriginIndex } from "./origin-index.ts";
import { endTicks, type LiveRendition, nextPart } from "../../media/live/timeline.ts";
import { heldPart } from "../../media/live/held/held-part.ts";
import {
  canHold,
  type HeldFrames,
  type HeldRendition,
  HoldPlan,
  type HoldTimes,
} from "../../media/live/held/hold-plan.ts";
import type { Still } from "../../media/live/held/still.ts";

/** Stored when a hold begins, so that a restarted origin continues it. */
export interface HoldStart {
  /** The first segment of the hold. */
  firstMsn: number;
  renditions: Record<string, HeldRendition>;
  /** Capture time of the hold's start, epoch ms, and its position on the session's timeline. */
  capturedAtMs: number;
  startSeconds: number;
}

/** Part duration without low latency. Players do not request these parts individually. */
const STANDARD_PART_MS = 1000;

export function holdTimes({ session }: OriginIndex): HoldTimes {
  const { targetDurationSeconds, partTargetMs } = session!.timing;
  return { segmentSeconds: targetDurationSeconds, partTargetMs: partTargetMs ?? STANDARD_PART_MS };
}

/** The renditions to hold: those that the encoder has not dropped. */
export const heldRenditions = ({ all }: OriginIndex): LiveRendition[] =>
  all.filter(({ droppedFrom, segments }) => droppedFrom === null && segments.length > 0);

/**
 * Computes the start of a hold after the last segment. Every rendition must be whole up to the same sequence number.
 *
 * @returns null when the renditions end too far apart, or one of them cannot be held
 */
export function beginHold(index: OriginIndex, stills: Map<string, Still>): HoldStart | null {
  const held = heldRenditions(index);
  const [leader] = held;
  if (leader === undefined || held.some(({ name }) => !stills.has(name))) return null;
  const renditions = Object.fromEntries(
    held.map(({ name, timescale, segments }) => {
      const { frameTicks } = stills.get(name)!;
      return [name, { timescale, frameTicks, endTicks: endTicks(segments.at(-1)!) }];
    }),
  );
  if (!canHold(Object.values(renditions), holdTimes(index))) return null;
  const last = leader.segments.at(-1)!;
  return {
    firstMsn: last.msn + 1,
    renditions,
    capturedAtMs: last.capturedAtMs + (1000 * last.durationTicks) / leader.timescale,
    startSeconds: endTicks(last) / leader.timescale,
  };
}

/** Adds held media up to a capture time: whole parts only, or with `isEnd` up to the nearest frame. */
export function holdUntil(
  index: OriginIndex,
  start: HoldStart,
  stills: Map<string, Still>,
  { capturedAtMs, isEnd }: { capturedAtMs: number; isEnd: boolean },
): void {
  const plan = new HoldPlan(Object.values(start.renditions), holdTimes(index));
  const seconds = start.startSeconds + (capturedAtMs - start.capturedAtMs) / 1000;
  const untilSeconds = isEnd ? plan.endFor(seconds, reachedSeconds(index, start)) : seconds;
  for (const [name, held] of Object.entries(start.renditions)) {
    const rendition = index.rendition(name);
    const still = stills.get(name);
    if (rendition === null || still === undefined) continue;
    for (let next = nextPart(rendition); next !== null; next = nextPart(rendition)) {
      const { msn, part } = next;
      const segment = msn - start.firstMsn;
      const frames = isEnd
        ? plan.partUntil(held, segment, part, untilSeconds)
        : wholePart(plan, held, segment, part, untilSeconds);
      if (frames === null) break;
      const startMs = start.capturedAtMs + 1000 * (frames.decodeTicks / held.timescale - start.startSeconds);
      const bytes = heldPart(still, { msn, part, frames, capturedAtMs: startMs });
      const { isLast, decodeTicks } = frames;
      const initVersion = rendition.segments.at(-1)!.initVersion;
      const durationTicks = frames.count * held.frameTicks;
      const isIndependent = still.isSync(frames.first);
      const facts = { rendition: name, msn, part, durationTicks, bytes: bytes.byteLength, isIndependent, isLast };
      index.add({ ...facts, decodeTicks, capturedAtMs: startMs, isDiscontinuous: false, initVersion }, bytes);
    }
  }
}

function reachedSeconds(index: OriginIndex, start: HoldStart): number | null {
  const ends = Object.entries(start.renditions).flatMap(([name, { timescale }]) => {
    const last = index.rendition(name)?.segments.at(-1);
    return last === undefined || last.msn < start.firstMsn ? [] : [endTicks(last) / timescale];
  });
  return ends.length === 0 ? null : Math.max(...ends);
}

/** The part, once it lies wholly in the past. */
function wholePart(
  plan: HoldPlan,
  held: HeldRendition,
  segment: number,
  part: number,
  untilSeconds: number,
): HeldFrames | null {
  const frames = plan.part(held, segment, part);
  if (frames === null) return null;
  const end = frames.decodeTicks + frames.count * held.frameTicks;
  return end / held.timescale <= untilSeconds + 1e-9 ? frames : null;
}
