/** The SQL of a question, on the tables of `cue-index.ts`. Without a binding, so that the bench asks the file of an index in the same way. */
import { documentOf, PLACES } from "./cue-ids.ts";

/** Hits that are put in order. A question with more of them gets the newest ones. */
const MOST_HITS = 10_000;
const NEWEST_HITS = 1000;

/** The place of a hit in the order of the answers: media from the newest, and in each its title and then its captions by time. */
export type HitKey = readonly [
  mediaCreatedMs: number,
  mediaId: string,
  startMs: number,
  trackId: string,
  place: number,
];

export interface FoundHit {
  key: HitKey;
  /** Of the track's text; 0 for a title. */
  version: number;
  endMs: number;
  text: string;
}

export interface HitQuery {
  /** An expression of FTS5 (`match-query.ts`). */
  match: string;
  /** Null = from the first. */
  after: HitKey | null;
  limit: number;
}

export interface Hits {
  hits: FoundHit[];
  isMore: boolean;
  /** Of too many hits, these are among those that were indexed last. */
  isPartial: boolean;
}

export type RunSql = <Row extends Record<string, string | number | null>>(
  sql: string,
  ...values: (string | number)[]
) => Row[];

/** Finds the hits of a question that come after a place. */
export function findHits(run: RunSql, { match, after, limit }: HitQuery): Hits {
  const found = matches(run, match);
  const isPartial = found.length > MOST_HITS;
  // The highest ids are those of the texts that were indexed last.
  const ids = isPartial ? found.toSorted((one, other) => other - one).slice(0, NEWEST_HITS) : found;
  const hits = hitsAfter(run, ids, after, limit + 1);
  return { hits: hits.slice(0, limit), isMore: hits.length > limit, isPartial };
}

/** The ids of the cues that match, at most one more than are put in order. In one row, because thousands of rows take longer than the search. */
function matches(run: RunSql, match: string): number[] {
  const [row] = run<{ ids: string }>(
    "SELECT json_group_array(rowid) AS ids FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?)",
    match,
    MOST_HITS + 1,
  );
  return JSON.parse(row!.ids) as number[];
}

interface MediaRow extends Record<string, string | number> {
  id: number;
  mediaId: string;
  mediaCreatedMs: number;
}

/** Puts the media of the hits in order, and reads the captions of as many of them as the page needs. */
function hitsAfter(run: RunSql, cueIds: readonly number[], after: HitKey | null, count: number): FoundHit[] {
  const byDocument = Map.groupBy(cueIds, documentOf);
  const select =
    "SELECT id, media_id AS mediaId, media_created_ms AS mediaCreatedMs FROM documents WHERE id IN (SELECT value FROM json_each(?))";
  const documents = run<MediaRow>(select, JSON.stringify([...byDocument.keys()]));
  const media = [...Map.groupBy(documents, ({ mediaId }) => mediaId).values()]
    .filter(([first]) => after === null || !isBefore(first!, after))
    .toSorted(([one], [other]) => compareMedia(one!, other!));
  const hits: FoundHit[] = [];
  for (const ofMedia of media) {
    if (hits.length >= count) break;
    const ids = ofMedia.flatMap(({ id }) => byDocument.get(id)!);
    const isFirst = after !== null && ofMedia[0]!.mediaId === after[1];
    hits.push(...hitsOfMedia(run, ids, isFirst ? after : null, count - hits.length));
  }
  return hits;
}

const compareMedia = (one: MediaRow, other: MediaRow): number =>
  other.mediaCreatedMs - one.mediaCreatedMs || (one.mediaId < other.mediaId ? -1 : 1);

/** Whether all hits of a media come before that place. */
const isBefore = (media: MediaRow, [mediaCreatedMs, mediaId]: HitKey): boolean =>
  media.mediaId !== mediaId && compareMedia(media, { id: 0, mediaId, mediaCreatedMs }) < 0;

interface HitRow extends Record<string, string | number> {
  mediaCreatedMs: number;
  mediaId: string;
  startMs: number;
  trackId: string;
  place: number;
  version: number;
  endMs: number;
  text: string;
}

function hitsOfMedia(run: RunSql, cueIds: readonly number[], after: HitKey | null, limit: number): FoundHit[] {
  const isAfter = after === null ? "true" : "(start_ms, track_id, place) > (?, ?, ?)";
  const rows = run<HitRow>(
    `SELECT media_created_ms AS mediaCreatedMs, media_id AS mediaId, start_ms AS startMs, track_id AS trackId, cues.id % ${PLACES} AS place,
      version, end_ms AS endMs, text
    FROM cues JOIN documents ON documents.id = cues.id / ${PLACES}
    WHERE cues.id IN (SELECT value FROM json_each(?)) AND ${isAfter} ORDER BY start_ms, track_id, place LIMIT ?`,
    JSON.stringify(cueIds),
    ...(after === null ? [] : after.slice(2)),
    limit,
  );
  return rows.map(({ mediaCreatedMs, mediaId, startMs, trackId, place, version, endMs, text }) => ({
    key: [mediaCreatedMs, mediaId, startMs, trackId, place],
    version,
    endMs,
    text,
  }));
}
