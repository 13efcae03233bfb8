import { cuesBetween, liveText, partTimes } from "../../media/live/captions.ts";
import { contains } from "../../media/live/reload.ts";
import { endTicks, type LiveRendition, type LiveSegment, nextPart, segmentAt } from "../../media/live/timeline.ts";
import { TEXT_TIMESCALE, textFragment } from "../../media/live/wvtt.ts";
import { segmentOf } from "./index/origin-history.ts";
import type { OriginAnswer } from "./origin-calls.ts";
import { growingSegment } from "./read-media.ts";
import type { OriginComponents } from "./components.ts";

/**
 * Reads the captions of a segment of the picture, or of one of its parts, as WebVTT. Waits for the next one.
 *
 * @param name the channel
 * @param part null = the whole segment
 */
export async function readCaptions(
  origin: OriginComponents,
  name: string,
  msn: number,
  part: number | null,
): Promise<OriginAnswer> {
  if (part === null) {
    const found = await wholeSegment(origin, name, msn);
    if ("kind" in found) return found;
    return { kind: "text", text: liveText(origin.index.captions.cues(name, msn)) };
  }
  const leader = leaderOf(origin, name);
  const { session, captions } = origin.index;
  if (leader === null || session === null) return { kind: "nothing" };
  const next = nextPart(leader);
  const isNext = next?.msn === msn && next.part === part;
  if (isNext && !(await origin.requests.wait(leader.name, { msn, part }, session, true))) return { kind: "late" };
  const timesMs = contains(leader, { msn, part }) ? partTimes(leader, msn, part, 1000) : null;
  if (timesMs === null) return { kind: "nothing" };
  return { kind: "text", text: liveText(cuesBetween(captions.cues(name, msn), timesMs.start, timesMs.end)) };
}

/** The captions of a segment of the picture in CMAF, for DASH. Those of the unfinished segment grow with it, by a fragment for each part. */
export async function readCaptionsMp4(origin: OriginComponents, name: string, msn: number): Promise<OriginAnswer> {
  const { index, requests } = origin;
  const { session, captions } = index;
  const leader = leaderOf(origin, name);
  const isBeingMade = leader !== null && nextPart(leader)?.msn === msn;
  if (isBeingMade && session !== null) {
    if (!(await requests.wait(leader.name, { msn, part: 0 }, session, true))) return { kind: "late" };
    const partOf = (part: number) => {
      const times = partTimes(leader, msn, part, TEXT_TIMESCALE);
      return (
        times && textFragment(captions.cues(name, msn), { msn, part, startTicks: times.start, endTicks: times.end })
      );
    };
    if (segmentAt(leader, msn)?.isWhole === false)
      return { kind: "growing", stream: growingSegment(origin, session, leader.name, msn, partOf), initVersion: 0 };
  }
  const found = await wholeSegment(origin, name, msn);
  if ("kind" in found) return found;
  const ticks = (pictureTicks: number) => Math.round((pictureTicks * TEXT_TIMESCALE) / found.leader.timescale);
  const [startTicks, end] = [found.segment.decodeTicks, endTicks(found.segment)].map(ticks) as [number, number];
  const bytes = textFragment(captions.cues(name, msn), { msn, part: 0, startTicks, endTicks: end });
  return { kind: "bytes", bytes, initVersion: 0 };
}

/** The rung whose segments the channel has; null when the session has no such channel. */
const leaderOf = ({ index: { captions, captionLeader } }: OriginComponents, name: string): LiveRendition | null =>
  captions.has(name) ? captionLeader : null;

/** The picture's segment once it is complete: its captions are final. Waits for the next one. */
async function wholeSegment(
  origin: OriginComponents,
  name: string,
  msn: number,
): Promise<{ leader: LiveRendition; segment: LiveSegment } | OriginAnswer> {
  const { index, requests } = origin;
  const { session, store } = index;
  const leader = leaderOf(origin, name);
  if (session === null || leader === null) return { kind: "nothing" };
  const isNext = nextPart(leader)?.msn === msn;
  if (isNext && !(await requests.wait(leader.name, { msn, part: null }, session))) return { kind: "late" };
  const segment = segmentOf(store, leader, msn);
  if (segment?.isWhole === true) return { leader, segment };
  return { kind: leader.hasEnded && msn > (leader.segments.at(-1)?.msn ?? -1) ? "ended" : "nothing" };
}
