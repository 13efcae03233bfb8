import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { assets, playbackIds, renditions, tracks } from "../library/assets/index.ts";
import { openDatabase } from "../platform/database.ts";
import type { AssetFacts } from "../media/manifest/model.ts";

/** What stands behind a playback id. */
export interface Playable extends AssetFacts {
  assetId: string;
  title: string | null;
  sourceUrl: string;
  errorCode: string | null;
  /** 0 to 100. */
  percent: number;
}

/** Everything that manifests and the page need, in one round trip; null for an unknown or deleted one. */
export async function loadPlayable(binding: D1Database, playbackId: string): Promise<Playable | null> {
  const db = openDatabase(binding);
  const assetOfPlayback = db
    .select({ id: playbackIds.assetId })
    .from(playbackIds)
    .where(eq(playbackIds.id, playbackId));
  const [found, rows] = await db.batch([
    db
      .select({
        assetId: assets.id,
        title: assets.title,
        status: assets.status,
        sourceUrl: assets.sourceUrl,
        errorCode: assets.errorCode,
        progress: assets.progress,
        createdAt: assets.createdAt,
        videoTrackCount: trackCount("video"),
        audioTrackCount: trackCount("audio"),
      })
      .from(playbackIds)
      .innerJoin(assets, eq(assets.id, playbackIds.assetId))
      .where(and(eq(playbackIds.id, playbackId), eq(playbackIds.accessPolicy, "public"), isNull(assets.deletedAt))),
    db
      .select()
      .from(renditions)
      .where(eq(renditions.assetId, sql`(${assetOfPlayback})`)),
  ]);
  const [asset] = found;
  if (asset === undefined) return null;
  const { progress, createdAt, ...facts } = asset;
  return { ...facts, percent: progress?.percent ?? 0, createdAtMs: createdAt.getTime(), renditions: rows };
}

const trackCount = (kind: "video" | "audio") =>
  sql<number>`(select count(*) from ${tracks} where ${tracks.assetId} = ${assets.id} and ${tracks.kind} = ${kind})`;

/** `playbackId`: under which it plays; null while it does not, and when there is none. */
interface Recording {
  playbackId: string | null;
  /** It is being made: not all of it is in R2 yet. */
  isPending: boolean;
}

/** The recording of a live session. One that has been deleted or has failed is none. */
export async function findRecording(binding: D1Database, sessionId: string): Promise<Recording> {
  const found = await openDatabase(binding)
    .select({ id: playbackIds.id, status: assets.status })
    .from(playbackIds)
    .innerJoin(assets, eq(assets.id, playbackIds.assetId))
    .where(
      and(
        eq(playbackIds.assetId, sessionId), // a recording has the session's id
        eq(playbackIds.accessPolicy, "public"),
        ne(assets.status, "errored"),
        isNull(assets.deletedAt),
      ),
    )
    .orderBy(playbackIds.createdAt)
    .limit(1);
  const [recording] = found;
  if (recording === undefined) return { playbackId: null, isPending: false };
  return { playbackId: recording.status === "ready" ? recording.id : null, isPending: recording.status !== "ready" };
}

/** The asset of a playback id, for its bytes; null for an unknown or deleted one. */
export async function findAssetId(binding: D1Database, playbackId: string): Promise<string | null> {
  const [asset] = await openDatabase(binding)
    .select({ id: assets.id })
    .from(playbackIds)
    .innerJoin(assets, eq(assets.id, playbackIds.assetId))
    .where(and(eq(playbackIds.id, playbackId), eq(playbackIds.accessPolicy, "public"), isNull(assets.deletedAt)));
  return asset?.id ?? null;
}

/** Where the source of an asset was fetched from; null for an unknown or deleted one. */
export async function findSourceUrl(binding: D1Database, assetId: string): Promise<string | null> {
  const [asset] = await openDatabase(binding)
    .select({ url: assets.sourceUrl })
    .from(assets)
    .where(and(eq(assets.id, assetId), isNull(assets.deletedAt)));
  return asset?.url ?? null;
}
