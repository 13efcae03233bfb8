import type { PlaylistAnswer, PlaylistPurpose, RenditionEvidence } from "../evidence.ts";
import { fullPlaylists, readAnswers } from "../evidence.ts";
import { holds, isAtLeast, lastPlace, type Place } from "../playlist.ts";
import { must, type Rule, should } from "../rule.ts";

/** How much longer an immediate response may take than one to a request without directives, which is never held. */
const AT_ONCE_S = 2;

const words = (place: Place | null) => (place === null ? "nothing" : `${place.msn}.${place.part ?? "whole"}`);
const tookS = ({ askedAtMs, answeredAtMs }: PlaylistAnswer) => (answeredAtMs - askedAtMs) / 1000;

const held = ({ playlists }: RenditionEvidence) =>
  playlists.filter(({ purpose, asked }) => (purpose === "reload" || purpose === "delta") && asked !== null);

const holdsAsked: Rule["judge"] = ({ renditions }, report) => {
  for (const { playlist, asked, url } of renditions.flatMap(held)) {
    if (playlist === null || playlist.hasEnded) continue;
    if (holds(playlist, asked!)) report.seen();
    else
      report.fault(
        url,
        `held until ${words(asked)} is there`,
        `answered with ${words(lastPlace(playlist))} as its last`,
      );
  }
};

const inTime: Rule["judge"] = ({ renditions, lagS }, report) => {
  for (const rendition of renditions) {
    const target = fullPlaylists(rendition)[0]?.playlist.targetDurationS ?? null;
    for (const answer of held(rendition)) {
      if (target === null) continue;
      const isGood = answer.status === 200 || answer.status === 503;
      if (isGood && tookS(answer) <= 3 * target + AT_ONCE_S + 2 * lagS) report.seen();
      else
        report.fault(
          answer.url,
          `200, or 503 after ${3 * target} s`,
          `${answer.status || "nothing"} after ${tookS(answer).toFixed(2)} s`,
        );
    }
  }
};

const refuses =
  (purpose: PlaylistPurpose): Rule["judge"] =>
  ({ renditions }, report) => {
    for (const answer of renditions.flatMap(({ playlists }) => playlists)) {
      if (answer.purpose !== purpose || answer.playlist?.hasEnded === true) continue;
      if (answer.status === 400) report.seen();
      else report.fault(answer.url, "400", `${answer.status || "nothing"} after ${tookS(answer).toFixed(2)} s`);
    }
  };

const old: Rule["judge"] = ({ renditions, lagS }, report) => {
  for (const rendition of renditions) {
    const plain = rendition.playlists.filter(({ purpose }) => purpose === "first" || purpose === "plain");
    const plainS = Math.max(...plain.map(tookS));
    for (const answer of rendition.playlists) {
      if (answer.purpose !== "old") continue;
      const before = readAnswers(rendition).filter(({ answeredAtMs }) => answeredAtMs < answer.askedAtMs);
      const wanted = before.map(({ playlist }) => lastPlace(playlist)).findLast((place) => place !== null) ?? null;
      const found = answer.playlist === null ? null : lastPlace(answer.playlist);
      const isCurrent =
        found !== null && answer.playlist?.skipped === null && (wanted === null || isAtLeast(found, wanted));
      if (isCurrent && tookS(answer) <= plainS + AT_ONCE_S + 2 * lagS) report.seen();
      else
        report.fault(
          answer.url,
          `the whole playlist up to ${words(wanted)}, at once`,
          `${answer.status}, up to ${words(found)}, after ${tookS(answer).toFixed(2)} s`,
        );
    }
  }
};

export const RELOAD_RULES: Rule[] = [
  must("held", "6.2.5.2", "A blocking request is answered when the requested position exists, not before", holdsAsked),
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
  must("past", "6.2.5.2", "A past _HLS_msn is answered with the current playlist at once", old),
];
