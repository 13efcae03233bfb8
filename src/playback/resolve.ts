/** Resolves a playback ID to its asset or stream, in one D1 batch. */
import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { assets, renditions, tracks } from "../library/assets/index.ts";
import { type LivePlayable, liveStreams, newestSession, PLAYABLE_COLUMNS, toLivePlayable } from "../live/index.ts";
import type { ChapterMark } from "../media/chapters/chapter-files.ts";
import { chapterMarks } from "../library/insights/store/index.ts";
import { type ManifestFacts, presentationOf, type Rendition, type TextTrack } from "../media/manifest/model.ts";
import { type AddedTrack, addedTracks, audioRenditionOf, ORDER_ADDED } from "../library/tracks/store/index.ts";
import { type Database, openDatabase } from "../platform/database.ts";
import { ACCESS_COLUMNS, type AccessRules, playbackIds } from "../tenancy/access/index.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { type Lasting, SingleFlight } from "../platform/single-flight.ts";

/** An asset that a playback ID names. */
export interface Playable extends ManifestFacts {
  assetId: string;
  title: string | null;
  sourceUrl: string;
  /** The files that viewers may download; null = none. */
  mp4Support: string | null;
  errorCode: string | null;
  /** Its file is still to be uploaded. */
  isAwaited: boolean;
  /** Of the source while the asset is processed; null = not known yet. */
  durationMs: number | null;
  /** None = it has none, or they are not ready. */
  chapters: ChapterMark[];
  /** 0 to 100. */
  percent: number;
  /** The code for which the source cannot be fetched at the moment; null = it can, or has been. */
  retryReason: string | null;
}

/** The content and the rules of a playback ID. `Viewer.admit` decides by the rules whether a request may have the content. */
export type Resolved = { rules: AccessRules } & (
  | { kind: "asset"; playable: Playable }
  | { kind: "stream"; playable: LivePlayable }
);

/** How long an isolate answers from memory. In other isolates, deleted content may remain playable for this long. */
export const KNOWN_MS = 1000;
/** The same of a stream, and while an asset is processed, because the state may change at any moment. */
const CHANGING_MS = 200;
const known = new TtlCache<Resolved>(64);
/** IDs that were not found, for `KNOWN_MS`, and those that were looked up again because a part was missing, for `CHANGING_MS`. */
const missing = new TtlCache<true>(1024);
const lookedAgain = new TtlCache<true>(1024);
const lookups = new SingleFlight<Resolved | null>();

/** Answers from this isolate's cache, otherwise with one D1 batch that concurrent callers share. @returns null for an unknown or deleted ID */
export async function resolvePlaybackId(
  binding: D1Database,
  ctx: Lasting,
  playbackId: string,
): Promise<Resolved | null> {
  const now = Date.now();
  if (missing.get(playbackId, now) === true) return null;
  return known.get(playbackId, now) ?? (await lookUpPlaybackId(binding, ctx, playbackId));
}

/**
 * Like `resolvePlaybackId`, but looks again, at most every `CHANGING_MS`, when what the isolate remembers lacks the part that is asked for: a
 * track that has just become ready is named by the manifests of other isolates.
 */
export async function resolveOffering(
  binding: D1Database,
  ctx: Lasting,
  playbackId: string,
  offers: (resolved: Resolved) => boolean,
): Promise<Resolved | null> {
  const now = Date.now();
  const remembered = known.get(playbackId, now);
  if (remembered === undefined) return await resolvePlaybackId(binding, ctx, playbackId);
  if (offers(remembered) || lookedAgain.get(playbackId, now) === true) return remembered;
  lookedAgain.set(playbackId, true, now + CHANGING_MS);
  return await lookUpPlaybackId(binding, ctx, playbackId);
}

/** Whether an asset has this subtitle track. */
export const offersText = (resolved: Resolved, trackId: string): boolean =>
  resolved.kind === "asset" && resolved.playable.textTracks.some(({ id }) => id === trackId);

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
  if (resolved === null) missing.set(playbackId, true, now + KNOWN_MS);
  return resolved;
}

/** Whether an ID was looked up within the last second and not found. Segments and source files look for assets only. */
export function isMissing(playbackId: string): boolean {
  const now = Date.now();
  if (known.get(playbackId, now) !== undefined) return false;
  return missing.get(playbackId, now) === true || missingAssets.get(playbackId, now) === true;
}

/** Whether the isolate still answers from this look-up of an asset. */
export function isKnown(playbackId: string, playable: Playable): boolean {
  return known.get(playbackId, Date.now())?.playable === playable;
}

/** 0 for an asset with nothing to play, so that the first request after it became ready succeeds. */
function keptFor({ kind, playable }: Resolved): number {
  if (kind === "stream") return CHANGING_MS;
  if (presentationOf(playable) === null) return 0;
  return playable.status === "ready" ? KNOWN_MS : CHANGING_MS;
}

const trackCount = (kind: "video" | "audio") =>
  sql<number>`(select count(*) from ${tracks} where ${tracks.assetId} = ${assets.id} and ${tracks.kind} = ${kind})`.as(
    `${kind}_tracks`,
  );

/** A D1 batch returns only one of several columns with the same name, so ambiguous ones get an alias. */
const ASSET_COLUMNS = {
  assetId: assets.id,
  title: assets.title,
  status: assets.status,
  sourceUrl: assets.sourceUrl,
  mp4Support: assets.mp4Support,
  errorCode: assets.errorCode,
  durationMs: assets.durationMs,
  progress: assets.progress,
  createdAt: assets.createdAt,
  videoTrackCount: trackCount("video"),
  audioTrackCount: trackCount("audio"),
};

const assetOf = (db: Database, workspaceId: string, assetId: string) =>
  db
    .select(ASSET_COLUMNS)
    .from(assets)
    .where(and(eq(assets.id, assetId), eq(assets.workspaceId, workspaceId), isNull(assets.deletedAt)));

const isAvailable = eq(addedTracks.status, "available");
/** It takes the place of the source's sound as soon as it is there. */
const isAwaitedSound = and(eq(addedTracks.status, "preparing"), addedTracks.replacesSound);

const renditionsOf = (db: Database, assetId: SQL) =>
  db.select().from(renditions).where(eq(renditions.assetId, assetId));

const offeredTracks = (db: Database, assetId: SQL) =>
  db
    .select()
    .from(addedTracks)
    .where(and(eq(addedTracks.assetId, assetId), or(isAvailable, isAwaitedSound)))
    .orderBy(...ORDER_ADDED);

/** An asset of a workspace, also one without playback IDs. Not from the cache. @returns null for an unknown or deleted one */
export async function findPlayable(
  binding: D1Database,
  { workspaceId, assetId }: { workspaceId: string; assetId: string },
): Promise<Playable | null> {
  const db = openDatabase(binding);
  const id = sql`${assetId}`;
  const [found, rows, added, marks] = await db.batch([
    assetOf(db, workspaceId, assetId),
    renditionsOf(db, id),
    offeredTracks(db, id),
    chapterMarks(db, id),
  ]);
  const [asset] = found;
  return asset === undefined ? null : toPlayable(asset, rows, added, marks);
}

async function load(binding: D1Database, playbackId: string): Promise<Resolved | null> {
  const db = openDatabase(binding);
  const target = db.select({ id: playbackIds.targetId }).from(playbackIds).where(eq(playbackIds.id, playbackId));
  const id = sql`(${target})`;
  const [found, rows, sessions, added, marks] = await db.batch([
    db
      .select({
        asset: ASSET_COLUMNS,
        rules: ACCESS_COLUMNS,
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
      .where(eq(playbackIds.id, playbackId)),
    renditionsOf(db, id),
    newestSession(db, id),
    offeredTracks(db, id),
    chapterMarks(db, id),
  ]);
  const [row] = found;
  if (row === undefined) return null;
  const { rules, asset, stream } = row;
  const streamId = stream?.streamId ?? null;
  if (stream && streamId !== null)
    return { kind: "stream", rules, playable: toLivePlayable({ ...stream, streamId }, sessions) };
  return asset && { kind: "asset", rules, playable: toPlayable(asset, rows, added, marks) };
}

function toPlayable(
  { progress, createdAt, status, ...facts }: Awaited<ReturnType<typeof assetOf>>[number],
  rows: Rendition[],
  added: AddedTrack[],
  marks: Awaited<ReturnType<typeof chapterMarks>>,
): Playable {
  const isAwaited = status === "waiting";
  const { percent = 0, retry } = progress ?? {};
  return {
    ...facts,
    status: isAwaited ? "processing" : status,
    isAwaited,
    chapters: marks[0]?.result ?? [],
    percent,
    retryReason: retry?.reason ?? null,
    createdAtMs: createdAt.getTime(),
    ...soundOf(rows, added, facts.audioTrackCount),
    textTracks: added.filter(({ kind }) => kind === "subtitle").map((track) => toTextTrack(track, added)),
  };
}

/**
 * The renditions with the sound that was added. Sound that replaces that of the source is the first, or nothing is offered until it is there;
 * when it has failed, the source keeps its own.
 */
function soundOf(rows: Rendition[], added: AddedTrack[], audioTrackCount: number) {
  const swap = added.find(({ replacesSound }) => replacesSound);
  if (swap?.status === "preparing") return { renditions: [], audioTrackCount };
  const renditions = withAddedSound(rows, added);
  if (swap === undefined) return { renditions, audioTrackCount };
  const isOffered = ({ kind, origin }: Rendition) => kind === "video" || origin === "track";
  return { renditions: renditions.filter(isOffered), audioTrackCount: 0 };
}

/**
 * Sound that was added has the labels of its track, is offered while there is one, and follows the rest in the order of the tracks. Recordings of
 * broadcasts are in spans, which sound does not have that was added before it was cut like them.
 */
function withAddedSound(rows: Rendition[], added: AddedTrack[]): Rendition[] {
  const isInSpans = ({ segments }: Rendition) => segments.spans !== undefined;
  const areInSpans = rows.some(isInSpans);
  const sounds = added.flatMap(({ kind, id, languageCode, title, languageName, isDefault }) => {
    const row = kind === "audio" ? rows.find(({ name }) => name === audioRenditionOf(id)) : undefined;
    if (row === undefined || (areInSpans && !isInSpans(row))) return [];
    return { ...row, languageCode, languageName: title ?? languageName, isDefault };
  });
  return [...rows.filter(({ origin }) => origin !== "track"), ...sounds];
}

/** Viewers are told that nobody has checked the text. */
const isHeard = ({ generated, captions }: AddedTrack): boolean =>
  generated !== null && captions?.generated?.engine !== "source" && (captions?.version ?? 1) === 1;

const toTextTrack = (track: AddedTrack, added: readonly AddedTrack[]): TextTrack => ({
  id: track.id,
  name: track.title ?? (isHeard(track) ? `${track.languageName} (generated)` : track.languageName),
  languageCode: track.languageCode,
  isDefault: track.isDefault,
  isForced: track.isForced,
  isClosedCaptions: track.isClosedCaptions,
  peakBps: track.captions?.peakBps ?? 0,
  averageBps: track.captions?.averageBps ?? 0,
  folder: track.captions?.folder,
  isUnlisted: added.some(({ id }) => id === track.captions?.generated?.takenFrom),
});

interface ResolvedAsset {
  assetId: string;
  rules: AccessRules;
  /** Where the original file came from. */
  sourceUrl: string;
  /** Whether viewers may download it. */
  sourceAccess: boolean;
}
const assetIds = new TtlCache<ResolvedAsset>(512);
/** IDs that are unknown, or those of streams. */
const missingAssets = new TtlCache<true>(1024);

/** The asset of a playback ID, without the facts that manifests need; null for an unknown or deleted ID. */
export async function resolveAsset(binding: D1Database, playbackId: string): Promise<ResolvedAsset | null> {
  const now = Date.now();
  const recent = assetIds.get(playbackId, now);
  if (recent !== undefined) return recent;
  if (missingAssets.get(playbackId, now) === true) return null;
  const [asset] = await openDatabase(binding)
    .select({
      assetId: assets.id,
      rules: ACCESS_COLUMNS,
      sourceUrl: assets.sourceUrl,
      sourceAccess: assets.sourceAccess,
    })
    .from(playbackIds)
    .innerJoin(assets, eq(assets.id, playbackIds.targetId))
    .where(and(eq(playbackIds.id, playbackId), isNull(assets.deletedAt)));
  if (asset === undefined) {
    missingAssets.set(playbackId, true, now + KNOWN_MS);
    return null;
  }
  assetIds.set(playbackId, asset, now + KNOWN_MS);
  return asset;
}

/** Call after a change of a playback ID or of its asset: it acts immediately in this isolate, and within a second in others. */
export function forgetPlayback(playbackId: string): void {
  known.delete(playbackId);
  missing.delete(playbackId);
  assetIds.delete(playbackId);
  missingAssets.delete(playbackId);
}
