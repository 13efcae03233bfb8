import type { PlaylistAnswer, PlaylistPurpose, RenditionEvidence } from "../evidence.ts";
import { fullPlaylists, readAnswers } from "../evidence.ts";
import { applyDelta, holds, isAtLeast, lastPlace, type MediaPlaylist, type Place, secondsToEnd } from "../playlist.ts";
import { must, type Rule, should } from "../rule.ts";

/** How much longer an answer that is not held may take than the first, which no server holds. */
const AT_ONCE_S = 2;

const words = (place: Place | null) => (place === null ? "nothing" : `${place.msn}.${place.part ?? "whole"}`);
const tookS = ({ askedAtMs, answeredAtMs }: PlaylistAnswer) => (answeredAtMs - askedAtMs) / 1000;

const held = ({ playlists }: RenditionEvidence) =>
  playlists.filter(({ purpose, asked }) => (purpose === "reload" || purpose === "delta") && asked !== null);

const holdsAsked: Rule["judge"] = ({ renditions }, tell) => {
  for (const { playlist, asked, url } of renditions.flatMap(held)) {
    if (playlist === null || playlist.hasEnded) continue;
    if (holds(playlist, asked!)) tell.seen();
    else
      tell.fault(url, `held until ${words(asked)} is there`, `answered with ${words(lastPlace(playlist))} as its last`);
  }
};

const inTime: Rule["judge"] = ({ renditions, lagS }, tell) => {
  for (const rendition of renditions) {
    const target = fullPlaylists(rendition)[0]?.playlist.targetDurationS ?? null;
    for (const answer of held(rendition)) {
      if (target === null) continue;
      const isGood = answer.status === 200 || answer.status === 503;
      if (isGood && tookS(answer) <= 3 * target + AT_ONCE_S + 2 * lagS) tell.seen();
      else
        tell.fault(
          answer.url,
          `200, or 503 after ${3 * target} s`,
          `${answer.status || "nothing"} after ${tookS(answer).toFixed(2)} s`,
        );
    }
  }
};

const refuses =
  (purpose: PlaylistPurpose): Rule["judge"] =>
  ({ renditions }, tell) => {
    for (const answer of renditions.flatMap(({ playlists }) => playlists)) {
      if (answer.purpose !== purpose || answer.playlist?.hasEnded === true) continue;
      if (answer.status === 400) tell.seen();
      else tell.fault(answer.url, "400", `${answer.status || "nothing"} after ${tookS(answer).toFixed(2)} s`);
    }
  };

const old: Rule["judge"] = ({ renditions, lagS }, tell) => {
  for (const rendition of renditions)
    for (const answer of rendition.playlists) {
      if (answer.purpose !== "old") continue;
      const before = readAnswers(rendition).filter(({ answeredAtMs }) => answeredAtMs < answer.askedAtMs);
      const wanted = before.map(({ playlist }) => lastPlace(playlist)).findLast((place) => place !== null) ?? null;
      const found = answer.playlist === null ? null : lastPlace(answer.playlist);
      const isCurrent =
        found !== null && answer.playlist?.skipped === null && (wanted === null || isAtLeast(found, wanted));
      if (isCurrent && tookS(answer) <= tookS(rendition.playlists[0]!) + AT_ONCE_S + 2 * lagS) tell.seen();
      else
        tell.fault(
          answer.url,
          `the whole playlist up to ${words(wanted)}, at once`,
          `${answer.status}, up to ${words(found)}, after ${tookS(answer).toFixed(2)} s`,
        );
    }
};

/** Each delta with the whole playlist before it. */
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

const skipBoundary: Rule["judge"] = ({ renditions }, tell) => {
  for (const { delta, base, url } of renditions.flatMap((rendition) => [...deltasOf(rendition)])) {
    const boundary = Number(delta.serverControl?.get("CAN-SKIP-UNTIL") ?? Number.NaN);
    if (delta.skipped === null) continue;
    const whole = applyDelta(base, delta);
    if (Number.isNaN(boundary))
      tell.fault(url, "no EXT-X-SKIP without CAN-SKIP-UNTIL", `EXT-X-SKIP of ${delta.skipped}`);
    else if (whole === null)
      tell.fault(url, `${delta.skipped} segments that the last playlist had`, "some of them it had not");
    else {
      const toEnd = secondsToEnd(whole);
      const inside = delta.skipped === 0 ? Infinity : toEnd[delta.skipped - 1]!;
      if (inside > boundary - 0.001) tell.seen();
      else
        tell.fault(
          url,
          `all within ${boundary} s of the end is listed`,
          `left out: a segment that ends ${inside.toFixed(2)} s from it`,
        );
    }
  }
};

const skipsAll: Rule["judge"] = ({ renditions }, tell) => {
  for (const { delta, base, url } of renditions.flatMap((rendition) => [...deltasOf(rendition)])) {
    const boundary = Number(delta.serverControl?.get("CAN-SKIP-UNTIL") ?? Number.NaN);
    const whole = applyDelta(base, delta);
    if (Number.isNaN(boundary) || delta.hasEnded || whole === null) continue;
    // Whether parts behind the last segment count is open: one target duration more is let pass.
    const outside = secondsToEnd(whole)[delta.skipped ?? 0] ?? 0;
    if (outside <= boundary + (delta.targetDurationS ?? 0)) tell.seen();
    else
      tell.fault(
        url,
        `a delta update: EXT-X-SKIP for what is beyond ${boundary} s`,
        `${delta.skipped ?? "none"} left out; ${outside.toFixed(2)} s is listed`,
      );
  }
};

const linesOf = (playlist: MediaPlaylist) =>
  playlist.segments.map(({ msn, durationS, dateMs, uri, isDiscontinuous, discontinuitySequence, map, isGap }) =>
    [msn, durationS, dateMs, uri, isDiscontinuous, discontinuitySequence, map?.uri, isGap].join(" "),
  );

const deltaIsFull: Rule["judge"] = ({ renditions }, tell) => {
  for (const { delta, base, full, url } of renditions.flatMap((rendition) => [...deltasOf(rendition)])) {
    const whole = applyDelta(base, delta);
    if (whole === null || full === null || delta.skipped === null) continue;
    if (words(lastPlace(whole)) !== words(lastPlace(full)) || whole.mediaSequence !== full.mediaSequence) continue; // taken at two moments
    const [wanted, found] = [linesOf(full), linesOf(whole)];
    const at = wanted.findIndex((line, index) => line !== found[index]);
    if (at === -1) tell.seen();
    else tell.fault(url, `the whole playlist: ${wanted[at]}`, `the delta applied: ${found[at]}`);
  }
};

export const RELOAD_RULES: Rule[] = [
  must("held", "6.2.5.2", "A blocking request is answered when what it names is there, not before", holdsAsked),
  should("held-in-time", "6.2.5.2", "A blocking request is answered within 3 target durations, or with 503", inTime),
  must("part-needs-msn", "6.2.5.2", "_HLS_part without _HLS_msn is answered with 400", refuses("part alone")),
  should(
    "far-segment",
    "6.2.5.2",
    "_HLS_msn beyond the last plus two is answered with 400 at once",
    refuses("far segment"),
  ),
  should(
    "far-part",
    "6.2.5.2",
    "_HLS_part beyond the advance part limit is answered with 400 at once",
    refuses("far part"),
  ),
  must("past", "6.2.5.2", "_HLS_msn of the past is answered with the current playlist at once", old),
  must(
    "skip-boundary",
    "4.4.5.2, 6.2.5.1",
    "A delta update leaves out only what is beyond CAN-SKIP-UNTIL, and was listed before",
    skipBoundary,
  ),
  must("skips", "6.2.5.1", "_HLS_skip is answered with a delta update once there is something to leave out", skipsAll),
  must("delta", "6.2.5.1", "A delta update, applied, is the whole playlist", deltaIsFull),
];
