import { and, eq, type SQL } from "drizzle-orm";
import type { Committed } from "../../../events/webhooks/index.ts";
import { CaptionsError } from "../../../media/captions/cue.ts";
import { type Captions, readCaptions } from "../../../media/captions/read-captions.ts";
import { isWebVtt } from "../../../media/captions/webvtt.ts";
import { type Database, openDatabase, type Statement } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { orNotFound, Problem } from "../../../platform/http/problems.ts";
import { log } from "../../../platform/log.ts";
import { captionsKey, versionFolder } from "../../../platform/storage/keys.ts";
import { changeRecord } from "../../assets/change-record.ts";
import { findAsset } from "../../assets/repository.ts";
import type { AddedTrack } from "../store/repository.ts";
import { FILES, storeCaptions, WORDS } from "../store/store-captions.ts";
import { addedTracks, type CaptionFacts } from "../store/tables.ts";
import { trackEvent } from "../store/to-track.ts";
import {
  type CaptionVersion,
  currentOf,
  deleteVersion,
  expiredOf,
  insertVersionIf,
  versionsOf,
} from "../store/versions.ts";

export interface TrackKey {
  workspaceId: string;
  assetId: string;
  trackId: string;
}

/** A track whose text can be read and replaced. */
export interface TextTrack {
  track: AddedTrack;
  facts: CaptionFacts;
}

/** @throws {Problem} media_not_found, track_not_found, track_not_available */
export async function requireTextTrack(env: Env, { workspaceId, assetId, trackId }: TrackKey): Promise<TextTrack> {
  const record = orNotFound(await findAsset(openDatabase(env.DB), workspaceId, assetId), "media_not_found");
  return textTrackIn(record.addedTracks, trackId);
}

function textTrackIn(tracks: readonly AddedTrack[], trackId: string): TextTrack {
  const track = orNotFound(
    tracks.find(({ id, kind }) => id === trackId && kind === "subtitle"),
    "track_not_found",
  );
  if (track.status !== "available" || track.captions === null)
    throw new Problem("track_not_available", "only a subtitle track that is available has a text");
  return { track, facts: track.captions };
}

/** What the request expects the text to be; null = anything. @throws {Problem} precondition_failed */
function requireMatch(track: AddedTrack, ifMatch: string | null): void {
  if (ifMatch === null || ifMatch.trim() === "*") return;
  const { version } = currentOf(track);
  const isThis = ifMatch.split(",").some((tag) => tag.trim() === etagOf(version));
  if (!isThis) throw new Problem("precondition_failed", `the text has been changed: it is version ${version} now`);
}

export const etagOf = (version: number): string => `"${version}"`;

/** @throws {Problem} validation_failed */
export function readText(bytes: Uint8Array): Captions {
  const refuse = (message: string, hint: string) =>
    new Problem("validation_failed", message, { fields: [{ field: "body", message, hint }] });
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw refuse("is not UTF-8", "must be WebVTT in UTF-8");
  }
  if (!isWebVtt(text)) throw refuse("is no WebVTT", "must be WebVTT, whose first line is `WEBVTT`");
  try {
    return readCaptions(bytes, "und");
  } catch (error) {
    if (!(error instanceof CaptionsError)) throw error;
    throw refuse(error.message, "must be WebVTT with at least one caption");
  }
}

export interface NewText {
  captions: Captions;
  /** What the text is expected to be; null = anything. */
  ifMatch: string | null;
  /** The version whose text it is; null = it is new. */
  restored: { version: number; folder: string } | null;
}

/**
 * Replaces the text of a subtitle track, with `video.media.track.updated` and then `video.media.updated`. The text before it stays among the versions.
 *
 * @throws {Problem} media_not_found, track_not_found, track_not_available, precondition_failed, validation_failed for too many captions at one time
 */
export async function replaceText(
  env: Env,
  key: TrackKey,
  { captions, ifMatch, restored }: NewText,
  now: Date,
): Promise<{ row: CaptionVersion; playbackIds: string[]; committed: Committed }> {
  const before = await requireTextTrack(env, key);
  requireMatch(before.track, ifMatch);
  // Two editors may write at once, so each text has a folder of its own, and the commit decides.
  const folder = versionFolder(crypto.randomUUID());
  const restoredFrom = restored?.version ?? null;
  const stored = await storeText(env, key, folder, captions);
  if (restored !== null) await copyWords(env, key, restored.folder, folder);
  const bytesBefore = await sizeOf(env, key, currentOf(before.track).folder);
  const changed = await changeRecord(env, key, now, (seen, db, still) => {
    const { track, facts } = textTrackIn(seen.addedTracks, key.trackId);
    requireMatch(track, ifMatch);
    const current = currentOf(track);
    const row: CaptionVersion = {
      trackId: track.id,
      version: current.version + 1,
      folder,
      cueCount: stored.cueCount,
      bytes: stored.bytes,
      restoredFrom,
      createdAt: now,
    };
    const after: AddedTrack = { ...track, captions: { ...facts, ...stored.facts, version: row.version, folder } };
    const first = { ...row, version: current.version, folder: current.folder, restoredFrom: null };
    return {
      row,
      statements: [
        // The text that the track was made with becomes a version when it is replaced.
        insertVersionIf(
          db,
          { ...first, cueCount: facts.cueCount, bytes: bytesBefore, createdAt: track.createdAt },
          still,
        ),
        insertVersionIf(db, row, still),
        setFactsIf(db, after, still),
      ],
      addedTracks: seen.addedTracks.map((one) => (one === track ? after : one)),
      eventsBefore: ({ asset }, when) => [trackEvent("updated", after, asset.workspaceId, when())],
    };
  }).catch(async (error: unknown) => {
    // Another editor was faster, or the track is gone. After any other error, the text may be stored.
    if (error instanceof Problem) await deleteText(env, key, folder);
    throw error;
  });
  if (changed === null) await deleteText(env, key, folder); // the media has been deleted meanwhile
  const { change, record, committed } = orNotFound(changed, "media_not_found");
  log("captions.replaced", { assetId: key.assetId, trackId: key.trackId, version: change.row.version, restoredFrom });
  await forgetOld(env, key);
  return { row: change.row, playbackIds: record.playbackIds.map(({ id }) => id), committed };
}

async function storeText(env: Env, { assetId, trackId }: TrackKey, folder: string, captions: Captions) {
  try {
    const facts = await storeCaptions(env, { assetId, trackId, folder }, captions);
    return { facts, cueCount: captions.cues.length, bytes: await sizeOf(env, { assetId, trackId }, folder) };
  } catch (error) {
    if (!(error instanceof CaptionsError)) throw error;
    const fields = [{ field: "body", message: error.message, hint: "must have fewer captions at the same time" }];
    throw new Problem("validation_failed", error.message, { fields });
  }
}

/** When each word is said is known of a text that was made of the sound, and comes back with it. */
async function copyWords({ MEDIA }: Env, { assetId, trackId }: TrackKey, from: string, to: string): Promise<void> {
  const words = await MEDIA.get(captionsKey(assetId, trackId, WORDS, from));
  if (words !== null) await MEDIA.put(captionsKey(assetId, trackId, WORDS, to), await words.arrayBuffer());
}

/** Bytes of the WebVTT of one text. */
const sizeOf = async (env: Env, { assetId, trackId }: Omit<TrackKey, "workspaceId">, folder: string): Promise<number> =>
  (await env.MEDIA.head(captionsKey(assetId, trackId, "whole.vtt", folder)))?.size ?? 0;

const deleteText = (env: Env, { assetId, trackId }: TrackKey, folder: string): Promise<void> =>
  env.MEDIA.delete([...FILES, WORDS].map((file) => captionsKey(assetId, trackId, file, folder)));

const setFactsIf = (db: Database, { id, captions }: AddedTrack, condition: SQL): Statement =>
  db
    .update(addedTracks)
    .set({ captions })
    .where(and(eq(addedTracks.id, id), condition));

/** Deletes versions beyond those that are kept. Should it be lost, the next replacement does it. */
async function forgetOld(env: Env, key: TrackKey): Promise<void> {
  const db = openDatabase(env.DB);
  for (const version of expiredOf(await versionsOf(db, key.trackId))) {
    await deleteText(env, key, version.folder);
    await deleteVersion(db, version);
  }
}
