import { fullPlaylists, type ReadAnswer, type RenditionEvidence } from "../evidence.ts";
import { isAtLeast, lastPlace, type Place } from "../playlist.ts";
import { must, type Rule } from "../rule.ts";

const withoutQuery = (url: string) => url.split("?")[0]!;
const text = ({ msn, part }: Place) => `LAST-MSN=${msn},LAST-PART=${part}`;

/** The newest place with a part that a rendition had shown before a moment; only what was told by then is evidence. */
function shownBefore(rendition: RenditionEvidence, atMs: number): Place | null {
  let newest: Place | null = null;
  for (const { answeredAtMs, playlist } of fullPlaylists(rendition)) {
    if (answeredAtMs >= atMs) continue;
    const last = lastPlace(playlist);
    const parts = playlist.segments.at(-1)?.parts.length ?? 0;
    // Behind a whole segment the last part is the segment's.
    const place = last === null || last.part !== null || parts === 0 ? last : { msn: last.msn, part: parts - 1 };
    if (place !== null && (newest === null || isAtLeast(place, newest))) newest = place;
  }
  return newest;
}

function* reporting(renditions: RenditionEvidence[]): Generator<{ answer: ReadAnswer; others: RenditionEvidence[] }> {
  for (const rendition of renditions) {
    const others = renditions.filter(
      (other) => other !== rendition && other.playlists[0]?.playlist?.partTargetS != null,
    );
    for (const answer of fullPlaylists(rendition))
      if (!answer.playlist.hasEnded && answer.playlist.partTargetS !== null) yield { answer, others };
  }
}

const each: Rule["judge"] = ({ renditions }, tell) => {
  for (const { answer, others } of reporting(renditions)) {
    const told = answer.playlist.reports.map(({ uri }) => withoutQuery(uri));
    const missing = others.find(({ url }) => !told.includes(withoutQuery(url)));
    const stranger = answer.playlist.reports.find(
      ({ uri }) => !others.some(({ url }) => withoutQuery(url) === withoutQuery(uri)),
    );
    if (missing !== undefined)
      tell.fault(answer.url, `EXT-X-RENDITION-REPORT of ${missing.url}`, told.join(" ") || "none");
    else if (stranger !== undefined) tell.fault(answer.url, "reports of the other renditions", stranger.line);
    else if (others.length > 0) tell.seen();
  }
};

const upToDate: Rule["judge"] = ({ renditions }, tell) => {
  for (const { answer, others } of reporting(renditions))
    for (const { uri, lastMsn, lastPart, line } of answer.playlist.reports) {
      const other = others.find(({ url }) => withoutQuery(url) === withoutQuery(uri));
      const shown = other === undefined ? null : shownBefore(other, answer.askedAtMs);
      const own = lastPlace(answer.playlist);
      // An attribute that is left out is as in the playlist that reports (§4.4.5.4).
      const told = { msn: lastMsn ?? own?.msn ?? 0, part: lastPart ?? own?.part ?? null };
      if (shown === null) continue;
      if (isAtLeast(told, shown)) tell.seen();
      else tell.fault(answer.url, `${text(shown)}, which it had shown before`, line);
    }
};

/** What a report promises has to be there: the other rendition, asked later, is not behind it. */
const notAhead: Rule["judge"] = ({ renditions }, tell) => {
  for (const { answer, others } of reporting(renditions))
    for (const { uri, lastMsn, lastPart, line } of answer.playlist.reports) {
      const other = others.find(({ url }) => withoutQuery(url) === withoutQuery(uri));
      const later =
        other === undefined ? undefined : fullPlaylists(other).find(({ askedAtMs }) => askedAtMs > answer.answeredAtMs);
      const found = later === undefined ? null : lastPlace(later.playlist);
      if (found === null || lastMsn === null) continue;
      if (isAtLeast(found, { msn: lastMsn, part: lastPart ?? 0 })) tell.seen();
      else tell.fault(answer.url, line, `${later!.url} then ended at ${found.msn}.${found.part ?? "whole"}`);
    }
};

export const REPORT_RULES: Rule[] = [
  must("reports", "4.4.5.4, B.1", "EXT-X-RENDITION-REPORT tells of every other rendition, by its URI", each),
  must("reports-fresh", "4.4.5.4", "Rendition reports are as new as the playlist they are in", upToDate),
  must("reports-true", "4.4.5.4", "What a rendition report tells of is there", notAhead),
];
