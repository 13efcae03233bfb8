import { placeOf } from "../attributes.ts";
import { fullPlaylists, type ReadAnswer } from "../evidence.ts";
import { lastPlace, secondsOf, secondsToEnd, type Segment } from "../playlist.ts";
import { must, pairs, type Rule, should } from "../rule.ts";

/** Judges consecutive full playlists of each rendition. */
const between =
  (judge: (before: ReadAnswer, after: ReadAnswer, report: Parameters<Rule["judge"]>[1]) => void): Rule["judge"] =>
  ({ renditions }, report) => {
    for (const rendition of renditions)
      for (const [before, after] of pairs(fullPlaylists(rendition))) judge(before, after, report);
  };

const byPlace = (segments: Segment[]) =>
  new Map(segments.flatMap((one) => (one.uri === null ? [] : [[placeOf(one.uri, one.range), one] as const])));

const mediaSequence = between(({ playlist: before }, { playlist: after, url }, report) => {
  if (after.mediaSequence < before.mediaSequence)
    return report.fault(url, `not below ${before.mediaSequence}`, `EXT-X-MEDIA-SEQUENCE:${after.mediaSequence}`);
  const was = byPlace(before.segments);
  for (const [place, { msn }] of byPlace(after.segments)) {
    const old = was.get(place)?.msn;
    if (old !== undefined && old !== msn) return report.fault(url, `number ${old}: ${place}`, `number ${msn} now`);
  }
  report.seen();
});

const discontinuitySequence = between(({ playlist: before }, { playlist: after, url }, report) => {
  const was = byPlace(before.segments);
  for (const [place, segment] of byPlace(after.segments)) {
    const old = was.get(place);
    if (old === undefined || old.msn !== segment.msn) continue;
    if (old.discontinuitySequence !== segment.discontinuitySequence) {
      const [wanted, found] = [old, segment].map(
        (one) => `discontinuity sequence ${one.discontinuitySequence}: ${place}`,
      );
      return report.fault(url, wanted!, found!);
    }
  }
  report.seen();
});

/** A segment's own lines are compared once it is whole, because some appear only at its end or with its first part. */
const unchanged = between(({ playlist: before }, { playlist: after, url }, report) => {
  const now = new Map(after.segments.map((segment) => [segment.msn, segment]));
  const still = byPlace(after.segments);
  // Changed numbers are reported by `media-sequence`.
  if ([...byPlace(before.segments)].some(([place, { msn }]) => (still.get(place)?.msn ?? msn) !== msn)) return;
  for (const old of before.segments) {
    const place = old.uri === null ? null : placeOf(old.uri, old.range);
    const segment = (place === null ? undefined : still.get(place)) ?? now.get(old.msn);
    if (segment === undefined) continue;
    if (old.uri !== null) {
      const [was, is] = [old, segment].map(({ lines, map }) => [...lines, map?.uri].join(" "));
      if (was !== is) return report.fault(url, `before: ${was}`, `now: ${is}`);
    }
    if (segment.parts.length === 0 || segment.msn !== old.msn) continue;
    const is = new Set(segment.parts.map(({ line }) => line));
    const gone = old.parts.find(({ line }) => !is.has(line));
    // Parts may be removed from the beginning of a segment only.
    if (gone !== undefined && old.parts.indexOf(gone) >= old.parts.findIndex(({ line }) => is.has(line)))
      return report.fault(url, `before: ${gone.line}`, `now: ${segment.parts.map(({ line }) => line).join(" ")}`);
  }
  report.seen();
});

const noHoles = between(({ playlist: before }, { playlist: after, url }, report) => {
  const [end, begin] = [lastPlace(before), after.segments[0]];
  if (end === null || begin === undefined) return;
  if (begin.msn <= end.msn + 1) report.seen();
  else report.fault(url, `continues from ${end.msn}`, `begins at ${begin.msn}`);
});

/** A segment's parts are removed together, so the segment's end counts. */
const partsKept = between(({ playlist: before }, { playlist: after, url }, report) => {
  const target = after.targetDurationS;
  if (target === null) return;
  const had = new Map(before.segments.map(({ msn, parts }) => [msn, parts.length]));
  const toEnd = secondsToEnd(after);
  for (const [index, { msn, parts, uri }] of after.segments.entries()) {
    const wanted = had.get(msn) ?? 0;
    if (wanted === 0) continue;
    const distance = toEnd[index]!;
    if (parts.length > 0 || distance > 3 * target - 0.001) report.seen();
    else
      return report.fault(
        url,
        `${wanted} parts until 3 target durations from the end`,
        `none at ${distance.toFixed(2)} s from it: ${uri}`,
      );
  }
});

export const WINDOW_RULES: Rule[] = [
  must(
    "media-sequence",
    "4.4.3.2, 6.2.2",
    "EXT-X-MEDIA-SEQUENCE increases by 1 per removed segment, and not otherwise",
    mediaSequence,
  ),
  must(
    "discontinuity-sequence",
    "4.4.3.3, 6.2.2",
    "EXT-X-DISCONTINUITY-SEQUENCE counts the removed discontinuities",
    discontinuitySequence,
  ),
  must("unchanged", "6.2.1", "Listed segments and parts never change", unchanged),
  must("no-holes", "6.2.1", "Each playlist continues the previous one without a gap", noHoles),
  must(
    "window",
    "6.2.2",
    "The playlist lasts at least 3 target durations once a segment has been removed",
    ({ renditions }, report) => {
      for (const playlists of renditions.map(fullPlaylists))
        for (const { playlist, url } of playlists) {
          const least = 3 * (playlist.targetDurationS ?? 0);
          const length = playlist.segments.reduce((sum, segment) => sum + secondsOf(segment), 0);
          // A session may begin with any number, so removal is recognized by an increase of the number.
          if (playlist.mediaSequence === playlists[0]!.playlist.mediaSequence || playlist.hasEnded) continue;
          if (length >= least - 0.001) report.seen();
          else report.fault(url, `at least ${least} s`, `${length.toFixed(2)} s`);
        }
    },
  ),
  must("parts-kept", "4.4.4.9, 6.2.2", "Parts stay listed until they are 3 target durations from the end", partsKept),
  should(
    "parts-leave",
    "6.2.2",
    "Parts are removed once they are more than 3 target durations from the end",
    ({ renditions }, report) => {
      for (const { playlist, url } of renditions.flatMap(fullPlaylists)) {
        const toEnd = secondsToEnd(playlist);
        const target = playlist.targetDurationS ?? 0;
        const late = playlist.segments.find(({ parts }, index) => parts.length > 0 && toEnd[index]! > 4 * target);
        if (late === undefined) report.seen();
        else report.fault(url, `no parts beyond ${3 * target} s`, late.parts[0]!.line);
      }
    },
  ),
  must(
    "playlist-type",
    "6.2.2",
    "A live playlist has no EXT-X-PLAYLIST-TYPE, unless segments are never removed",
    ({ renditions }, report) => {
      for (const { playlist, url } of renditions.flatMap(fullPlaylists)) {
        const { playlistType, mediaSequence } = playlist;
        if (playlistType === null || (playlistType === "EVENT" && mediaSequence === 0)) report.seen();
        else report.fault(url, "no EXT-X-PLAYLIST-TYPE", `EXT-X-PLAYLIST-TYPE:${playlistType}`);
      }
    },
  ),
];
