import { and, eq } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Database, openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { findEvent, type NewEvent } from "../../events/index.ts";
import { log } from "../../platform/log.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import { mediaEvent, mp4Event, sourceEvent, transformedEvent, watermarkEvent } from "./media-event.ts";
import { showProgress, type TrackEnd } from "../tracks/store/repository.ts";
import { type InsightEnd, type InsightKey, showInsightProgress } from "../insights/store/repository.ts";
import { endInsight } from "./end-insight.ts";
import { endTrack } from "./end-track.ts";
import { type AssetRecord, findAsset, isStill, nextRevision } from "./repository.ts";
import { assets, renditions, tracks } from "./tables.ts";

/** Without dates, because messages are stored as JSON. */
export type AssetFacts = Partial<
  Omit<typeof assets.$inferInsert, "createdAt" | "updatedAt" | "startedAt" | "deletedAt" | "purgedAt">
>;
export type NewTrack = typeof tracks.$inferInsert;
export type NewRendition = typeof renditions.$inferInsert;

/** The messages of an asset machine's outbox. */
export type AssetMessage =
  | { kind: "facts"; payload: AssetFacts }
  | { kind: "started"; payload: { atMs: number } }
  | { kind: "tracks"; payload: NewTrack[] }
  | { kind: "rendition"; payload: NewRendition }
  /** Enqueued by releases before 2026-11-22 only. Machines may still hold such messages when this release is deployed. */
  | { kind: "renditions"; payload: NewRendition[] }
  /** How many segments of each passthrough rendition have arrived; null = all, and the rendition is whole. */
  | { kind: "arrived"; payload: Record<string, number | null> }
  /** The source stays listed as the top rung (passthrough). */
  | { kind: "keepPassthrough"; payload: Record<string, never> }
  /** How much has been heard for a generated track. */
  | { kind: "trackProgress"; payload: { id: string; percent: number } }
  /** After the message with the rendition of an audio track. */
  | { kind: "trackEnded"; payload: { id: string; end: TrackEnd } }
  /** How much of a transcript has been read for a result of AI. */
  | { kind: "insightProgress"; payload: Omit<InsightKey, "assetId"> & { percent: number } }
  | { kind: "insightEnded"; payload: Omit<InsightKey, "assetId"> & { end: InsightEnd } }
  | { kind: "event"; payload: MachineEvent };

/** An event to announce. Its record is read from D1 when the event is committed. */
export interface MachineEvent {
  id: string;
  type: "asset.ready" | "asset.errored" | "video.media.non_standard_format.detected";
  occurredAtMs: number;
  /** What is not standard. */
  reason?: string;
}

/**
 * Writes an asset machine's messages to D1, then its events. Idempotent: a repeated message changes nothing.
 *
 * @throws {Error} on a kind that this release does not know; the outbox then keeps its messages
 */
export async function projectAsset(env: Env, assetId: string, messages: AssetMessage[], now: Date): Promise<void> {
  const db = openDatabase(env.DB);
  const [first, ...rest] = messages.flatMap((message) => toStatements(db, assetId, message, now));
  if (first !== undefined) await db.batch([first, ...rest]);
  for (const { kind, payload } of messages) {
    if (kind === "trackEnded") await endTrack(env, assetId, payload.id, payload.end, now);
    if (kind === "insightEnded") await endInsight(env, { assetId, ...payload }, payload.end, now);
    if (kind === "event") await announce(env, assetId, payload);
  }
}

/** Commits the event with the asset's current record. Retried with the new record when it changes meanwhile. */
async function announce(env: Env, assetId: string, { id, type, occurredAtMs, reason }: MachineEvent): Promise<void> {
  const db = openDatabase(env.DB);
  for (;;) {
    const record = await findAsset(db, null, assetId);
    if (record === null) return log("event.of_deleted_asset", { assetId, type }); // its deletion has been announced already
    const more = reason === undefined ? {} : { reason };
    const event = mediaEvent(type, record, { id, atMs: occurredAtMs }, more);
    const onlyIf = isStill(record.asset);
    const ofReady = type === "asset.ready" ? await readyEvents(record, event) : [];
    const events = [event, ...ofReady].map((one) => ({ event: one, onlyIf }));
    const { isNew, wake } = await commitWithEvents(env, [], events);
    if (isNew[0]) return wake();
    if ((await findEvent(db, id)) !== null) return;
  }
}

/**
 * Events of what was done to an asset that is ready, and of the files that it offers. Ids are the same on every call, so a repeated announcement adds no
 * event.
 */
async function readyEvents(record: AssetRecord, { id, occurredAtMs: atMs }: NewEvent): Promise<NewEvent[]> {
  const { sourceAccess, mp4Support, montage } = record.asset;
  const edits = (montage?.operations ?? []).map(async (operation) =>
    transformedEvent(`video.media.${operation}.ready`, record, { id: await derivedId(id, operation), atMs }),
  );
  const levelled = { id: await derivedId(id, "optimize_audio"), atMs };
  const marked = { id: await derivedId(id, "watermark"), atMs };
  return [
    ...(await Promise.all(edits)),
    ...(record.asset.watermark === null || record.asset.widthPx === null
      ? []
      : [watermarkEvent(record.asset, record.asset.watermark, marked)]),
    ...(record.asset.loudness === null ? [] : [transformedEvent("video.media.optimize_audio.ready", record, levelled)]),
    ...(sourceAccess ? [sourceEvent(record, { id: await derivedId(id, "source"), atMs })] : []),
    ...(mp4Support === null ? [] : [mp4Event(record, { id: await derivedId(id, "mp4"), atMs })]),
  ];
}

function toStatements(db: Database, assetId: string, message: AssetMessage, now: Date): BatchItem<"sqlite">[] {
  switch (message.kind) {
    case "facts":
      return [
        db
          .update(assets)
          .set({ ...message.payload, updatedAt: now, ...nextRevision })
          .where(eq(assets.id, assetId)),
      ];
    case "started":
      return [
        db
          .update(assets)
          .set({ startedAt: new Date(message.payload.atMs), updatedAt: now, ...nextRevision })
          .where(eq(assets.id, assetId)),
      ];
    case "tracks":
      return message.payload.map((track) => db.insert(tracks).values(track).onConflictDoNothing());
    case "trackProgress":
      return [showProgress(db, message.payload)];
    case "insightProgress":
      return [showInsightProgress(db, { assetId, ...message.payload }, message.payload.percent)];
    case "rendition":
      return [upsertRendition(db, message.payload)];
    case "renditions":
      return message.payload.map((row) => upsertRendition(db, row));
    case "arrived":
      return Object.entries(message.payload).map(([name, arrivedSegments]) =>
        db
          .update(renditions)
          .set({ arrivedSegments, isWhole: arrivedSegments === null })
          .where(and(eq(renditions.assetId, assetId), eq(renditions.name, name))),
      );
    case "keepPassthrough":
      return [
        db
          .update(renditions)
          .set({ isTopRung: true })
          .where(
            and(eq(renditions.assetId, assetId), eq(renditions.origin, "passthrough"), eq(renditions.kind, "video")),
          ),
      ];
    case "trackEnded":
    case "insightEnded":
    case "event":
      return [];
    default:
      throw new Error(`unknown outbox message: ${(message as { kind: string }).kind}`);
  }
}

const upsertRendition = (db: Database, row: NewRendition) =>
  db
    .insert(renditions)
    .values(row)
    .onConflictDoUpdate({ target: [renditions.assetId, renditions.name], set: row });
