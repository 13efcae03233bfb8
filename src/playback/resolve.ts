/** Resolves a playback ID to its asset or stream, in one D1 batch. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { assets, renditions, tracks } from "../library/assets/index.ts";
import { type LivePlayable, liveStreams, newestSession, PLAYABLE_COLUMNS, toLivePlayable } from "../live/index.ts";
import { type ManifestFacts, presentationOf } from "../media/manifest/model.ts";
import { openDatabase } from "../platform/database.ts";
import { isPublicId, playbackIds } from "../tenancy/access/index.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { type Lasting, SingleFlight } from "./single-flight.ts";

/** An asset that a playback ID names. */
export interface Playable extends ManifestFacts {
  assetId: string;
  title: string | null;
  sourceUrl: string;
  errorCode: string | null;
  /** 0 to 100. */
  percent: number;
}

export type Resolved = { kind: "asset"; playable: Playable } | { kind: "stream"; playable: LivePlayable };

/** How long an isolate answers from memory. In other isolates, deleted content may remain playable for this long. */
const KNOWN_MS = 1000;
/** The same while an asset is processed or a stream is on air, because its state may change at any moment. */
const CHANGING_MS = 200;
const known = new TtlCache<Resolved>(64);
const lookups = new SingleFlight<Resolved | null>();

/** Answers from this isolate's cache, otherwise with one D1 batch that concurrent callers share. @returns null for an unknown, deleted or non-public ID */
export async function resolvePlaybackId(
  binding: D1Database,
  ctx: Lasting,
  playbackId: string,
): Promise<Resolved | null> {
  return known.get(playbackId, Date.now()) ?? (await lookUpPlaybackId(binding, ctx, playbackId));
}

/** Like `resolvePlaybackId`, but does not read the cache. Concurrent callers share a look-up. */
export async function lookUpPlaybackId(
  binding: D1Database,
  ctx: Lasting,
  playbackId: string,
): Promise<Resolved | null> {
  const now = Date.now();
  const resolved = await lookups.share(playbackId, ctx, () => load(binding, playbackId));
  const keptMs = resolved === null ? 0 : keptFor(resolved);
  if (keptMs > 0) known.set(playbackId, resolved!, now + keptMs);
  return resolved;
}

/** 0 for a stream that is not on air and for an asset with nothing to play, so that the first request after a change succeeds. */
function keptFor({ kind, playable }: Resolved): number {
  if (kind === "stream") return playable.session?.endedAtMs === null ? CHANGING_MS : 0;
  if (presentationOf(playable) === null) return 0;
  return playable.status === "ready" ? KNOWN_MS : CHANGING_MS;
}

async function load(binding: D1Database, playbackId: string): Promise<Resolved | null> {
  const db = openDatabase(binding);
  const target = db.select({ id: playbackIds.targetId }).from(playbackIds).where(eq(playbackIds.id, playbackId));
  // A D1 batch returns only one of several columns with the same name, so ambiguous ones get an alias.
  const [found, rows, sessions] = await db.batch([
    db
      .select({
        asset: {
          assetId: assets.id,
          title: assets.title,
          status: assets.status,
          sourceUrl: assets.sourceUrl,
          errorCode: assets.errorCode,
          progress: assets.progress,
          createdAt: assets.createdAt,
          videoTrackCount: trackCount("video"),
          audioTrackCount: trackCount("audio"),
        },
        stream: { ...PLAYABLE_COLUMNS, streamId: sql<string | null>`${liveStreams.id}`.as("stream_id") },
      })
      .from(playbackIds)
      .leftJoin(
        assets,
        and(eq(playbackIds.kind, "asset"), eq(assets.id, playbackIds.targetId), isNull(assets.deletedAt)),
      )
      .leftJoin(
        liveStreams,
        and(eq(playbackIds.kind, "stream"), eq(liveStreams.id, playbackIds.targetId), isNull(liveStreams.deletedAt)),
      )
      .where(and(eq(playbackIds.id, playbackId), isPublicId())),
    db
      .select()
      .from(renditions)
      .where(eq(renditions.assetId, sql`(${target})`)),
    newestSession(db, sql`(${target})`),
  ]);
  const [row] = found;
  const { asset, stream } = row ?? {};
  const streamId = stream?.streamId ?? null;
  if (stream && streamId !== null)
    return { kind: "stream", playable: toLivePlayable({ ...stream, streamId }, sessions) };
  if (!asset) return null;
  const { progress, createdAt, ...facts } = asset;
  const percent = progress?.percent ?? 0;
  return { kind: "asset", playable: { ...facts, percent, createdAtMs: createdAt.getTime(), renditions: rows } };
}

const trackCount = (kind: "video" | "audio") =>
  sql<number>`(select count(*) from ${tracks} where ${tracks.assetId} = ${assets.id} and ${tracks.kind} = ${kind})`.as(
    `${kind}_tracks`,
  );

const assetIds = new TtlCache<string>(512);

/** The asset id of a playback ID, without the facts that manifests need; null for an unknown or deleted ID. */
export async function resolveAssetId(binding: D1Database, playbackId: string): Promise<string | null> {
  const now = Date.now();
  const recent = assetIds.get(playbackId, now);
  if (recent !== undefined) return recent;
  const [asset] = await openDatabase(binding)
    .select({ id: assets.id })
    .from(playbackIds)
    .innerJoin(assets, eq(assets.id, playbackIds.targetId))
    .where(and(eq(playbackIds.id, playbackId), isPublicId(), isNull(assets.deletedAt)));
  if (asset === undefined) return null;
  assetIds.set(playbackId, asset.id, now + KNOWN_MS);
  return asset.id;
}

/** Call after deleting an asset: playback ends immediately in this isolate, and within a second in others. */
export function forgetPlayback(playbackId: string): void {
  known.delete(playbackId);
  assetIds.delete(playbackId);
}
