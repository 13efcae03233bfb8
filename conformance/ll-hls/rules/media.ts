import { placeOf } from "../attributes.ts";
import { type FragmentFacts, isSync } from "../../boxes.ts";
import { fullPlaylists, type MediaAnswer, type MediaPurpose, type RenditionEvidence } from "../evidence.ts";
import { must, type Rule } from "../rule.ts";
import { segmentsOf } from "./parts.ts";

export const trackOf = (rendition: RenditionEvidence) =>
  rendition.media.find(({ init }) => init !== null)?.init?.tracks[0] ?? null;

export const answersFor = (rendition: RenditionEvidence, purpose: MediaPurpose): Map<string, MediaAnswer> =>
  new Map(rendition.media.filter((answer) => answer.purpose === purpose).map((answer) => [answer.place, answer]));

/** Null when the samples have no flags of their own; then the track's default applies. */
function beginsWithSync(fragment: FragmentFacts | undefined, defaultFlags: number): boolean | null {
  return fragment === undefined ? null : isSync(fragment.firstFlags ?? defaultFlags);
}

/** Every load of a kind must be answered 200, or 206 for a range. */
const answers =
  (...purposes: MediaPurpose[]): Rule["judge"] =>
  ({ renditions }, report) => {
    for (const { url, status, purpose, place } of renditions.flatMap(({ media }) => media)) {
      if (!purposes.includes(purpose)) continue;
      if (status === 200 || status === 206) report.seen();
      else report.fault(url, `200: ${place}`, status === 0 ? "no answer" : `${status}`);
    }
  };

/** A request may be aborted after this many target durations. */
const HELD_TARGETS = 3;

const hintAnswers: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions) {
    const listed = new Set(segmentsOf(rendition).flatMap(({ segment }) => segment.parts.map((part) => part.uri)));
    const target = fullPlaylists(rendition)[0]?.playlist.targetDurationS ?? 1;
    for (const { url, status, askedAtMs, answeredAtMs } of answersFor(rendition, "hint").values()) {
      // A server may stop holding a request while the broadcast is interrupted (§6.2.5.2).
      if (status === 503 && answeredAtMs - askedAtMs >= HELD_TARGETS * target * 1000) continue;
      if (status === 200 || status === 206) report.seen();
      else if (listed.has(url))
        report.fault(url, "200 when the part is there", status === 0 ? "no answer" : `${status}`);
    }
  }
};

const hintBytes: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions) {
    const parts = answersFor(rendition, "part");
    for (const hint of answersFor(rendition, "hint").values()) {
      const part = parts.get(hint.place);
      if (part === undefined || hint.status >= 300 || part.status >= 300 || hint.status === 0 || part.status === 0)
        continue;
      if (hint.sha256 === part.sha256) report.seen();
      else report.fault(hint.url, `the part's ${part.byteLength} bytes`, `${hint.byteLength} other bytes for the hint`);
    }
  }
};

/** Every part of WebVTT has a header of its own, so a segment has other bytes. */
const isWebVtt = (url: string): boolean => new URL(url).pathname.endsWith(".vtt");

const segmentIsParts: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions) {
    const parts = answersFor(rendition, "part");
    for (const { slices, url, byteLength } of answersFor(rendition, "segment").values()) {
      if (slices === null || isWebVtt(url)) continue;
      const odd = slices.find(({ place, sha256 }) => parts.get(place)?.sha256 !== sha256);
      if (odd === undefined) report.seen();
      else report.fault(url, `the bytes of its ${slices.length} parts`, `${byteLength} bytes, other than ${odd.place}`);
    }
  }
};

const independent: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions) {
    const [track, parts] = [trackOf(rendition), answersFor(rendition, "part")];
    if (track === null) continue;
    for (const { segment } of segmentsOf(rendition))
      for (const part of segment.parts) {
        const answer = parts.get(placeOf(part.uri, part.range));
        const isSync = beginsWithSync(answer?.fragments[0], track.defaultFlags);
        if (!part.isIndependent || isSync === null) continue;
        if (isSync) report.seen();
        else report.fault(part.uri, part.line, "its first sample is not a sync sample");
      }
  }
};

const independentSegments: Rule["judge"] = ({ renditions, multivariant }, report) => {
  const isForAll = multivariant?.lines.includes("#EXT-X-INDEPENDENT-SEGMENTS") === true;
  for (const rendition of renditions) {
    const track = trackOf(rendition);
    const isTold = isForAll || fullPlaylists(rendition)[0]?.playlist.hasIndependentSegments === true;
    if (track?.handler !== "vide" || !isTold) continue;
    for (const { fragments, url } of answersFor(rendition, "segment").values()) {
      const isSync = beginsWithSync(fragments[0], track.defaultFlags);
      if (isSync === null) continue;
      if (isSync) report.seen();
      else report.fault(url, "a sync sample first, because of EXT-X-INDEPENDENT-SEGMENTS", "another sample");
    }
  }
};

const initSegments: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions) {
    const inits = answersFor(rendition, "init");
    const hasFragments = rendition.media.some(({ fragments }) => fragments.length > 0);
    for (const { segment, url } of segmentsOf(rendition)) {
      if (!hasFragments || segment.isGap) continue;
      const init = segment.map === null ? undefined : inits.get(placeOf(segment.map.uri, segment.map.range));
      if (segment.map === null) report.fault(url, `EXT-X-MAP before ${segment.uri ?? segment.msn}`, "none");
      else if (init === undefined) continue;
      else if (init.init !== null && init.init.tracks.length > 0) report.seen();
      else report.fault(init.url, "200 with a movie box", `${init.status}, ${init.byteLength} bytes`);
    }
  }
};

export const MEDIA_RULES: Rule[] = [
  must("parts-available", "6.2.1", "A part answers as soon as it is listed", answers("part")),
  must("segments-available", "6.2.1", "A segment answers as soon as it is listed", answers("segment")),
  must(
    "parts-stay",
    "6.2.2",
    "A part remains available for 3 target durations after its removal",
    answers("part that left"),
  ),
  must(
    "segments-stay",
    "6.2.2",
    "A segment remains available after its removal from the playlist",
    answers("segment that left"),
  ),
  must("map", "4.4.4.5", "Fragmented MP4 has EXT-X-MAP, whose URI answers with an init segment", initSegments),
  must("hint-answers", "6.2.6", "A resource in EXT-X-PRELOAD-HINT answers 200 once it exists", hintAnswers),
  must("hint-bytes", "6.2.6", "A hinted resource has exactly the bytes of the part", hintBytes),
  must("segment-bytes", "3.2", "The concatenated parts of a segment equal the segment", segmentIsParts),
  must("independent-part", "4.4.4.9", "A part with INDEPENDENT=YES begins with a sync sample", independent),
  must(
    "independent-segment",
    "4.4.2.1",
    "With EXT-X-INDEPENDENT-SEGMENTS each video segment begins with a sync sample",
    independentSegments,
  ),
];
