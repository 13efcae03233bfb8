import { fullPlaylists, readAnswers, type RenditionEvidence, type StreamEvidence } from "../evidence.ts";
import type { MediaPlaylist } from "../playlist.ts";
import { must, pairs, type Rule, should, type Reporter } from "../rule.ts";

/** The lowest EXT-X-VERSION that a playlist needs (§8), and the reason. */
function neededVersion({ lines, segments, skipped }: MediaPlaylist): [number, string] {
  const has = (pattern: RegExp) => lines.find((line) => pattern.test(line));
  const needs: [number, string | undefined][] = [
    [9, skipped === null ? undefined : has(/^#EXT-X-SKIP:/)],
    [8, has(/^#EXT-X-DEFINE:/)],
    [6, segments.some(({ map }) => map !== null) ? has(/^#EXT-X-MAP:/) : undefined],
    [4, has(/^#EXT-X-BYTERANGE:/)],
    [3, has(/^#EXTINF:\d+\.\d/)],
  ];
  const [version, line] = needs.find(([, line]) => line !== undefined) ?? [1, undefined];
  return [version, line ?? "nothing special"];
}

/** Reports a fault where a value in a rendition's playlist differs from its first playlist. */
function constant(valueOf: (playlist: MediaPlaylist) => string | null): Rule["judge"] {
  return ({ renditions }, report) => {
    for (const rendition of renditions)
      for (const [first, later] of pairs(readAnswers(rendition))) {
        const [before, after] = [valueOf(first.playlist), valueOf(later.playlist)];
        if (before === null && after === null) continue;
        if (before === after) report.seen();
        else report.fault(later.url, `before: ${before}`, `now: ${after}`);
      }
  };
}

/** Reports a fault where the first playlists of two renditions differ in a value. */
function alike(valueOf: (playlist: MediaPlaylist) => string | null): Rule["judge"] {
  return ({ renditions }, report) => {
    for (const [one, other] of pairs(renditions.flatMap((rendition) => fullPlaylists(rendition).slice(0, 1)))) {
      const [here, there] = [valueOf(one.playlist), valueOf(other.playlist)];
      if (here === there) report.seen();
      else report.fault(other.url, `${one.url}: ${here}`, `here: ${there}`);
    }
  };
}

/** Compares an attribute of SERVER-CONTROL with its minimum. */
function atLeast(name: string, least: (playlist: MediaPlaylist) => number | null): Rule["judge"] {
  return ({ renditions }, report) =>
    firstPlaylists(renditions, (playlist) => {
      const value = playlist.serverControl?.get(name);
      const wanted = least(playlist);
      if (value === undefined || wanted === null) return;
      if (Number(value) >= wanted - 1e-6) report.seen();
      else report.fault(playlist.url, `${name} of at least ${Number(wanted.toFixed(3))}`, `${name}=${value}`);
    });
}

const firstPlaylists = (renditions: RenditionEvidence[], look: (playlist: MediaPlaylist) => void) =>
  renditions.flatMap((rendition) => fullPlaylists(rendition).slice(0, 1)).forEach(({ playlist }) => look(playlist));

const controlText = ({ serverControl }: MediaPlaylist) =>
  serverControl === null
    ? null
    : [...serverControl]
        .map((pair) => pair.join("="))
        .sort()
        .join(",");

function profile({ renditions }: StreamEvidence, report: Reporter): void {
  firstPlaylists(renditions, (playlist) => {
    const { serverControl, partTargetS, segments, url } = playlist;
    const missing = [
      ...(serverControl?.get("CAN-BLOCK-RELOAD") === "YES" ? [] : ["CAN-BLOCK-RELOAD=YES"]),
      ...(serverControl?.has("PART-HOLD-BACK") === true ? [] : ["PART-HOLD-BACK"]),
      ...(partTargetS === null ? ["EXT-X-PART-INF"] : []),
      ...(segments.some(({ dateMs }) => dateMs !== null) ? [] : ["EXT-X-PROGRAM-DATE-TIME"]),
    ];
    if (missing.length === 0) report.seen();
    else report.fault(url, "what low latency needs in each media playlist", `not there: ${missing.join(", ")}`);
  });
}

export const TAG_RULES: Rule[] = [
  must(
    "syntax",
    "4.1, 4.4",
    "Each line is a tag, a comment or a URI in an allowed place, with the required attributes",
    (stream, report) => {
      const { multivariant, renditions } = stream;
      const answers = renditions.flatMap(readAnswers).map(({ playlist }) => playlist);
      for (const { url, problems } of multivariant === null ? answers : [multivariant, ...answers]) {
        if (problems.length === 0) report.seen();
        else report.fault(url, "a playlist by the grammar", problems.slice(0, 3).join("; "));
      }
    },
  ),
  must(
    "version",
    "4.4.1.2, 8",
    "EXT-X-VERSION is as high as the tags require, 9 for EXT-X-SKIP",
    ({ renditions }, report) => {
      for (const { playlist } of renditions.flatMap(readAnswers)) {
        const [needed, why] = neededVersion(playlist);
        if ((playlist.version ?? 1) >= needed) report.seen();
        else report.fault(playlist.url, `at least ${needed}, because of ${why}`, `EXT-X-VERSION:${playlist.version}`);
      }
    },
  ),
  must("target-duration", "4.4.3.1, 6.2.1", "EXT-X-TARGETDURATION is present and never changes", (stream, report) => {
    for (const { playlist } of stream.renditions.flatMap(readAnswers))
      if (playlist.targetDurationS === null) report.fault(playlist.url, "EXT-X-TARGETDURATION", "none");
    constant(({ targetDurationS }) => (targetDurationS === null ? null : String(targetDurationS)))(stream, report);
  }),
  must(
    "target-duration-alike",
    "6.2.4",
    "All renditions have the same target duration",
    alike((one) => String(one.targetDurationS)),
  ),
  must(
    "segment-duration",
    "4.4.3.1",
    "Each EXTINF, rounded, is at most the target duration",
    ({ renditions }, report) => {
      for (const { playlist } of renditions.flatMap(fullPlaylists))
        for (const { durationS, uri } of playlist.segments) {
          if (durationS === null || playlist.targetDurationS === null) continue;
          if (Math.round(durationS) <= playlist.targetDurationS) report.seen();
          else report.fault(playlist.url, `at most ${playlist.targetDurationS} s`, `${durationS} s: ${uri}`);
        }
    },
  ),
  must(
    "part-target",
    "4.4.3.7",
    "PART-TARGET never changes",
    constant((one) => (one.partTargetS === null ? null : `PART-TARGET=${one.partTargetS}`)),
  ),
  must("server-control", "4.4.3.8", "EXT-X-SERVER-CONTROL never changes", constant(controlText)),
  must("server-control-alike", "6.2.4", "All renditions have the same EXT-X-SERVER-CONTROL", alike(controlText)),
  must(
    "hold-back",
    "4.4.3.8",
    "HOLD-BACK is at least 3 target durations",
    atLeast("HOLD-BACK", (one) => (one.targetDurationS === null ? null : 3 * one.targetDurationS)),
  ),
  must(
    "part-hold-back",
    "4.4.3.8",
    "PART-HOLD-BACK is at least 2 part targets",
    atLeast("PART-HOLD-BACK", (one) => (one.partTargetS === null ? null : 2 * one.partTargetS)),
  ),
  should(
    "part-hold-back-3",
    "4.4.3.8",
    "PART-HOLD-BACK is at least 3 part targets",
    atLeast("PART-HOLD-BACK", (one) => (one.partTargetS === null ? null : 3 * one.partTargetS)),
  ),
  must(
    "can-skip-until",
    "4.4.3.8",
    "CAN-SKIP-UNTIL is at least 6 target durations",
    atLeast("CAN-SKIP-UNTIL", (one) => (one.targetDurationS === null ? null : 6 * one.targetDurationS)),
  ),
  must("low-latency-profile", "B.1", "Blocking reloads, parts, their hold back and dates are offered", profile),
];
