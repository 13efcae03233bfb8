import { fullPlaylists, type RenditionEvidence } from "../evidence.ts";
import { secondsOf, type Segment } from "../playlist.ts";
import { must, pairs, type Rule } from "../rule.ts";
import { segmentsOf } from "./parts.ts";
import { timedParts } from "./time.ts";

/** Tolerance between dates and durations, and between the clocks of two renditions. */
const DATE_TOLERANCE_MS = 100;

const datesAdvance: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions) {
    let announced: { segment: Segment; sinceS: number } | null = null;
    let lastMsn = 0;
    for (const { segment, url } of segmentsOf(rendition)) {
      if (segment.msn !== lastMsn + 1) announced = null;
      lastMsn = segment.msn;
      const { dateMs, isDiscontinuous } = segment;
      if (announced !== null && dateMs !== null && !isDiscontinuous) {
        const wantedMs = announced.segment.dateMs! + announced.sinceS * 1000;
        const iso = (ms: number) => new Date(ms).toISOString();
        if (Math.abs(dateMs - wantedMs) <= DATE_TOLERANCE_MS) report.seen();
        else report.fault(url, `${segment.msn}: ${iso(wantedMs)}, by the durations`, iso(dateMs));
      }
      if (dateMs !== null) announced = { segment, sinceS: 0 };
      else if (isDiscontinuous) announced = null;
      if (announced !== null) announced.sinceS += secondsOf(segment);
    }
  }
};

interface DatedSegment {
  startS: number;
  durationS: number;
  /** Wall-clock time of media time 0, by this segment. */
  epochMs: number;
  discontinuitySequence: number;
  /** First part, as the place of a fault. */
  uri: string;
}

/** The segments that have a date and whose first part was loaded. */
const datedSegments = (rendition: RenditionEvidence): DatedSegment[] =>
  timedParts(rendition).flatMap(({ segment, isSteady, index, startS, part }) =>
    isSteady && index === 0 && segment.dateMs !== null
      ? [
          {
            startS,
            durationS: secondsOf(segment),
            epochMs: segment.dateMs - startS * 1000,
            discontinuitySequence: segment.discontinuitySequence,
            uri: part.uri,
          },
        ]
      : [],
  );

/**
 * Compares segments that begin at about the same media time: dates that drift in all renditions alike keep this rule (they break `dates`), and
 * which segments were loaded in each rendition is a matter of timing.
 */
const sameClock: Rule["judge"] = ({ renditions }, report) => {
  for (const [one, other] of pairs(renditions.map(datedSegments)))
    for (const segment of one) {
      const match = other.find(
        ({ startS, discontinuitySequence }) =>
          discontinuitySequence === segment.discontinuitySequence &&
          Math.abs(startS - segment.startS) < segment.durationS / 2,
      );
      if (match === undefined) continue;
      const offMs = Math.abs(match.epochMs - segment.epochMs);
      if (offMs <= DATE_TOLERANCE_MS) report.seen();
      else
        report.fault(
          match.uri,
          `the same date for the same media time as ${segment.uri}`,
          `${offMs.toFixed(0)} ms off (discontinuity sequence ${segment.discontinuitySequence})`,
        );
    }
};

/** Segments of the same time have the same discontinuity sequence number in all renditions. */
const sameDiscontinuities: Rule["judge"] = ({ renditions }, report) => {
  for (const [one, other] of pairs(renditions)) {
    const there = segmentsOf(other).filter(({ isSteady }) => isSteady);
    for (const { segment, url } of segmentsOf(one).filter(({ isSteady }) => isSteady)) {
      const match = there.find(
        ({ segment: { dateMs } }) =>
          dateMs !== null && segment.dateMs !== null && Math.abs(dateMs - segment.dateMs) <= DATE_TOLERANCE_MS,
      );
      if (match === undefined) continue;
      const [wanted, found] = [match.segment, segment].map((each) => each.discontinuitySequence);
      if (wanted === found) report.seen();
      else
        report.fault(
          url,
          `${match.url}: discontinuity sequence ${wanted} of ${match.segment.msn}`,
          `${found} of ${segment.msn}`,
        );
    }
  }
};

const datesEverywhere: Rule["judge"] = ({ renditions }, report) => {
  const dated = renditions.filter((rendition) =>
    fullPlaylists(rendition)[0]?.playlist.segments.some(({ dateMs }) => dateMs !== null),
  );
  if (dated.length === 0) return;
  for (const rendition of renditions) {
    if (dated.includes(rendition)) report.seen();
    else if (fullPlaylists(rendition).length > 0)
      report.fault(rendition.url, "EXT-X-PROGRAM-DATE-TIME, as in the other renditions", "none");
  }
};

const dateAtDiscontinuity: Rule["judge"] = ({ renditions }, report) => {
  for (const { segment, url } of renditions.flatMap(segmentsOf)) {
    if (!segment.isDiscontinuous) continue;
    if (segment.dateMs !== null) report.seen();
    else report.fault(url, `EXT-X-PROGRAM-DATE-TIME at the discontinuity before ${segment.msn}`, "none");
  }
};

export const DATE_RULES: Rule[] = [
  must("dates", "4.4.4.6, 6.2.1", "EXT-X-PROGRAM-DATE-TIME advances with the durations", datesAdvance),
  must("dates-everywhere", "6.2.4, B.1", "If one rendition has dates, all have", datesEverywhere),
  must("dates-alike", "6.2.4", "All renditions give the same media time the same date", sameClock),
  must(
    "discontinuities-alike",
    "6.2.4",
    "Matching content has the same discontinuity sequence number",
    sameDiscontinuities,
  ),
  must("dates-at-discontinuities", "6.2.1", "The segment after a discontinuity has a date", dateAtDiscontinuity),
];
