import { fullPlaylists, type ReadAnswer, type RenditionEvidence } from "../evidence.ts";
import { isAtLeast, lastPlace, type Place } from "../playlist.ts";
import { must, type Rule } from "../rule.ts";

const withoutQuery = (url: string) => url.split("?")[0]!;
const text = ({ msn, part }: Place) => `LAST-MSN=${msn},LAST-PART=${part}`;

/** The newest part of a rendition that was listed before a time. Only responses until then are evidence. */
function shownBefore(rendition: RenditionEvidence, atMs: number): Place | null {
  let newest: Place | null = null;
  for (const { answeredAtMs, playlist } of fullPlaylists(rendition)) {
    if (answeredAtMs >= atMs) continue;
    const last = lastPlace(playlist);
    const parts = playlist.segments.at(-1)?.parts.length ?? 0;
    // After a whole segment, the last part is that segment's last.
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

/** Its newest segment is a gap: the server may have dropped the rendition after the multivariant playlist was fetched. */
const isGapNow = (rendition: RenditionEvidence) =>
  fullPlaylists(rendition).at(-1)?.playlist.segments.at(-1)?.isGap === true;

const each: Rule["judge"] = ({ renditions }, report) => {
  for (const { answer, others } of reporting(renditions)) {
    const announced = answer.playlist.reports.map(({ uri }) => withoutQuery(uri));
    const missing = others.find((other) => !announced.includes(withoutQuery(other.url)) && !isGapNow(other));
    const stranger = answer.playlist.reports.find(
      ({ uri }) => !others.some(({ url }) => withoutQuery(url) === withoutQuery(uri)),
    );
    if (missing !== undefined)
      report.fault(answer.url, `EXT-X-RENDITION-REPORT of ${missing.url}`, announced.join(" ") || "none");
    else if (stranger !== undefined)
      report.fault(
        answer.url,
        "reports only of the other renditions in the multivariant playlist",
        `a report of ${stranger.uri}, which the multivariant playlist does not list`,
      );
    else if (others.length > 0) report.seen();
  }
};

const upToDate: Rule["judge"] = ({ renditions }, report) => {
  for (const { answer, others } of reporting(renditions))
    for (const { uri, lastMsn, lastPart, line } of answer.playlist.reports) {
      const other = others.find(({ url }) => withoutQuery(url) === withoutQuery(uri));
      const shown = other === undefined ? null : shownBefore(other, answer.askedAtMs);
      const own = lastPlace(answer.playlist);
      // An omitted attribute has the value of the reporting playlist (§4.4.5.4).
      const announced = { msn: lastMsn ?? own?.msn ?? 0, part: lastPart ?? own?.part ?? null };
      if (shown === null) continue;
      if (isAtLeast(announced, shown)) report.seen();
      else report.fault(answer.url, `${text(shown)}, which it had shown before`, line);
    }
};

/** A report must not be ahead: a later playlist of the other rendition contains the reported position. */
const notAhead: Rule["judge"] = ({ renditions }, report) => {
  for (const { answer, others } of reporting(renditions))
    for (const { uri, lastMsn, lastPart, line } of answer.playlist.reports) {
      const other = others.find(({ url }) => withoutQuery(url) === withoutQuery(uri));
      const later =
        other === undefined ? undefined : fullPlaylists(other).find(({ askedAtMs }) => askedAtMs > answer.answeredAtMs);
      const found = later === undefined ? null : lastPlace(later.playlist);
      if (found === null || lastMsn === null) continue;
      if (isAtLeast(found, { msn: lastMsn, part: lastPart ?? 0 })) report.seen();
      else report.fault(answer.url, line, `${later!.url} then ended at ${found.msn}.${found.part ?? "whole"}`);
    }
};

export const REPORT_RULES: Rule[] = [
  must("reports", "4.4.5.4, B.1", "EXT-X-RENDITION-REPORT exists for every other rendition, by its URI", each),
  must("reports-fresh", "4.4.5.4", "Rendition reports are as recent as their playlist", upToDate),
  must("reports-true", "4.4.5.4", "The position in a rendition report exists", notAhead),
];
