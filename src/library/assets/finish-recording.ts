import { sql } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { readyFacts } from "./asset-facts.ts";
import { languageName } from "../../media/languages.ts";
import { mediaEvent } from "./media-event.ts";
import type { NewRendition, NewTrack } from "./projection.ts";
import { type Asset, type AssetRecord, findAsset, isStill, nextRevision, type Track } from "./repository.ts";
import { settingsOf } from "../../ai/settings/index.ts";
import { planInsights } from "../insights/store/orders.ts";
import { type Insight, newInsight, putInsightIf } from "../insights/store/repository.ts";
import { newTrack, TRACKS_PER_MEDIA } from "../tracks/store/new-track.ts";
import { type AddedTrack, hasTrack, insertTrackIf } from "../tracks/store/repository.ts";
import { trackEvent } from "../tracks/store/to-track.ts";
import { startInsights } from "./start-insights.ts";
import { startTracks } from "./start-tracks.ts";
import { assets, renditions, tracks } from "./tables.ts";
import { tracksOf } from "./track-rows.ts";

export interface FinishedRecording {
  mediaId: string;
  /** Complete renditions, the largest video first. */
  rows: NewRendition[];
  /** Announced in this order, with the same ids on every call. */
  events: { id: string; type: "asset.ready" | "live_stream.recording.ready" }[];
  /** It gets the results of AI that the workspace has made of every new media. */
  hasUsual: boolean;
}

/**
 * Marks a recording or a clip as ready: renditions, tracks, facts and events in one commit. Idempotent.
 *
 * @returns `gone` when it has been deleted
 */
export async function finishRecording(
  env: Env,
  { mediaId, rows, events, hasUsual }: FinishedRecording,
  now: Date,
): Promise<"ready" | "gone"> {
  const db = openDatabase(env.DB);
  for (;;) {
    const seen = await findAsset(db, null, mediaId);
    if (seen === null) return "gone";
    if (seen.asset.status !== "processing") return "ready";
    const change = { ...readyAsset(rows), updatedAt: now };
    const usual = hasUsual ? await usualResults(env, seen, now) : { tracks: [], insights: [] };
    const record = {
      ...seen,
      addedTracks: [...seen.addedTracks, ...usual.tracks],
      insights: [...seen.insights, ...usual.insights],
      asset: { ...seen.asset, ...change },
      tracks: seen.tracks.length > 0 ? seen.tracks : tracksOf(mediaId, sourceTracks(rows)).map(asRead),
    };
    const { revision } = seen.asset;
    const isWhatWasSeen = sql`id = ${mediaId} AND revision = ${revision} AND deleted_at IS NULL`;
    const isMine = sql`EXISTS (SELECT 1 FROM ${assets} WHERE id = ${mediaId} AND revision = ${revision + 1} AND status = 'ready' AND deleted_at IS NULL)`;
    const { isNew, wake } = await commitWithEvents(
      env,
      [
        ...record.tracks.map((track) => db.insert(tracks).values(track).onConflictDoNothing()),
        ...rows.map((row) => db.insert(renditions).values(row).onConflictDoNothing()),
        ...usual.tracks.map((track) => insertTrackIf(db, track, isStill(seen.asset))),
        ...usual.insights.map((insight) => putInsightIf(db, insight, isStill(seen.asset))),
        db
          .update(assets)
          .set({ ...change, ...nextRevision })
          .where(isWhatWasSeen),
      ],
      [
        ...events.map(({ id, type }, n) => ({
          event: mediaEvent(type, record, { id, atMs: now.getTime() }),
          onlyIf: isMine,
          twinId: events[n - 1]?.id ?? "", // both are `video.media.ready`
        })),
        ...usual.tracks.map((track) => ({
          event: trackEvent("created", track, seen.asset.workspaceId, { id: crypto.randomUUID(), atMs: now.getTime() }),
          onlyIf: hasTrack(track),
        })),
      ],
    );
    await wake();
    if (!isNew[0]) continue;
    // Sound that was added during the broadcast waits for its end.
    await startTracks(env, [...seen.addedTracks.filter(isWaiting), ...usual.tracks]);
    await startInsights(env, usual.insights);
    return "ready";
  }
}

/**
 * What the workspace has made of every new media. A recording has the captions of its broadcast already, and what was asked for while it was on air; a
 * clip takes over chapters and scores of its recording.
 */
async function usualResults(
  env: Env,
  { asset: { id: assetId, sourceAssetId, workspaceId }, addedTracks, insights }: AssetRecord,
  now: Date,
): Promise<{ tracks: AddedTrack[]; insights: Insight[] }> {
  const db = openDatabase(env.DB);
  const source = sourceAssetId === null ? null : await findAsset(db, workspaceId, sourceAssetId);
  const given = { addedTracks, insights: source?.insights ?? [] };
  const planned = planInsights({}, [], await settingsOf(db, workspaceId), given);
  const requests = planned.requests.filter(({ kind }) => !insights.some((known) => known.kind === kind));
  const room = TRACKS_PER_MEDIA - addedTracks.length;
  return {
    tracks: planned.tracks.slice(0, Math.max(0, room)).map((track) => newTrack(track, assetId, now)),
    insights: requests.map((request) => newInsight(request, { assetId, workspaceId }, now)),
  };
}

const isWaiting = ({ kind, status }: AssetRecord["addedTracks"][number]) => kind === "audio" && status === "preparing";

function readyAsset(rows: NewRendition[]): Partial<Asset> {
  const facts = readyFacts(rows, false) as Partial<Asset>;
  const picture = rows.find(({ kind }) => kind === "video");
  if (picture === undefined) return { ...facts, stage: "done" };
  const { widthPx = null, heightPx = null } = picture;
  return { ...facts, stage: "done", widthPx, heightPx, frameRate: `${picture.frameRateNum}/${picture.frameRateDen}` };
}

function sourceTracks(rows: NewRendition[]) {
  const picture = rows.find(({ kind }) => kind === "video");
  return {
    video: picture
      ? {
          widthPx: picture.widthPx ?? 0,
          heightPx: picture.heightPx ?? 0,
          frameRate: { num: picture.frameRateNum ?? 0, den: picture.frameRateDen ?? 1 },
        }
      : null,
    audio: rows.filter(({ kind }) => kind === "audio").map(soundTrack),
  };
}

/** The name of a sound that has none is that of its language. */
function soundTrack({ languageCode, languageName: name }: NewRendition) {
  const code = languageCode ?? "und";
  return { languageCode: code, title: name === languageName(code) ? "" : (name ?? "") };
}

/** The row as a later SELECT returns it. */
const asRead = (track: NewTrack): Track => ({
  ...track,
  widthPx: track.widthPx ?? null,
  heightPx: track.heightPx ?? null,
  frameRate: track.frameRate ?? null,
  languageCode: track.languageCode ?? null,
  languageName: track.languageName ?? null,
  title: track.title ?? null,
});
