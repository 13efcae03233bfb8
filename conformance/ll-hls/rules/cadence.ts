import { fullPlaylists, type ReadAnswer, type RenditionEvidence } from "../evidence.ts";
import { type MediaPlaylist, secondsOf } from "../playlist.ts";
import { must, pairs, type Rule } from "../rule.ts";
import { segmentsOf } from "./parts.ts";

/** What a network may add to the time of an answer; what this machine adds is measured. */
const TOLERANCE_S = 1;

/** The answers that brought something new, by what `newest` tells of them. */
function* steps(answers: ReadAnswer[], newest: (playlist: MediaPlaylist) => string): Generator<ReadAnswer> {
  let last: string | null = null;
  for (const answer of answers) {
    const now = newest(answer.playlist);
    if (last !== null && now !== last) yield answer;
    last = now;
  }
}

const partsToldBy = (playlist: MediaPlaylist) => {
  const last = playlist.segments.at(-1);
  return `${last?.msn}.${last?.parts.length}`;
};
const lastWhole = ({ segments }: MediaPlaylist) => String(segments.findLast(({ uri }) => uri !== null)?.msn);

/**
 * For how many seconds nothing was captured before each segment, by its sequence number: what dates leave out at a discontinuity, and the
 * lengths of gaps. An origin cannot list what its broadcaster has not sent.
 */
function absences(rendition: RenditionEvidence): Map<number, number> {
  const found = new Map<number, number>();
  const segments = segmentsOf(rendition).map(({ segment }) => segment);
  for (const [before, after] of pairs(segments)) {
    if (after.msn !== before.msn + 1) continue;
    const gapS = before.isGap ? secondsOf(before) : 0;
    const isDated = after.isDiscontinuous && before.dateMs !== null && after.dateMs !== null;
    const leftOutS = isDated ? (after.dateMs! - before.dateMs!) / 1000 - secondsOf(before) : 0;
    found.set(after.msn, Math.max(0, leftOutS) + gapS);
  }
  return found;
}

/** A segment that was cut short may be closed in one playlist, and what follows it be listed in the next. */
function absentBetween(absences: Map<number, number>, before: MediaPlaylist, after: MediaPlaylist): number {
  const [from, to] = [before, after].map(({ segments }) => segments.at(-1)?.msn ?? 0);
  let seconds = 0;
  for (let msn = from!; msn <= to! + 1; msn += 1) seconds += absences.get(msn) ?? 0;
  return seconds;
}

/** New things have to come within so many seconds; judged by when answers came, so only a long wait is a fault. */
function within(
  newest: (playlist: MediaPlaylist) => string,
  limitS: (playlist: MediaPlaylist) => number | null,
): Rule["judge"] {
  return ({ renditions, lagS }, tell) => {
    for (const rendition of renditions) {
      const away = absences(rendition);
      for (const [before, after] of pairs([...steps(fullPlaylists(rendition), newest)])) {
        const usual = limitS(after.playlist);
        if (usual === null || after.playlist.hasEnded) continue;
        const limit = usual + absentBetween(away, before.playlist, after.playlist);
        const tookS = (after.answeredAtMs - before.answeredAtMs) / 1000;
        if (tookS <= limit + TOLERANCE_S + 2 * lagS) tell.seen();
        else tell.fault(after.url, `within ${limit.toFixed(2)} s`, `after ${tookS.toFixed(2)} s`);
      }
    }
  };
}

const words = ({ segments }: MediaPlaylist) => segments.map(({ lines }) => lines.join(" ")).join("\n");

export const CADENCE_RULES: Rule[] = [
  must(
    "part-cadence",
    "6.2.1",
    "A new part comes within one part target of the part before, an absence of the broadcaster apart",
    within(partsToldBy, (one) => one.partTargetS),
  ),
  must(
    "segment-cadence",
    "6.2.1",
    "A new segment comes within 1.5 target durations of the segment before, an absence of the broadcaster apart",
    within(lastWhole, (one) => (one.targetDurationS === null ? null : 1.5 * one.targetDurationS)),
  ),
  must(
    "end",
    "4.4.3.4, 6.2.5",
    "EXT-X-ENDLIST is final: no hints, nothing changes, directives are ignored",
    ({ renditions }, tell) => {
      for (const { playlists } of renditions) {
        const ended = playlists.filter(({ playlist }) => playlist?.hasEnded === true);
        for (const { url, playlist } of ended) {
          const hint = playlist!.hints[0];
          if (hint !== undefined) tell.fault(url, "no hints behind the end", hint.line);
        }
        const [first] = ended;
        if (first?.playlist == null) continue;
        for (const later of playlists.slice(playlists.indexOf(first) + 1)) {
          if (later.purpose !== "after the end" && !ended.includes(later)) continue;
          const { playlist } = later;
          const isWhole = playlist !== null && playlist.skipped === null && playlist.hasEnded;
          if (isWhole && words(playlist) === words(first.playlist)) tell.seen();
          else
            tell.fault(
              later.url,
              "the whole playlist as it was at the end",
              `${later.status}: ${later.text.slice(-160)}`,
            );
        }
      }
    },
  ),
];
