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

/** The wall-clock time of media time 0, by discontinuity sequence number. */
function epochs(rendition: RenditionEvidence): Map<number, { epochMs: number; uri: string }> {
  const found = new Map<number, { epochMs: number; uri: string }>();
  for (const { segment, isSteady, index, startS, part } of timedParts(rendition))
    if (isSteady && index === 0 && segment.dateMs !== null && !found.has(segment.discontinuitySequence))
      found.set(segment.discontinuitySequence, { epochMs: segment.dateMs - startS * 1000, uri: part.uri });
  return found;
}

const sameClock: Rule["judge"] = ({ renditions }, report) => {
  for (const [one, other] of pairs(renditions.map(epochs)))
    for (const [number, { epochMs, uri }] of one) {
      const there = other.get(number);
      if (there === undefined) continue;
      const offMs = Math.abs(there.epochMs - epochMs);
      if (offMs <= DATE_TOLERANCE_MS) report.seen();
      else
        report.fault(
          there.uri,
          `the same date for the same media time as ${uri}`,
          `${offMs.toFixed(0)} ms off (discontinuity sequence ${number})`,
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
