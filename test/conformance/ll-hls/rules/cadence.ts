import { fullPlaylists, type ReadAnswer } from "../evidence.ts";
import type { MediaPlaylist } from "../playlist.ts";
import { must, pairs, type Rule } from "../rule.ts";

/** What a network may add to the time of an answer; what this machine adds is measured. */
const PATIENCE_S = 1;

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

/** New things have to come within so many seconds; judged by when answers came, so only a long wait is a fault. */
function within(
  newest: (playlist: MediaPlaylist) => string,
  limitS: (playlist: MediaPlaylist) => number | null,
): Rule["judge"] {
  return ({ renditions, lagS }, tell) => {
    for (const rendition of renditions)
      for (const [before, after] of pairs([...steps(fullPlaylists(rendition), newest)])) {
        const limit = limitS(after.playlist);
        if (limit === null || after.playlist.hasEnded) continue;
        const tookS = (after.answeredAtMs - before.answeredAtMs) / 1000;
        if (tookS <= limit + PATIENCE_S + 2 * lagS) tell.seen();
        else tell.fault(after.url, `within ${limit.toFixed(2)} s`, `after ${tookS.toFixed(2)} s`);
      }
  };
}

const words = ({ segments }: MediaPlaylist) => segments.map(({ lines }) => lines.join(" ")).join("\n");

export const CADENCE_RULES: Rule[] = [
  must(
    "part-cadence",
    "6.2.1",
    "A new part comes within one part target of the part before",
    within(partsToldBy, (one) => one.partTargetS),
  ),
  must(
    "segment-cadence",
    "6.2.1",
    "A new segment comes within 1.5 target durations of the segment before",
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
