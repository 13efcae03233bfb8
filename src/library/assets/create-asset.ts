import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { findFirstAnswer } from "../../platform/http/idempotency.ts";
import { log } from "../../platform/log.ts";
import type { Caller } from "../../platform/http/router.ts";
import { validationProblem } from "../../platform/http/router.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { BLANK_ASSET } from "./blank-asset.ts";
import { mediaEvent } from "./media-event.ts";
import { type Asset, assetInserts, type PlaybackId, toMachine } from "./repository.ts";
import { startMachine } from "./start-machine.ts";
import { checkInputs, type CreateAsset } from "./schemas.ts";
import { toCreatedMedia } from "./to-media.ts";

export interface CreateContext {
  env: Env;
  caller: Caller;
  publicUrl: string;
  now: Date;
  /** Runs after the answer. */
  after: (work: Promise<unknown>) => void;
  idempotency: { key: string; requestHash: string } | null;
}

/**
 * Records an asset and hands it to its machine. Under an idempotency key a repeat gets the first answer, byte by byte.
 *
 * @returns the JSON text of the answer
 * @throws {Problem} validation_failed, idempotency_conflict
 */
export async function createAsset(
  body: CreateAsset,
  { env, caller, publicUrl, now, after, idempotency }: CreateContext,
): Promise<string> {
  const checked = checkInputs(body.inputs, env.ALLOW_PRIVATE_NETWORK === "true");
  if ("issues" in checked) throw validationProblem(checked, body);
  const db = openDatabase(env.DB);
  const firstAnswer = async () =>
    idempotency && (await findFirstAnswer(db, caller.workspaceId, idempotency.key, idempotency.requestHash, now));
  const earlier = await firstAnswer();
  if (earlier) return earlier.body;

  const asset = newAsset(body, checked.source, caller.workspaceId, publicUrl, now);
  const playbackId: PlaybackId = {
    id: crypto.randomUUID(),
    kind: "asset",
    targetId: asset.id,
    workspaceId: asset.workspaceId,
    accessPolicy: "public",
    createdAt: now,
  };
  const answer = JSON.stringify({
    success: true,
    playback_id: playbackId.id,
    data: toCreatedMedia({ asset, playbackIds: [playbackId] }),
  });
  const record = { asset, playbackIds: [playbackId], tracks: [] };
  const event = mediaEvent("asset.created", record, { id: crypto.randomUUID(), atMs: now.getTime() });
  const remembered = idempotency && {
    workspaceId: caller.workspaceId,
    key: idempotency.key,
    requestHash: idempotency.requestHash,
    resourceId: asset.id,
    status: 201,
    body: answer,
    createdAt: now,
  };
  try {
    const rows = assetInserts(db, { asset, playbackId, idempotency: remembered });
    const { wake } = await commitWithEvents(env, rows, [{ event }]);
    after(wake());
  } catch (error) {
    const concurrent = await firstAnswer(); // a request with the same key was faster: its row made ours fail, as a whole
    if (concurrent) return concurrent.body;
    throw error;
  }
  log("asset.created", { assetId: asset.id, workspaceId: asset.workspaceId });
  // When this is lost, the cron's sweep starts the machine.
  after(startMachine(env, toMachine(asset)));
  return answer;
}

function newAsset(
  { title, creatorId, metadata, maxResolution, mediaQuality }: CreateAsset,
  source: { url: string; clipStartMs: number; clipEndMs: number | null },
  workspaceId: string,
  publicUrl: string,
  now: Date,
): Asset {
  return {
    ...BLANK_ASSET,
    id: crypto.randomUUID(),
    workspaceId,
    title: title ?? null,
    creatorId: creatorId ?? null,
    metadata: metadata ?? {},
    accessPolicy: "public",
    maxResolution,
    mediaQuality,
    sourceUrl: source.url,
    clipStartMs: source.clipStartMs,
    clipEndMs: source.clipEndMs,
    publicUrl,
    createdAt: now,
    updatedAt: now,
  };
}
