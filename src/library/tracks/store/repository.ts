import { and, asc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { type Database, type Statement } from "../../../platform/database.ts";
import { rowsOfTurn, type Turn } from "../../../platform/turns.ts";
import { addedTracks } from "./tables.ts";

export type AddedTrack = typeof addedTracks.$inferSelect;

/** The rendition of an audio track. Its first letter says that it is audio. */
export const audioRenditionOf = (trackId: string) => `at-${trackId.replaceAll("-", "").slice(0, 28)}`;

/** The pieces of speech of a generated track, until its words are heard. */
export const speechRenditionOf = (trackId: string) => `speech-${trackId.replaceAll("-", "").slice(0, 28)}`;

/** The order in which tracks were added: those of one request have the same time, and were inserted in its order. */
export const ORDER_ADDED = [asc(addedTracks.createdAt), sql`rowid`];

export const addedTracksOf = (db: Database, assetIds: string[]) =>
  db
    .select()
    .from(addedTracks)
    .where(inArray(addedTracks.assetId, assetIds))
    .orderBy(...ORDER_ADDED);

const VALUES = [
  "id",
  "assetId",
  "kind",
  "url",
  "languageCode",
  "languageName",
  "title",
  "isDefault",
  "isForced",
  "isClosedCaptions",
  "replacesSound",
  "imposed",
  "generated",
  "status",
  "createdAt",
] as const;
const COLUMN_NAMES = sql.raw(
  VALUES.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)).join(", "),
);
const asStored = (value: AddedTrack[(typeof VALUES)[number]]) =>
  value instanceof Date
    ? value.getTime()
    : typeof value === "boolean"
      ? Number(value)
      : typeof value === "object" && value !== null
        ? JSON.stringify(value)
        : value;

/** Has no effect where the condition is false. */
export const insertTrackIf = (db: Database, track: AddedTrack, condition: SQL): Statement =>
  db.run(
    sql`INSERT INTO ${addedTracks} (${COLUMN_NAMES}) SELECT ${sql.join(
      VALUES.map((name) => sql`${asStored(track[name])}`),
      sql`, `,
    )} WHERE ${condition}`,
  );

/** SQL condition: the track is there. */
export const hasTrack = ({ id }: Pick<AddedTrack, "id">): SQL =>
  sql`EXISTS (SELECT 1 FROM ${addedTracks} WHERE id = ${id})`;

export const insertTracks = (db: Database, tracks: AddedTrack[]): Statement[] =>
  tracks.map((track) => db.insert(addedTracks).values(track).onConflictDoNothing());

export const relabelTrackIf = (
  db: Database,
  id: string,
  labels: Pick<AddedTrack, "languageCode" | "languageName" | "title">,
  condition: SQL,
): Statement =>
  db
    .update(addedTracks)
    .set(labels)
    .where(and(eq(addedTracks.id, id), condition));

export const deleteTrackIf = (db: Database, id: string, condition: SQL): Statement =>
  db.delete(addedTracks).where(and(eq(addedTracks.id, id), condition));

/** How the preparation of a track has ended. */
export type TrackEnd =
  /** `languageCode`: what is spoken, for a track whose language was not known; `languageName`: if it is named by that. */
  | { status: "available"; captions: AddedTrack["captions"]; languageCode?: string; languageName?: string }
  | { status: "failed"; error: { code: string; message: string; fault: "source" | "service" } };

/** The columns of an ended track. */
export const endedTrack = (end: TrackEnd) =>
  end.status === "available"
    ? {
        status: end.status,
        captions: end.captions,
        ...(end.languageCode === undefined ? {} : { languageCode: end.languageCode }),
        ...(end.languageName === undefined ? {} : { languageName: end.languageName }),
      }
    : { status: end.status, errorCode: end.error.code, errorMessage: end.error.message, errorFault: end.error.fault };

/** Without effect on a track that has ended, or where the condition is false. */
export const endTrackIf = (db: Database, id: string, end: TrackEnd, condition: SQL): Statement =>
  db
    .update(addedTracks)
    .set(endedTrack(end))
    .where(and(eq(addedTracks.id, id), eq(addedTracks.status, "preparing"), condition));

/** How much has been heard for a generated track. It changes nothing else of the record. */
export const showProgress = (db: Database, { id, percent }: { id: string; percent: number }) =>
  db
    .update(addedTracks)
    .set({ generated: sql`json_set(${addedTracks.generated}, '$.percent', ${percent})` })
    .where(and(eq(addedTracks.id, id), eq(addedTracks.status, "preparing")));

export const deleteTracksOf = (db: Database, assetId: string) =>
  db.delete(addedTracks).where(eq(addedTracks.assetId, assetId));

/** Sound is made as long as its media, and generated subtitles are made of its sound, so both need the media's file. */
const canBePrepared = sql`((${addedTracks.kind} = 'subtitle' AND ${addedTracks.generated} IS NULL) OR EXISTS (SELECT 1 FROM assets WHERE assets.id = ${addedTracks.assetId} AND assets.status <> 'waiting'))`;

/** Tracks whose machine may never have heard of them: in preparation since before that time. Where there are many, a page of them, each minute another one. */
export async function findStrayTracks(db: Database, before: Date, turn: Turn): Promise<AddedTrack[]> {
  // A literal, because SQLite does not match a bound parameter with the condition of `added_tracks_preparing`.
  const isStray = and(sql`${addedTracks.status} = 'preparing'`, lt(addedTracks.createdAt, before), canBePrepared);
  const { limit, offset } = rowsOfTurn(await db.$count(addedTracks, isStray), turn);
  return db.select().from(addedTracks).where(isStray).orderBy(asc(addedTracks.createdAt)).limit(limit).offset(offset);
}
