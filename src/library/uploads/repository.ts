import { and, asc, count, desc, eq, getTableColumns, lt, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { workspaceUsage } from "../../tenancy/limits/index.ts";
import { isWaiting, uploads } from "./tables.ts";

type Row = typeof uploads.$inferSelect;
export type { Row as UploadRow };
/** Dates as epoch ms, because machines store and exchange JSON. */
export type Upload = Omit<Row, "createdAt" | "updatedAt" | "fileBytes"> & { createdAtMs: number };

export function toUpload(row: Row): Upload {
  const { id, workspaceId, playbackId, corsOrigin, settings, status, publicUrl, createdAt } = row;
  return { id, workspaceId, playbackId, corsOrigin, settings, status, publicUrl, createdAtMs: createdAt.getTime() };
}

/**
 * The settings with what the owner has changed in the media since. `json_patch` drops members that are null there. Names are literal, because
 * drizzle drops the tables of columns in a SELECT list.
 */
const currentSettings = sql<Row["settings"]>`coalesce((
  SELECT json_set(
    json_patch(uploads.settings, json_object('title', media.title, 'creatorId', media.creator_id)),
    '$.metadata', json(media.metadata),
    '$.sourceAccess', json(iif(media.source_access, 'true', 'false')))
  FROM assets AS media WHERE media.id = uploads.id), uploads.settings)`.mapWith(uploads.settings);

const COLUMNS = { ...getTableColumns(uploads), settings: currentSettings.as("current_settings") };

export const insertUpload = (db: Database, row: Row) => db.insert(uploads).values(row);

/** @param workspaceId null = any workspace, for internal callers */
export async function findUpload(db: Database, workspaceId: string | null, id: string): Promise<Upload | null> {
  const isMine = workspaceId === null ? undefined : eq(uploads.workspaceId, workspaceId);
  const [row] = await db
    .select(COLUMNS)
    .from(uploads)
    .where(and(eq(uploads.id, id), isMine));
  return row === undefined ? null : toUpload(row);
}

/** The uploads that are not complete yet. @param page counts from 1 */
export async function listWaiting(
  db: Database,
  workspaceId: string,
  { page, limit, order }: { page: number; limit: number; order: "asc" | "desc" },
): Promise<{ uploads: Upload[]; total: number }> {
  const mine = and(eq(uploads.workspaceId, workspaceId), isWaiting);
  const direction = order === "asc" ? asc : desc;
  const [rows, totals] = await db.batch([
    db
      .select(COLUMNS)
      .from(uploads)
      .where(mine)
      .orderBy(direction(uploads.createdAt), direction(uploads.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(uploads).where(mine),
  ]);
  return { uploads: rows.map(toUpload), total: totals[0]?.total ?? 0 };
}

/**
 * Moves an upload out of `waiting`, with its settings as they are now, because its media may be deleted next.
 *
 * @param onlyIf a further condition, in SQL
 */
export const settleUpload = (
  db: Database,
  id: string,
  status: "complete" | "cancelled" | "expired",
  now: Date,
  onlyIf: SQL = sql`true`,
) =>
  db
    .update(uploads)
    .set({ status, updatedAt: now, settings: currentSettings })
    .where(and(eq(uploads.id, id), isWaiting, onlyIf));

/**
 * Counts the file of an upload that waits for it, if the workspace's storage has room.
 *
 * @returns false when it has not; true also for an upload that no longer waits
 */
export async function reserveFile(
  db: Database,
  { id, workspaceId }: Pick<Upload, "id" | "workspaceId">,
  bytes: number,
  mostBytes: number,
): Promise<boolean> {
  const stored = db
    .select({ bytes: workspaceUsage.storedBytes })
    .from(workspaceUsage)
    .where(eq(workspaceUsage.workspaceId, workspaceId));
  const fits = sql`coalesce((${stored}), 0) - ${uploads.fileBytes} + ${bytes} <= ${mostBytes}`;
  const isSmaller = sql`${bytes} <= ${uploads.fileBytes}`;
  const waiting = and(eq(uploads.id, id), isWaiting);
  const { meta } = await db
    .update(uploads)
    .set({ fileBytes: bytes })
    .where(and(waiting, or(fits, isSmaller)));
  return meta.changes > 0 || (await db.$count(uploads, waiting)) === 0;
}

/** Deletes the records of uploads that are over and were created before then. @param limit rows at once */
export const deleteOver = (db: Database, before: Date, limit: number) =>
  db.run(
    sql`DELETE FROM ${uploads} WHERE id IN (SELECT id FROM ${uploads} WHERE status <> 'waiting' AND created_at < ${before.getTime()} LIMIT ${limit})`,
  );

/** Uploads that are older than they can be, because a call to their machine was lost. */
export async function findOverdue(db: Database, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(isWaiting, lt(uploads.createdAt, before)))
    .limit(limit);
  return rows.map(({ id }) => id);
}
