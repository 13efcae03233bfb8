import { placeOf } from "../attributes.ts";
import { fullPlaylists, type ReadAnswer } from "../evidence.ts";
import { lastPlace, secondsOf, secondsToEnd, type Segment } from "../playlist.ts";
import { must, pairs, type Rule, should } from "../rule.ts";

/** Judges each two neighbours of each rendition's whole playlists. */
const between =
  (judge: (before: ReadAnswer, after: ReadAnswer, tell: Parameters<Rule["judge"]>[1]) => void): Rule["judge"] =>
  ({ renditions }, tell) => {
    for (const rendition of renditions)
      for (const [before, after] of pairs(fullPlaylists(rendition))) judge(before, after, tell);
  };

const byPlace = (segments: Segment[]) =>
  new Map(segments.flatMap((one) => (one.uri === null ? [] : [[placeOf(one.uri, one.range), one] as const])));

const mediaSequence = between(({ playlist: before }, { playlist: after, url }, tell) => {
  if (after.mediaSequence < before.mediaSequence)
    return tell.fault(url, `not below ${before.mediaSequence}`, `EXT-X-MEDIA-SEQUENCE:${after.mediaSequence}`);
  const was = byPlace(before.segments);
  for (const [place, { msn }] of byPlace(after.segments)) {
    const old = was.get(place)?.msn;
    if (old !== undefined && old !== msn) return tell.fault(url, `number ${old}: ${place}`, `number ${msn} now`);
  }
  tell.seen();
});

const discontinuitySequence = between(({ playlist: before }, { playlist: after, url }, tell) => {
  const was = byPlace(before.segments);
  for (const [place, segment] of byPlace(after.segments)) {
    const old = was.get(place);
    if (old === undefined || old.msn !== segment.msn) continue;
    if (old.discontinuitySequence !== segment.discontinuitySequence) {
      const [wanted, found] = [old, segment].map(
        (one) => `discontinuity sequence ${one.discontinuitySequence}: ${place}`,
      );
      return tell.fault(url, wanted!, found!);
    }
  }
  tell.seen();
});

/** Lines of a segment that only come at its end or with the first part are compared once it is whole. */
const unchanged = between(({ playlist: before }, { playlist: after, url }, tell) => {
  const now = new Map(after.segments.map((segment) => [segment.msn, segment]));
  const still = byPlace(after.segments);
  // Other numbers are the business of `media-sequence`.
  if ([...byPlace(before.segments)].some(([place, { msn }]) => (still.get(place)?.msn ?? msn) !== msn)) return;
  for (const old of before.segments) {
    const place = old.uri === null ? null : placeOf(old.uri, old.range);
    const segment = (place === null ? undefined : still.get(place)) ?? now.get(old.msn);
    if (segment === undefined) continue;
    if (old.uri !== null) {
      const [was, is] = [old, segment].map(({ lines, map }) => [...lines, map?.uri].join(" "));
      if (was !== is) return tell.fault(url, `before: ${was}`, `now: ${is}`);
    }
    if (segment.parts.length === 0 || segment.msn !== old.msn) continue;
    const is = new Set(segment.parts.map(({ line }) => line));
    const gone = old.parts.find(({ line }) => !is.has(line));
    // The first parts of a segment may be gone, never one behind another that is still there.
    if (gone !== undefined && old.parts.indexOf(gone) >= old.parts.findIndex(({ line }) => is.has(line)))
      return tell.fault(url, `before: ${gone.line}`, `now: ${segment.parts.map(({ line }) => line).join(" ")}`);
  }
  tell.seen();
});

const noHoles = between(({ playlist: before }, { playlist: after, url }, tell) => {
  const [end, begin] = [lastPlace(before), after.segments[0]];
  if (end === null || begin === undefined) return;
  if (begin.msn <= end.msn + 1) tell.seen();
  else tell.fault(url, `goes on from ${end.msn}`, `begins at ${begin.msn}`);
});

/** A part leaves with the last parts of its segment; so the segment's end counts. */
const partsKept = between(({ playlist: before }, { playlist: after, url }, tell) => {
  const target = after.targetDurationS;
  if (target === null) return;
  const had = new Map(before.segments.map(({ msn, parts }) => [msn, parts.length]));
  const toEnd = secondsToEnd(after);
  for (const [index, { msn, parts, uri }] of after.segments.entries()) {
    const wanted = had.get(msn) ?? 0;
    if (wanted === 0) continue;
    const distance = toEnd[index]!;
    if (parts.length > 0 || distance > 3 * target - 0.001) tell.seen();
    else
      return tell.fault(
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
    "EXT-X-MEDIA-SEQUENCE grows by 1 for each segment that leaves, and never else",
    mediaSequence,
  ),
  must(
    "discontinuity-sequence",
    "4.4.3.3, 6.2.2",
    "EXT-X-DISCONTINUITY-SEQUENCE counts the discontinuities that left",
    discontinuitySequence,
  ),
  must("unchanged", "6.2.1", "What is listed once stays as it is", unchanged),
  must("no-holes", "6.2.1", "Each playlist goes on where the one before ended", noHoles),
  must(
    "window",
    "6.2.2",
    "The playlist is at least 3 target durations long once something left it",
    ({ renditions }, tell) => {
      for (const playlists of renditions.map(fullPlaylists))
        for (const { playlist, url } of playlists) {
          const least = 3 * (playlist.targetDurationS ?? 0);
          const length = playlist.segments.reduce((sum, segment) => sum + secondsOf(segment), 0);
          // A session need not begin with number 0: something has left the playlist once the number has been seen to rise.
          if (playlist.mediaSequence === playlists[0]!.playlist.mediaSequence || playlist.hasEnded) continue;
          if (length >= least - 0.001) tell.seen();
          else tell.fault(url, `at least ${least} s`, `${length.toFixed(2)} s`);
        }
    },
  ),
  must("parts-kept", "4.4.4.9, 6.2.2", "Parts stay listed until they are 3 target durations from the end", partsKept),
  should(
    "parts-leave",
    "6.2.2",
    "Parts leave once they are more than 3 target durations from the end",
    ({ renditions }, tell) => {
      for (const { playlist, url } of renditions.flatMap(fullPlaylists)) {
        const toEnd = secondsToEnd(playlist);
        const target = playlist.targetDurationS ?? 0;
        const late = playlist.segments.find(({ parts }, index) => parts.length > 0 && toEnd[index]! > 4 * target);
        if (late === undefined) tell.seen();
        else tell.fault(url, `no parts beyond ${3 * target} s`, late.parts[0]!.line);
      }
    },
  ),
  must(
    "playlist-type",
    "6.2.2",
    "A live playlist has no EXT-X-PLAYLIST-TYPE, unless nothing ever leaves it",
    ({ renditions }, tell) => {
      for (const { playlist, url } of renditions.flatMap(fullPlaylists)) {
        const { playlistType, mediaSequence } = playlist;
        if (playlistType === null || (playlistType === "EVENT" && mediaSequence === 0)) tell.seen();
        else tell.fault(url, "no EXT-X-PLAYLIST-TYPE", `EXT-X-PLAYLIST-TYPE:${playlistType}`);
      }
    },
  ),
];
