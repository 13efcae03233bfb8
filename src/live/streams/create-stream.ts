import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { findFirstAnswer } from "../../platform/http/idempotency.ts";
import { log } from "../../platform/log.ts";
import { open, seal } from "../../platform/crypto/sealing.ts";
import { withKeys } from "../../platform/http/with-keys.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { newHexId, newStreamSecret } from "./ids.ts";
import { ingestBases } from "./ingest-bases.ts";
import { ingestUrls } from "./ingest-urls.ts";
import type { StreamPlaybackId } from "../../tenancy/access/index.ts";
import { type LiveStream, streamInserts } from "./repository.ts";
import type { CreateStream } from "./schemas.ts";
import { sealStream } from "./secrets.ts";
import { streamEvent } from "./stream-event.ts";
import { toStream } from "./to-stream.ts";

export interface CreateContext {
  env: Env;
  workspaceId: string;
  publicUrl: string;
  now: Date;
  /** Runs after the answer. */
  after: (work: Promise<unknown>) => void;
  idempotency: { key: string; requestHash: string } | null;
}

/**
 * Records a stream. Under an idempotency key a repeat gets the first answer, byte by byte.
 *
 * @returns the JSON text of the answer
 * @throws {Problem} idempotency_conflict
 */
export async function createStream(
  body: CreateStream,
  { env, workspaceId, publicUrl, now, after, idempotency }: CreateContext,
): Promise<string> {
  const db = openDatabase(env.DB);
  const firstAnswer = async () => idempotency && (await firstAnswerOf(env, workspaceId, idempotency, now));
  const [earlier, bases] = await Promise.all([firstAnswer(), ingestBases(db, env, now)]);
  if (earlier) return earlier;

  const stream = newStream(body, workspaceId, now);
  const { accessPolicy } = body.playbackSettings;
  const playbackId: StreamPlaybackId = {
    id: crypto.randomUUID(),
    kind: "stream",
    targetId: stream.id,
    workspaceId,
    accessPolicy,
    createdAt: now,
  };
  const record = { stream, playbackIds: [playbackId], targets: [], mediaIds: [] };
  const answer = JSON.stringify({
    success: true,
    stream_id: stream.id,
    stream_key: stream.streamKey,
    playback_id: playbackId.id,
    data: { ...toStream(record), ingest: ingestUrls(bases, stream, publicUrl) },
  });
  const event = streamEvent("video.live_stream.created", record, { id: crypto.randomUUID(), atMs: now.getTime() });
  const remembered = idempotency && {
    workspaceId,
    ...idempotency,
    resourceId: stream.id,
    status: 201,
    body: await withKeys(env, (keys) => seal(keys, workspaceId, answer)), // it holds the stream's secrets
    createdAt: now,
  };
  try {
    const rows = streamInserts(db, {
      stream: { ...stream, ...(await sealStream(env, stream.id, stream)) },
      playbackId,
      idempotency: remembered,
    });
    const { wake } = await commitWithEvents(env, rows, [{ event }]);
    after(wake());
  } catch (error) {
    const concurrent = await firstAnswer(); // a request with the same key was faster: its row made ours fail, as a whole
    if (concurrent) return concurrent;
    throw error;
  }
  log("stream.created", { streamId: stream.id, workspaceId });
  return answer;
}

async function firstAnswerOf(
  env: Env,
  workspaceId: string,
  { key, requestHash }: { key: string; requestHash: string },
  now: Date,
): Promise<string | null> {
  const first = await findFirstAnswer(openDatabase(env.DB), workspaceId, key, requestHash, now);
  if (first === null || first.body.startsWith("{")) return first?.body ?? null; // kept before answers were sealed
  return await withKeys(env, (keys) => open(keys, workspaceId, first.body));
}

function newStream({ inputMediaSettings: settings }: CreateStream, workspaceId: string, now: Date): LiveStream {
  const id = newHexId();
  return {
    id,
    workspaceId,
    streamKey: newStreamSecret(id),
    srtSecret: newStreamSecret(id),
    srtPlaybackSecret: newStreamSecret(id),
    maxResolution: settings.maxResolution,
    mediaPolicy: settings.mediaPolicy,
    latencyMode: settings.latencyMode,
    reconnectWindowS: settings.reconnectWindow,
    maxDurationS: settings.maxDuration,
    enableDvrMode: settings.enableDvrMode,
    enableRecording: settings.enableRecording,
    allowViewerClips: settings.allowViewerClips,
    metadata: settings.metadata ?? {},
    status: "idle",
    audioOnly: false,
    createdAt: now,
    updatedAt: now,
    revision: 0,
    machineSeq: 0,
    sweptAt: null,
    deletedAt: null,
  };
}
