import { commitWithEvents } from "../../events/webhooks/index.ts";
import type { KeySystem } from "../../media/cenc/content-key.ts";
import { openDatabase } from "../../platform/database.ts";
import { successWith } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { log } from "../../platform/log.ts";
import { type PlaybackId, UNRESTRICTED } from "../../tenancy/access/index.ts";
import { streamKeySystems } from "./stream-key-systems.ts";
import { commitWithinLimits } from "../../tenancy/limits/index.ts";
import { newHexId, newStreamSecret } from "./ids.ts";
import { ingestBases } from "./ingest-bases.ts";
import { ingestUrls } from "./ingest-urls.ts";
import { type LiveStream, streamInserts } from "./repository.ts";
import type { CreateStream } from "./schemas.ts";
import { sealStream } from "./secrets.ts";
import { streamEvent } from "./stream-event.ts";
import { toStream } from "./to-stream.ts";

/** Creates a stream, with `video.live_stream.created`. @throws {Problem} stream_limit_reached, validation_failed */
export async function createStream(
  body: CreateStream,
  { env, workspaceId, publicUrl, now, after, keep }: CreateContext,
) {
  const db = openDatabase(env.DB);
  const bases = await ingestBases(db, env, now);
  const keySystems = await streamKeySystems(db, workspaceId, body);
  const stream = newStream(body, { workspaceId, keySystems, now });
  const playbackId: PlaybackId = {
    id: crypto.randomUUID(),
    kind: "stream",
    targetId: stream.id,
    workspaceId,
    accessPolicy: keySystems === null ? body.playbackSettings.accessPolicy : "drm",
    ...UNRESTRICTED,
    keySystems,
    createdAt: now,
  };
  const record = { stream, playbackIds: [playbackId], targets: [], mediaIds: [] };
  const answer = successWith({
    stream_id: stream.id,
    stream_key: stream.streamKey,
    playback_id: playbackId.id,
    data: { ...toStream(record), ingest: ingestUrls(bases, stream, publicUrl) },
  });
  const created = { id: stream.id, answer };
  const event = streamEvent("video.live_stream.created", record, { id: crypto.randomUUID(), atMs: now.getTime() });
  const sealed = { ...stream, ...(await sealStream(env, stream.id, stream)) };
  const statements = [...streamInserts(db, sealed, playbackId), ...(await keep(created))];
  const { wake } = await commitWithinLimits(env, workspaceId, "stream", (limitCheck) =>
    commitWithEvents(env, [limitCheck, ...statements], [{ event }]),
  );
  after(wake());
  log("stream.created", { streamId: stream.id, workspaceId });
  return created;
}

function newStream(
  { inputMediaSettings: settings }: CreateStream,
  { workspaceId, keySystems, now }: { workspaceId: string; keySystems: KeySystem[] | null; now: Date },
): LiveStream {
  const id = newHexId();
  return {
    id,
    workspaceId,
    streamKey: newStreamSecret(id),
    srtSecret: newStreamSecret(id),
    srtPlaybackSecret: newStreamSecret(id),
    maxResolution: settings.maxResolution,
    mediaPolicy: settings.mediaPolicy,
    keySystems,
    latencyMode: settings.latencyMode,
    reconnectWindowS: settings.reconnectWindow,
    maxDurationS: settings.maxDuration,
    enableDvrMode: settings.enableDvrMode,
    enableRecording: settings.enableRecording,
    allowViewerClips: settings.allowViewerClips,
    metadata: settings.metadata ?? {},
    status: "idle",
    audioOnly: false,
    ingestWarnings: [],
    createdAt: now,
    updatedAt: now,
    revision: 0,
    machineSeq: 0,
    sweptAt: null,
    deletedAt: null,
  };
}
