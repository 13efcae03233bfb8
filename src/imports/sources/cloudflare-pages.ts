/**
 * Pages of a list that has none: Cloudflare answers at most 1,000 videos a call, the newest first, and takes limits of time. Each page asks
 * for what is as old as the oldest video of the page before, or older, so that videos which share a time are not lost at the border; those
 * that were seen there are left out.
 */
import { SourceFailure, type Selection } from "./source.ts";
import type { Video } from "./cloudflare-answers.ts";

/** The most that Cloudflare answers. */
export const MOST_PER_CALL = 1000;

/** Where the page before ended. */
export interface Border {
  /** Microseconds since 1970. */
  createdUs: number;
  /** The videos of exactly this time that were listed already. */
  seen: string[];
}

const SECOND_US = 1_000_000;
const MS_US = 1000;

/** Of RFC 3339 with up to six digits of a second, which are more than a `Date` keeps. */
export function microsecondsOf(created: string): number {
  const digits = /\.(\d+)/.exec(created)?.[1] ?? "";
  return Math.floor(Date.parse(created) / 1000) * SECOND_US + Number(digits.slice(0, 6).padEnd(6, "0"));
}

export function borderOf(cursor: string | null): Border | null {
  return cursor === null ? null : (JSON.parse(cursor) as Border);
}

/**
 * The limits of time of a page. They lie outside of what is wanted: the documents do not say whether limits are included, nor how exact they are.
 *
 * @param stepUs how far the end lies behind the border
 */
export function pageQuery(border: Border | null, selection: Selection, stepUs: number): URLSearchParams {
  const { createdAfterMs, createdBeforeMs } = selection;
  const query = new URLSearchParams({ asc: "false", limit: String(MOST_PER_CALL) });
  if (createdAfterMs !== undefined) query.set("start", timeAt(createdAfterMs * MS_US - SECOND_US));
  if (border !== null) query.set("end", timeAt(roundUp(border.createdUs + 1, stepUs)));
  else if (createdBeforeMs !== undefined) query.set("end", timeAt(createdBeforeMs * MS_US + SECOND_US));
  return query;
}

/** What is older than the border. */
export function beyondQuery(border: Border, selection: Selection): URLSearchParams {
  const query = pageQuery(border, selection, MS_US);
  query.set("end", timeAt(Math.floor(border.createdUs / MS_US) * MS_US));
  return query;
}

/** First whole seconds; where a second has more videos than an answer, milliseconds. */
export const STEPS_US = [SECOND_US, MS_US] as const;

/** @throws {SourceFailure} source_unreadable for an answer that is out of order or does not keep to the border */
export function freshOf(videos: Video[], border: Border | null): Video[] {
  const [first, last] = [videos[0], videos.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (microsecondsOf(first.created) < microsecondsOf(last.created)) {
    throw new SourceFailure(
      "source_unreadable",
      "Cloudflare's list of videos is not in the order that was asked for, the newest first.",
    );
  }
  if (border === null) return videos;
  if (videos.every(({ created }) => microsecondsOf(created) > roundUp(border.createdUs + 1, SECOND_US))) {
    throw new SourceFailure(
      "source_unreadable",
      "Cloudflare's list of videos does not advance: it ignores the end of the time that was asked for.",
    );
  }
  const seen = new Set(border.seen);
  return videos.filter(
    ({ uid, created }) =>
      microsecondsOf(created) < border.createdUs || (microsecondsOf(created) === border.createdUs && !seen.has(uid)),
  );
}

/** @param fresh not empty */
export function nextBorder(fresh: Video[], before: Border | null): Border {
  const createdUs = fresh.reduce((oldest, { created }) => Math.min(oldest, microsecondsOf(created)), Infinity);
  const seen = fresh.filter(({ created }) => microsecondsOf(created) === createdUs).map(({ uid }) => uid);
  return { createdUs, seen: before?.createdUs === createdUs ? [...before.seen, ...seen] : seen };
}

function roundUp(us: number, stepUs: number): number {
  return Math.ceil(us / stepUs) * stepUs;
}

function timeAt(us: number): string {
  return new Date(us / MS_US).toISOString();
}
