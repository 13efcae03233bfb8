import { and, asc, eq, inArray, isNotNull, isNull, lt } from "drizzle-orm";
import { z } from "zod";
import { assets, CLIP_SOURCE_GONE, failRecording, finishRecording, isProcessing } from "../../library/assets/index.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import { log, logError, logWarning } from "../../platform/log.ts";
import { findSessionRange, recordedSession, withInitBytes } from "../recording/recording.ts";
import { recordingRows } from "../recording/recording-rows.ts";

/** `from`: number of objects already copied. */
const CopyTask = z.object({ mediaId: z.uuid(), from: z.int().min(0) });
type CopyTask = z.infer<typeof CopyTask>;

/** Objects per message. An invocation is limited to 1,000 subrequests. */
const OBJECTS_PER_MESSAGE = 300;
const AT_ONCE = 6;
/** After this many attempts, a segment that is missing in R2 is lost. */
const MOST_ATTEMPTS = 10;
const SILENT_MS = 120_000;
/** Clips per sweep, one message each. The next cron run sends others. */
export const SWEPT_AT_ONCE = 100;

/** Enqueues a copy. The cron's sweep repeats a lost message. */
export async function sendClip(env: Env, task: CopyTask): Promise<void> {
  await env.CLIPS.send(task).catch((error: unknown) =>
    logWarning("clip.not_queued", { ...task, error: String(error) }),
  );
}

/** Copies the segments of clips, so that a clip outlives its source. Safe for messages that are delivered twice. */
export async function consumeClips(env: Env, batch: MessageBatch): Promise<void> {
  for (const message of batch.messages) {
    const task = CopyTask.safeParse(message.body);
    if (!task.success) {
      logError("clip.unreadable", { messageId: message.id });
      message.ack(); // A retry cannot repair the body.
      continue;
    }
    const { mediaId } = task.data;
    try {
      await copyClip(env, task.data);
      message.ack();
    } catch (error) {
      logWarning("clip.failed", { mediaId, attempt: message.attempts, error: String(error) });
      if (!(error instanceof MissingError) || message.attempts < MOST_ATTEMPTS) message.retry();
      else await giveUp(env, mediaId).then(() => message.ack());
    }
  }
}

class MissingError extends Error {}

async function copyClip(env: Env, { mediaId, from }: CopyTask): Promise<void> {
  const [clip] = await openDatabase(env.DB)
    .select()
    .from(assets)
    .where(and(eq(assets.id, mediaId), isProcessing, isNull(assets.deletedAt)));
  if (clip?.sourceAssetId === undefined || clip.sourceAssetId === null) return; // done, or deleted
  const { sourceAssetId, clipStartMs, clipEndMs } = clip;
  // Times strictly inside the first and the last segment select them despite rounding.
  const range = await findSessionRange(env, sourceAssetId, (clipStartMs + 1) / 1000, ((clipEndMs ?? 0) - 1) / 1000);
  const session = range?.kind === "range" ? await recordedSession(env, sourceAssetId, range) : null;
  if (range?.kind !== "range" || session === null)
    throw new MissingError("the session does not have the clip's segments");
  const rows = recordingRows(mediaId, session);
  const copies = rows.flatMap(({ name, segments: { bytes, spans = [] } }) => {
    const inits = [...new Set(spans.map(({ initVersion }) => `init-${initVersion}.mp4`))];
    const segments = [...bytes.entries()].filter(([, size]) => size > 0);
    return [
      ...inits.map((file) => ({ name, file, to: file })),
      ...segments.map(([n]) => ({ name, file: `${range.first + n}.m4s`, to: `${n}.m4s` })),
    ];
  });
  const share = copies.slice(from, from + OBJECTS_PER_MESSAGE);
  for (let at = 0; at < share.length; at += AT_ONCE)
    await Promise.all(
      share
        .slice(at, at + AT_ONCE)
        .map(({ name, file, to }) =>
          copyObject(env, renditionKey(sourceAssetId, name, file), renditionKey(mediaId, name, to)),
        ),
    );
  if (from + share.length < copies.length) {
    await env.CLIPS.send({ mediaId, from: from + share.length });
    return;
  }
  const whole = await Promise.all(rows.map((row) => withInitBytes(env, row)));
  const events = [{ id: await derivedId(mediaId, "end"), type: "asset.ready" as const }];
  await finishRecording(env, { mediaId, rows: whole, events }, new Date());
  log("clip.ready", { mediaId, sessionId: sourceAssetId, objects: copies.length });
}

async function copyObject(env: Env, from: string, to: string): Promise<void> {
  const object = await env.MEDIA.get(from);
  if (object === null) throw new MissingError(`${from} is not in R2`);
  await env.MEDIA.put(to, object.body, { httpMetadata: object.httpMetadata ?? {} });
}

async function giveUp(env: Env, mediaId: string): Promise<void> {
  const eventId = await derivedId(mediaId, "end");
  await failRecording(env, { mediaId, eventId, atMs: Date.now() }, CLIP_SOURCE_GONE);
}

/** Enqueues stalled clips again, those without progress for the longest time first. */
export async function sweepClips(env: Env, now: Date): Promise<void> {
  const db = openDatabase(env.DB);
  const chosen = db
    .select({ id: assets.id })
    .from(assets)
    .where(
      and(
        isProcessing,
        isNotNull(assets.sourceAssetId),
        isNull(assets.deletedAt),
        lt(assets.updatedAt, new Date(now.getTime() - SILENT_MS)),
      ),
    )
    .orderBy(asc(assets.updatedAt))
    .limit(SWEPT_AT_ONCE);
  const rows = await db
    .update(assets)
    .set({ updatedAt: now })
    .where(inArray(assets.id, chosen))
    .returning({ id: assets.id });
  for (const { id: mediaId } of rows) await sendClip(env, { mediaId, from: 0 });
}
