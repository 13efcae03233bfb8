import type { RenditionEvidence } from "../evidence.ts";
import { applyDelta, lastPlace, type MediaPlaylist, secondsToEnd } from "../playlist.ts";
import { must, type Rule } from "../rule.ts";

/** Each delta update with the full playlist before it. */
function* deltasOf({ playlists }: RenditionEvidence): Generator<{
  delta: MediaPlaylist;
  base: MediaPlaylist;
  url: string;
  full: MediaPlaylist | null;
}> {
  let base: MediaPlaylist | null = null;
  for (const [index, { purpose, playlist, url }] of playlists.entries()) {
    if (playlist === null) continue;
    if (purpose === "delta" && base !== null) {
      const full = playlists.slice(index + 1).find((answer) => answer.purpose === "reload")?.playlist ?? null;
      yield { delta: playlist, base, url, full };
    }
    if ((purpose === "first" || purpose === "reload") && playlist.skipped === null) base = playlist;
  }
}

const skipBoundary: Rule["judge"] = ({ renditions }, report) => {
  for (const { delta, base, url } of renditions.flatMap((rendition) => [...deltasOf(rendition)])) {
    const boundary = Number(delta.serverControl?.get("CAN-SKIP-UNTIL") ?? Number.NaN);
    if (delta.skipped === null) continue;
    const whole = applyDelta(base, delta);
    if (Number.isNaN(boundary))
      report.fault(url, "no EXT-X-SKIP without CAN-SKIP-UNTIL", `EXT-X-SKIP of ${delta.skipped}`);
    else if (whole === null)
      report.fault(url, `${delta.skipped} segments that the last playlist had`, "some of them it had not");
    else {
      const toEnd = secondsToEnd(whole);
      const inside = delta.skipped === 0 ? Infinity : toEnd[delta.skipped - 1]!;
      if (inside > boundary - 0.001) report.seen();
      else
        report.fault(
          url,
          `all within ${boundary} s of the end is listed`,
          `left out: a segment that ends ${inside.toFixed(2)} s from it`,
        );
    }
  }
};

const skipsAll: Rule["judge"] = ({ renditions }, report) => {
  for (const { delta, base, url } of renditions.flatMap((rendition) => [...deltasOf(rendition)])) {
    const boundary = Number(delta.serverControl?.get("CAN-SKIP-UNTIL") ?? Number.NaN);
    const whole = applyDelta(base, delta);
    if (Number.isNaN(boundary) || delta.hasEnded || whole === null) continue;
    // The specification leaves open whether parts after the last segment count, so one more target duration is accepted.
    const outside = secondsToEnd(whole)[delta.skipped ?? 0] ?? 0;
    if (outside <= boundary + (delta.targetDurationS ?? 0)) report.seen();
    else
      report.fault(
        url,
        `a delta update: EXT-X-SKIP for what is beyond ${boundary} s`,
        `${delta.skipped ?? "none"} left out; ${outside.toFixed(2)} s is listed`,
      );
  }
};

const placeText = (playlist: MediaPlaylist) => JSON.stringify(lastPlace(playlist));

const linesOf = (playlist: MediaPlaylist) =>
  playlist.segments.map(({ msn, durationS, dateMs, uri, isDiscontinuous, discontinuitySequence, map, isGap }) =>
    [msn, durationS, dateMs, uri, isDiscontinuous, discontinuitySequence, map?.uri, isGap].join(" "),
  );

const deltaIsFull: Rule["judge"] = ({ renditions }, report) => {
  for (const { delta, base, full, url } of renditions.flatMap((rendition) => [...deltasOf(rendition)])) {
    const whole = applyDelta(base, delta);
    if (whole === null || full === null || delta.skipped === null) continue;
    if (placeText(whole) !== placeText(full) || whole.mediaSequence !== full.mediaSequence) continue; // taken at two moments
    const [wanted, found] = [linesOf(full), linesOf(whole)];
    const at = wanted.findIndex((line, index) => line !== found[index]);
    if (at === -1) report.seen();
    else report.fault(url, `the whole playlist: ${wanted[at]}`, `the delta applied: ${found[at]}`);
  }
};

export const DELTA_RULES: Rule[] = [
  must(
    "skip-boundary",
    "4.4.5.2, 6.2.5.1",
    "A delta update skips only segments beyond CAN-SKIP-UNTIL that were listed before",
    skipBoundary,
  ),
  must("skips", "6.2.5.1", "_HLS_skip is answered with a delta update once segments can be skipped", skipsAll),
  must("delta", "6.2.5.1", "A delta update, applied, equals the full playlist", deltaIsFull),
];
