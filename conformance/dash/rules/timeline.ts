import { pairs } from "../../rule.ts";
import { type DashEvidence, type ReadManifest, readManifests } from "../evidence.ts";
import { type AdaptationSet, type Period, type Representation, representationsOf, type Segment } from "../manifest.ts";
import { eachOf, must, type Rule } from "../rule.ts";

/** Times in an MPD are written to the millisecond. */
const ROUNDING_S = 0.0015;
/** Audio can be cut only between frames: an AAC frame lasts 0.128 s at 8 kHz and 0.023 s at 44.1 kHz. */
const frameSeconds = ({ attributes, timescale }: Representation): number =>
  attributes.audioSamplingRate === undefined ? 0 : 1024 / Number(attributes.audioSamplingRate || timescale);

const text = (seconds: number) => `${Number(seconds.toFixed(4))} s`;

const periodsInOrder: Rule["judge"] = (evidence, { seen, fault }) => {
  for (const { url, mpd } of readManifests(evidence)) {
    const [first] = mpd.periods;
    if (!mpd.isDynamic && !wasDynamic(evidence) && first !== undefined) {
      if (first.startS === 0) seen();
      else fault(url, "the first Period of a static MPD starts at 0", text(first.startS));
    }
    for (const [before, after] of pairs(mpd.periods)) {
      const earliestS = before.durationS === null ? before.startS : before.startS + before.durationS;
      if (after.startS >= earliestS - ROUNDING_S && after.startS > before.startS) seen();
      else fault(url, `Period ${after.id} starts at ${text(earliestS)} or later`, text(after.startS));
    }
  }
};

/** A session that has ended keeps its timeline, without the older segments that left its window. */
const wasDynamic = (evidence: DashEvidence): boolean => readManifests(evidence).some(({ mpd }) => mpd.isDynamic);

const segmentsOf = ({ mpd }: ReadManifest): { segment: Segment; longestS: number }[] =>
  mpd.maxSegmentS === null
    ? []
    : representationsOf(mpd).flatMap(({ representation: { segments } }) =>
        segments.map((segment) => ({ segment, longestS: mpd.maxSegmentS! })),
      );

const neighbours = ({ mpd }: ReadManifest) =>
  representationsOf(mpd).flatMap(({ representation: { segments } }) => pairs(segments));

const alignedSets = ({ mpd }: ReadManifest): AdaptationSet[] =>
  mpd.periods.flatMap(({ sets }) => sets.filter(({ isAligned }) => isAligned));

/** Segments with the same number begin and end together in all Representations of a set. */
function misaligned({ representations }: AdaptationSet): string | null {
  const [first, ...others] = representations;
  const known = new Map(first?.segments.map((segment) => [segment.number, segment]));
  for (const { id, segments } of others)
    for (const segment of segments) {
      const like = known.get(segment.number);
      if (like === undefined) continue;
      if (Math.abs(like.startS - segment.startS) > ROUNDING_S || Math.abs(like.endS - segment.endS) > ROUNDING_S)
        return `segment ${segment.number}: ${text(like.startS)} to ${text(like.endS)} in ${first!.id}, ${text(segment.startS)} to ${text(segment.endS)} in ${id}`;
    }
  return null;
}

const coverage: Rule["judge"] = (evidence, { seen, fault }) => {
  for (const { url, mpd } of readManifests(evidence))
    for (const { period, representation } of representationsOf(mpd)) {
      if (representation.isWholeFile) continue;
      const found = uncovered(period, representation, { hasBeginning: !mpd.isDynamic && !wasDynamic(evidence) });
      if (found === null) seen();
      else fault(url, `segments of ${representation.id} cover Period ${period.id}`, found);
    }
};

function uncovered(
  { startS, endS }: Period,
  representation: Representation,
  { hasBeginning }: { hasBeginning: boolean },
): string | null {
  const [first, last] = [representation.segments[0], representation.segments.at(-1)];
  if (first === undefined || last === undefined) return "no segments";
  const toleranceS = ROUNDING_S + frameSeconds(representation);
  if (hasBeginning && first.startS > startS + toleranceS) return `the first starts at ${text(first.startS)}`;
  // Tracks of a source rarely end together; differences up to half a second are playable.
  if (endS !== null && last.endS < endS - Math.max(toleranceS, 0.5)) return `the last ends at ${text(last.endS)}`;
  return null;
}

export const TIMELINE_RULES: Rule[] = [
  must("periods", "ISO 5.3.2", "Periods do not overlap, and a static presentation begins at 0", periodsInOrder),
  must(
    "max-segment-duration",
    "ISO 5.3.1.2",
    "No segment is longer than maxSegmentDuration",
    eachOf(segmentsOf, "no longer than maxSegmentDuration", ({ segment, longestS }) =>
      segment.endS - segment.startS <= longestS + 1e-6
        ? null
        : `segment ${segment.number} of ${text(segment.endS - segment.startS)}, ${text(longestS)} announced`,
    ),
  ),
  must(
    "contiguous",
    "ISO 5.3.9.6",
    "In a Period each segment begins where the one before it ends",
    eachOf(neighbours, "no gap and no overlap", ([before, after]) =>
      Math.abs(after.startTicks - before.startTicks - before.durationTicks) <= 1 && after.durationTicks > 0
        ? null
        : `segment ${after.number} at ${after.startTicks}, ${before.startTicks + before.durationTicks} expected`,
    ),
  ),
  must(
    "aligned",
    "ISO 5.3.3.2",
    "With segmentAlignment the segments of a set begin and end together",
    eachOf(alignedSets, "alike in every Representation", misaligned),
  ),
  must("coverage", "IOP 3.2.7", "Segments are listed for the whole of their Period", coverage),
];
