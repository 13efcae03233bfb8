import { type DashEvidence, type MediaAnswer, readManifests } from "../evidence.ts";
import { type InPeriod, representationsOf, type Segment } from "../manifest.ts";
import { must, type Rule } from "../rule.ts";

/** Tolerance between media times and the MPD. */
const TIME_TOLERANCE_S = 0.002;
const DURATION_TOLERANCE_S = 0.01;

interface Loaded extends InPeriod {
  segment: Segment;
  answer: MediaAnswer;
}

/**
 * Every loaded segment, as listed in the newest MPD. The last one of a dynamic MPD may be in progress, with an estimated duration.
 */
function loadedSegments(evidence: DashEvidence): Loaded[] {
  const found = new Map<string, Loaded>();
  const guessed = new Set<string>();
  for (const { mpd } of readManifests(evidence))
    for (const place of representationsOf(mpd)) {
      const { segments, isAvailableComplete } = place.representation;
      for (const segment of segments) {
        const answer = evidence.media.get(segment.url);
        if (answer === undefined) continue;
        found.set(segment.url, { ...place, segment, answer });
        if (segment === segments.at(-1) && !isAvailableComplete) guessed.add(segment.url);
        else guessed.delete(segment.url);
      }
    }
  return [...found.values()].filter(({ segment }) => !guessed.has(segment.url));
}

/** Segments in progress, with the longest duration of a segment. */
function openSegments(evidence: DashEvidence): Map<string, number> {
  const open = new Map<string, number>();
  for (const { mpd } of readManifests(evidence))
    for (const { representation } of mpd.isDynamic ? representationsOf(mpd) : []) {
      const last = representation.segments.at(-1);
      if (last !== undefined && !representation.isAvailableComplete) open.set(last.url, mpd.maxSegmentS ?? 0);
    }
  return open;
}

/** URLs listed in the static MPD after the broadcast; null during it. */
function segmentsOfTheEnd(evidence: DashEvidence): Set<string> | null {
  const last = readManifests(evidence).at(-1)?.mpd;
  if (last === undefined || last.isDynamic) return null;
  return new Set(
    representationsOf(last).flatMap(({ representation }) => representation.segments.map(({ url }) => url)),
  );
}

const NEVER_MADE = new Set([204, 404, 410]);

/**
 * A segment in progress may never be completed: after the broadcaster has disconnected, a late 503 is correct. The broadcast may also end
 * before it, and then the last MPD does not list it.
 */
const available: Rule["judge"] = (evidence, { seen, fault }) => {
  const open = openSegments(evidence);
  const ofTheEnd = segmentsOfTheEnd(evidence);
  for (const { url, status, askedAtMs, answeredAtMs } of evidence.media.values()) {
    const longestS = open.get(url);
    if (status === 503 && longestS !== undefined && answeredAtMs - askedAtMs >= longestS * 1000) continue;
    if (NEVER_MADE.has(status) && longestS !== undefined && ofTheEnd?.has(url) === false) continue;
    if (status === 200 || status === 206) seen();
    else fault(url, "200", status === 0 ? "no answer" : `${status}`);
  }
};

const inits: Rule["judge"] = (evidence, { seen, fault }) => {
  const judged = new Set<string>();
  for (const { mpd } of readManifests(evidence))
    for (const { representation } of representationsOf(mpd)) {
      const { initUrl, attributes } = representation;
      if (initUrl === null) continue;
      const answer = evidence.media.get(initUrl);
      if (answer === undefined || answer.status !== 200 || judged.has(initUrl)) continue;
      judged.add(initUrl);
      const track = answer.init?.tracks[0];
      const wanted = attributes.codecs ?? "";
      if (track === undefined) fault(initUrl, wanted, "no track");
      else if (sameCodec(wanted, track.codec)) seen();
      else fault(initUrl, wanted, String(track.codec));
    }
};

/** A sample entry may be less specific than `codecs`. */
const sameCodec = (announced: string, found: string | null): boolean =>
  found === null || announced.toLowerCase().startsWith(found.toLowerCase());

const times: Rule["judge"] = (evidence, { seen, fault }) => {
  for (const { segment, representation, answer } of loadedSegments(evidence)) {
    const [first] = answer.samples;
    if (first === undefined) continue;
    const offS = Math.abs(first.decodeTicks - segment.startTicks) / representation.timescale;
    if (offS <= TIME_TOLERANCE_S) seen();
    else fault(segment.url, `begins at ${segment.startTicks}`, `begins at ${first.decodeTicks}`);
  }
};

const durations: Rule["judge"] = (evidence, { seen, fault }) => {
  for (const { segment, representation, answer } of loadedSegments(evidence)) {
    if (answer.samples.length === 0) continue;
    const ticks = answer.samples.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
    const offS = Math.abs(ticks - segment.durationTicks) / representation.timescale;
    if (offS <= DURATION_TOLERANCE_S) seen();
    else fault(segment.url, `${segment.durationTicks} ticks`, `${ticks} ticks of media`);
  }
};

const accessPoints: Rule["judge"] = (evidence, { seen, fault }) => {
  for (const { segment, representation, answer } of loadedSegments(evidence)) {
    const [first] = answer.samples;
    if (representation.startWithSap !== 1 || first === undefined) continue;
    if (first.isSync) seen();
    else fault(segment.url, "a sync sample first, because of startWithSAP", "another sample");
  }
};

export const SEGMENT_RULES: Rule[] = [
  must("available", "ISO 5.3.9.5.3", "Segments that the MPD lists as available answer", available),
  must("init", "ISO 5.3.9.3", "An init segment has the codec of the MPD", inits),
  must("media-times", "ISO 5.3.9.6", "A segment's media begins at its time in the MPD", times),
  must("media-durations", "ISO 5.3.9.6", "A segment's media has its duration in the MPD", durations),
  must("access-points", "ISO 5.3.7.2", "With startWithSAP 1 a segment begins with a sync sample", accessPoints),
];
