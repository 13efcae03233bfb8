import type { OriginIndex } from "./index/origin-index.ts";
import { endTicks, type LiveRendition, nextPart } from "../../media/live/timeline.ts";
import { frozenPart } from "../../media/live/freeze/frozen-part.ts";
import {
  canFreeze,
  type FrozenFrames,
  type FrozenRendition,
  FreezePlan,
  type FreezeTimes,
} from "../../media/live/freeze/freeze-plan.ts";
import type { Still } from "../../media/live/freeze/still.ts";

/** Stored when a freeze begins, so that a restarted origin continues it. */
export interface FreezeStart {
  /** The first segment of the freeze. */
  firstMsn: number;
  renditions: Record<string, FrozenRendition>;
  /** Capture time of the freeze's start, epoch ms, and its position on the session's timeline. */
  capturedAtMs: number;
  startSeconds: number;
}

/** Part duration without low latency. Players do not request these parts individually. */
const STANDARD_PART_MS = 1000;

export function freezeTimes({ session }: OriginIndex): FreezeTimes {
  const { targetDurationSeconds, partTargetMs } = session!.timing;
  return { segmentSeconds: targetDurationSeconds, partTargetMs: partTargetMs ?? STANDARD_PART_MS };
}

/** The renditions to freeze: those that the encoder has not dropped. */
export const renditionsToFreeze = ({ all }: OriginIndex): LiveRendition[] =>
  all.filter(({ droppedFrom, segments }) => droppedFrom === null && segments.length > 0);

/**
 * Computes the start of a freeze after the last segment. Every rendition must be whole up to the same sequence number.
 *
 * @returns null when the renditions end too far apart, or one of them cannot be frozen
 */
export function beginFreeze(index: OriginIndex, stills: Map<string, Still>): FreezeStart | null {
  const frozen = renditionsToFreeze(index);
  const [leader] = frozen;
  if (leader === undefined || frozen.some(({ name }) => !stills.has(name))) return null;
  const renditions = Object.fromEntries(
    frozen.map(({ name, timescale, segments }) => {
      const { frameTicks } = stills.get(name)!;
      return [name, { timescale, frameTicks, endTicks: endTicks(segments.at(-1)!) }];
    }),
  );
  if (!canFreeze(Object.values(renditions), freezeTimes(index))) return null;
  const last = leader.segments.at(-1)!;
  return {
    firstMsn: last.msn + 1,
    renditions,
    capturedAtMs: last.capturedAtMs + (1000 * last.durationTicks) / leader.timescale,
    startSeconds: endTicks(last) / leader.timescale,
  };
}

/** Adds frozen media up to a capture time: whole parts only, or with `isEnd` up to the nearest frame. */
export function freezeUntil(
  index: OriginIndex,
  start: FreezeStart,
  stills: Map<string, Still>,
  { capturedAtMs, isEnd }: { capturedAtMs: number; isEnd: boolean },
): void {
  const plan = new FreezePlan(Object.values(start.renditions), freezeTimes(index));
  const seconds = start.startSeconds + (capturedAtMs - start.capturedAtMs) / 1000;
  const untilSeconds = isEnd ? plan.endFor(seconds, reachedSeconds(index, start)) : seconds;
  for (const [name, frozen] of Object.entries(start.renditions)) {
    const rendition = index.rendition(name);
    const still = stills.get(name);
    if (rendition === null || still === undefined) continue;
    for (let next = nextPart(rendition); next !== null; next = nextPart(rendition)) {
      const { msn, part } = next;
      const segment = msn - start.firstMsn;
      const frames = isEnd
        ? plan.partUntil(frozen, segment, part, untilSeconds)
        : wholePart(plan, frozen, segment, part, untilSeconds);
      if (frames === null) break;
      const startMs = start.capturedAtMs + 1000 * (frames.decodeTicks / frozen.timescale - start.startSeconds);
      const bytes = frozenPart(still, { msn, part, frames, capturedAtMs: startMs });
      const { isLast, decodeTicks } = frames;
      const initVersion = rendition.segments.at(-1)!.initVersion;
      const durationTicks = frames.count * frozen.frameTicks;
      const isIndependent = still.isSync(frames.first);
      const facts = { rendition: name, msn, part, durationTicks, bytes: bytes.byteLength, isIndependent, isLast };
      index.add({ ...facts, decodeTicks, capturedAtMs: startMs, isDiscontinuous: false, initVersion }, bytes);
    }
  }
}

function reachedSeconds(index: OriginIndex, start: FreezeStart): number | null {
  const ends = Object.entries(start.renditions).flatMap(([name, { timescale }]) => {
    const last = index.rendition(name)?.segments.at(-1);
    return last === undefined || last.msn < start.firstMsn ? [] : [endTicks(last) / timescale];
  });
  return ends.length === 0 ? null : Math.max(...ends);
}

/** The part, once it lies wholly in the past. */
function wholePart(
  plan: FreezePlan,
  frozen: FrozenRendition,
  segment: number,
  part: number,
  untilSeconds: number,
): FrozenFrames | null {
  const frames = plan.part(frozen, segment, part);
  if (frames === null) return null;
  const end = frames.decodeTicks + frames.count * frozen.frameTicks;
  return end / frozen.timescale <= untilSeconds + 1e-9 ? frames : null;
}
