import { placeOf } from "../attributes.ts";
import type { FragmentFacts } from "../../boxes.ts";
import type { RenditionEvidence } from "../evidence.ts";
import type { Part, Segment } from "../playlist.ts";
import { must, pairs, type Rule } from "../rule.ts";
import { answersFor, trackOf } from "./media.ts";
import { segmentsOf } from "./parts.ts";

/** Tolerance of media times between parts, and between media and playlist. */
const TICK_TOLERANCE_S = 0.002;
const DURATION_TOLERANCE_S = 0.01;

export interface TimedPart {
  part: Part;
  segment: Segment;
  isSteady: boolean;
  /** Index among the listed parts of its segment. */
  index: number;
  isLast: boolean;
  startS: number;
  mediaS: number;
}

const fragmentSeconds = (fragments: FragmentFacts[], defaultDuration: number, timescale: number) =>
  fragments.reduce((sum, one) => sum + one.declaredTicks + one.untoldDurations * defaultDuration, 0) / timescale;

/** The loaded parts, with their media times. */
export function timedParts(rendition: RenditionEvidence): TimedPart[] {
  const [track, answers] = [trackOf(rendition), answersFor(rendition, "part")];
  if (track === null) return [];
  return segmentsOf(rendition).flatMap(({ segment, isSteady }) =>
    segment.parts.flatMap((part, index) => {
      const own =
        answers.get(placeOf(part.uri, part.range))?.fragments.filter(({ trackId }) => trackId === track.id) ?? [];
      if (own.length === 0) return [];
      const { timescale, defaultDuration } = track;
      return [
        {
          part,
          segment,
          isSteady,
          index,
          isLast: segment.uri !== null && index === segment.parts.length - 1,
          startS: own[0]!.baseTicks / timescale,
          mediaS: fragmentSeconds(own, defaultDuration, timescale),
        },
      ];
    }),
  );
}

const continuous: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions)
    for (const [before, after] of pairs(timedParts(rendition))) {
      const isNext =
        before.segment === after.segment
          ? after.index === before.index + 1
          : before.isLast && after.index === 0 && after.segment.msn === before.segment.msn + 1;
      const isSeam = after.index === 0 && after.segment.isDiscontinuous;
      if (!isNext || isSeam || before.part.isGap || after.part.isGap) continue;
      const wanted = before.startS + before.mediaS;
      if (Math.abs(after.startS - wanted) <= TICK_TOLERANCE_S) report.seen();
      else
        report.fault(
          after.part.uri,
          `begins at ${wanted.toFixed(4)} s, where the part before it ends`,
          `begins at ${after.startS.toFixed(4)} s`,
        );
    }
};

const durations: Rule["judge"] = ({ renditions }, report) => {
  for (const { part, mediaS } of renditions.flatMap(timedParts)) {
    if (Math.abs(mediaS - part.durationS) <= DURATION_TOLERANCE_S) report.seen();
    else report.fault(part.uri, part.line, `${mediaS.toFixed(4)} s of media`);
  }
};

export const TIME_RULES: Rule[] = [
  must(
    "media-times",
    "3, 4.4.4.3",
    "Each part begins at the end of the previous one, except at a discontinuity",
    continuous,
  ),
  must("media-durations", "4.4.4.9", "A part's media lasts as long as its DURATION", durations),
];
