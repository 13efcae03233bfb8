import { commitWithEvents } from "../../events/webhooks/index.ts";
import { commit, openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { assetMachine } from "../assets/asset-calls.ts";
import { findAsset, setSourceBytes, tombstoneAsset } from "../assets/repository.ts";
import { startMachine } from "../assets/start-machine.ts";
import { uploadedAsset } from "../assets/uploaded-asset.ts";
import { beginAsset, discardWaiting } from "../assets/waiting-asset.ts";
import type { PieceList } from "../sources/piece-list.ts";
import { storePieceList } from "../sources/stored-pieces.ts";
import { addedTracksOf } from "../tracks/store/repository.ts";
import { findUpload, settleUpload, type Upload } from "./repository.ts";
import { mediaCreatedEvent, uploadEvent } from "./upload-event.ts";

/** The messages of an upload machine's outbox. */
export type UploadMessage =
  /** The index has arrived before the media data, so the media plays, but is not announced yet. */
  | { kind: "begun"; payload: { atMs: number } }
  | { kind: "completed"; payload: { atMs: number; eventId: string } }
  | { kind: "cancelled"; payload: { atMs: number; eventId: string } }
  | { kind: "expired"; payload: { atMs: number } };

interface Projected {
  upload: Upload;
  pieces: () => PieceList;
  /** The media plays before the upload is complete. */
  hasBegun: boolean;
}

/** Writes an upload machine's messages to D1 and R2, with their events. Idempotent. */
export async function projectUpload(
  env: Env,
  { upload, pieces, hasBegun }: Projected,
  messages: UploadMessage[],
  now: Date,
): Promise<void> {
  for (const message of messages) {
    if (message.kind === "begun") await beginMedia(env, upload, new Date(message.payload.atMs));
    else if (message.kind === "completed") await announceMedia(env, upload, pieces(), message.payload);
    else {
      if (!hasBegun) await removeTracks(env, upload);
      if (message.kind === "cancelled") await cancel(env, upload, message.payload);
      else await commit(env.DB, ends(env, upload, "expired", now));
    }
    if (hasBegun && (message.kind === "cancelled" || message.kind === "expired")) await removeMedia(env, upload, now);
  }
}

/** The media plays as far as it has arrived. */
async function beginMedia(env: Env, upload: Upload, at: Date): Promise<void> {
  const db = openDatabase(env.DB);
  const { inserts, forMachine } = uploadedAsset(db, upload, at); // the rows are missing in uploads of earlier releases only
  await commit(env.DB, [...inserts, beginAsset(db, upload.id, at)]);
  log("upload.media_begun", { uploadId: upload.id, workspaceId: upload.workspaceId });
  await startMachine(env, forMachine);
}

/** The end of an upload whose file will not come. */
function ends(env: Env, { id }: Upload, status: "cancelled" | "expired", now: Date) {
  const db = openDatabase(env.DB);
  return [settleUpload(db, id, status, now), ...discardWaiting(db, id)];
}

/** Deletes the bytes of tracks that were prepared while the file was awaited. Before their rows are deleted, so that a repeat finds them. */
async function removeTracks(env: Env, { id }: Upload): Promise<void> {
  const tracks = await addedTracksOf(openDatabase(env.DB), [id]);
  if (tracks.length > 0) await assetMachine(env, id).remove(id);
}

/** Deletes a media that was never announced, so no event announces its end. */
async function removeMedia(env: Env, { id }: Upload, now: Date): Promise<void> {
  await tombstoneAsset(openDatabase(env.DB), id, now);
  await assetMachine(env, id).remove(id);
}

/** The source of the media is now the list of the upload's pieces. */
async function announceMedia(
  env: Env,
  upload: Upload,
  pieces: PieceList,
  { atMs, eventId }: { atMs: number; eventId: string },
): Promise<void> {
  const db = openDatabase(env.DB);
  await storePieceList(env, upload.id, pieces);
  const { inserts, forMachine } = uploadedAsset(db, upload, new Date(atMs));
  await commit(env.DB, inserts);
  const bytes = pieces.reduce((sum, [, pieceBytes]) => sum + pieceBytes, 0);
  const settled = [
    beginAsset(db, upload.id, new Date(atMs)),
    setSourceBytes(db, upload.id, bytes),
    settleUpload(db, upload.id, "complete", new Date(atMs)),
  ];
  const record = await findAsset(db, null, upload.id); // its owner may have changed it
  if (record === null) return void (await commit(env.DB, settled)); // its owner has deleted it
  const { wake } = await commitWithEvents(env, settled, [{ event: mediaCreatedEvent(record, { id: eventId, atMs }) }]);
  await wake();
  log("upload.completed", { uploadId: upload.id, workspaceId: upload.workspaceId, pieces: pieces.length });
  await startMachine(env, forMachine); // if this call is lost, the cron's sweep starts the machine
  await assetMachine(env, upload.id).noteArrival();
}

async function cancel(env: Env, upload: Upload, { atMs, eventId }: { atMs: number; eventId: string }): Promise<void> {
  const current = (await findUpload(openDatabase(env.DB), null, upload.id)) ?? upload; // its owner may have changed the media
  const event = uploadEvent(env, "video.media.upload.cancelled", current, { id: eventId, atMs });
  const { wake } = await commitWithEvents(env, ends(env, upload, "cancelled", new Date(atMs)), [{ event }]);
  await wake();
}
