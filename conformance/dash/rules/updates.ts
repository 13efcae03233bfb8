import { pairs } from "../../rule.ts";
import { type DashEvidence, type ReadManifest, readManifests } from "../evidence.ts";
import { type Mpd, representationsOf, type Segment } from "../manifest.ts";
import { must, type Rule } from "../rule.ts";

/** Each MPD with the one that followed it. */
function* updates(evidence: DashEvidence): Generator<[ReadManifest, ReadManifest]> {
  for (const [before, after] of pairs(readManifests(evidence))) if (before.mpd.isDynamic) yield [before, after];
}

const iso = (ms: number) => new Date(ms).toISOString();

const publishTimes: Rule["judge"] = (evidence, { seen, fault }) => {
  for (const [before, after] of updates(evidence)) {
    const [from, to] = [before.mpd.publishMs, after.mpd.publishMs];
    if (from === null || to === null) continue;
    if (to >= from) seen();
    else fault(after.url, `publishTime of ${iso(from)} or later`, iso(to));
  }
};

/** By Period, Representation and number. */
const segmentsOf = (mpd: Mpd): Map<string, Segment> =>
  new Map(
    representationsOf(mpd).flatMap(({ period, representation }) =>
      representation.segments.map((segment) => [`${period.id} ${representation.id} ${segment.number}`, segment]),
    ),
  );

function moved(before: Mpd, after: Mpd): string | null {
  if (after.isDynamic && before.availabilityStartMs !== after.availabilityStartMs)
    return `availabilityStartTime ${after.attributes.availabilityStartTime}`;
  for (const { id, startS } of before.periods) {
    const now = after.periods.find((period) => period.id === id);
    if (now !== undefined && now.startS !== startS) return `Period ${id} starts at ${now.startS} s`;
  }
  const now = segmentsOf(after);
  for (const [place, { startTicks }] of segmentsOf(before)) {
    const segment = now.get(place);
    if (segment !== undefined && Math.abs(segment.startTicks - startTicks) > 1)
      return `segment ${place} starts at ${segment.startTicks}, before at ${startTicks}`;
  }
  return null;
}

const unchanged: Rule["judge"] = (evidence, { seen, fault }) => {
  for (const [before, after] of updates(evidence)) {
    const found = moved(before.mpd, after.mpd);
    if (found === null) seen();
    else fault(after.url, "announced segments keep their times", found);
  }
};

/** The newest number of each Representation. A segment in progress may never be completed. */
const newest = (mpd: Mpd): Map<string, number> =>
  new Map(
    representationsOf(mpd).map(({ representation: { id, segments, isAvailableComplete } }) => [
      id,
      (segments.at(-1)?.number ?? 0) - (isAvailableComplete ? 0 : 1),
    ]),
  );

const growing: Rule["judge"] = (evidence, { seen, fault }) => {
  for (const [before, after] of updates(evidence)) {
    const now = newest(after.mpd);
    for (const [id, from] of newest(before.mpd)) {
      const to = now.get(id);
      if (to === undefined) continue; // a rung may be dropped
      if (to >= from) seen();
      else fault(after.url, `segments of ${id} up to ${from}`, `up to ${to}`);
    }
  }
};

/** The URL of a followed MPD keeps answering, and its MPD becomes static at the end. */
const stays: Rule["judge"] = ({ manifests }, { seen, fault }) => {
  let wasThere = false;
  for (const { url, status } of manifests) {
    if (status === 200) wasThere = true;
    if (!wasThere) continue;
    if (status === 200) seen();
    else fault(url, "200, static after the end", status === 0 ? "no answer" : `${status}`);
  }
};

const clock: Rule["judge"] = ({ clock }, { seen, fault }) => {
  if (clock === null) return;
  if (clock.status === 200 && Number.isFinite(Date.parse(clock.text.trim()))) seen();
  else fault(clock.url, "the time, as ISO 8601", `${clock.status}: ${clock.text.slice(0, 60)}`);
};

export const UPDATE_RULES: Rule[] = [
  must("publish-time", "ISO 5.3.1.2", "publishTime never decreases", publishTimes),
  must("unchanged", "ISO 5.4", "An update does not change the times of announced segments", unchanged),
  must("growing", "ISO 5.4", "An update removes only the oldest segments", growing),
  must("stays", "ISO 5.4", "The MPD's URL answers until the end of the presentation", stays),
  must("clock-answers", "ISO 5.8.4.11", "The URL of UTCTiming answers with the time", clock),
];
