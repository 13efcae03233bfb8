import { fullPlaylists, type ReadAnswer, type RenditionEvidence } from "../evidence.ts";
import { type MediaPlaylist, secondsOf } from "../playlist.ts";
import { must, pairs, type Rule } from "../rule.ts";
import { segmentsOf } from "./parts.ts";

/** Network tolerance of response times. Stalls of this machine are measured. */
const TOLERANCE_S = 1;

/** The responses whose `newest` advanced. */
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
 * Seconds without captured media before each segment, by sequence number: jumps of dates at discontinuities, and durations of gaps. An
 * origin cannot list media that its broadcaster has not sent.
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

/** A shortened segment may be completed in one playlist, and its successor be listed in the next. */
function absentBetween(absences: Map<number, number>, before: MediaPlaylist, after: MediaPlaylist): number {
  const [from, to] = [before, after].map(({ segments }) => segments.at(-1)?.msn ?? 0);
  let seconds = 0;
  for (let msn = from!; msn <= to! + 1; msn += 1) seconds += absences.get(msn) ?? 0;
  return seconds;
}

/** New items must appear within a time limit. It is judged by response times, so only long waits are faults. */
function within(
  newest: (playlist: MediaPlaylist) => string,
  limitS: (playlist: MediaPlaylist) => number | null,
): Rule["judge"] {
  return ({ renditions, lagS }, report) => {
    for (const rendition of renditions) {
      const away = absences(rendition);
      for (const [before, after] of pairs([...steps(fullPlaylists(rendition), newest)])) {
        const usual = limitS(after.playlist);
        if (usual === null || after.playlist.hasEnded) continue;
        const limit = usual + absentBetween(away, before.playlist, after.playlist);
        const tookS = (after.answeredAtMs - before.answeredAtMs) / 1000;
        if (tookS <= limit + TOLERANCE_S + 2 * lagS) report.seen();
        else report.fault(after.url, `within ${limit.toFixed(2)} s`, `after ${tookS.toFixed(2)} s`);
      }
    }
  };
}

const words = ({ segments }: MediaPlaylist) => segments.map(({ lines }) => lines.join(" ")).join("\n");

export const CADENCE_RULES: Rule[] = [
  must(
    "part-cadence",
    "6.2.1",
    "A new part appears within one part target of the previous one, except after an interruption of the broadcast",
    within(partsToldBy, (one) => one.partTargetS),
  ),
  must(
    "segment-cadence",
    "6.2.1",
    "A new segment appears within 1.5 target durations of the previous one, except after an interruption of the broadcast",
    within(lastWhole, (one) => (one.targetDurationS === null ? null : 1.5 * one.targetDurationS)),
  ),
  must(
    "end",
    "4.4.3.4, 6.2.5",
    "EXT-X-ENDLIST is final: no hints, nothing changes, directives are ignored",
    ({ renditions }, report) => {
      for (const { playlists } of renditions) {
        const ended = playlists.filter(({ playlist }) => playlist?.hasEnded === true);
        for (const { url, playlist } of ended) {
          const hint = playlist!.hints[0];
          if (hint !== undefined) report.fault(url, "no hints after the end", hint.line);
        }
        const [first] = ended;
        if (first?.playlist == null) continue;
        for (const later of playlists.slice(playlists.indexOf(first) + 1)) {
          if (later.purpose !== "after the end" && !ended.includes(later)) continue;
          const { playlist } = later;
          const isWhole = playlist !== null && playlist.skipped === null && playlist.hasEnded;
          if (isWhole && words(playlist) === words(first.playlist)) report.seen();
          else
            report.fault(
              later.url,
              "the whole playlist as it was at the end",
              `${later.status}: ${later.text.slice(-160)}`,
            );
        }
      }
    },
  ),
];
