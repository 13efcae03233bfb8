import { z } from "zod";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, log, logError, logWarning } from "../../platform/log.ts";
import { assetPrefix } from "../../platform/storage/keys.ts";
import { assetMachine } from "./asset-calls.ts";
import { isShared, ownerOf, releaseOwner } from "../clips/shared-media.ts";
import { hasClipsUnderWay } from "./clip-rows.ts";
import { forgetAsset, forgetStored, isDeleted } from "./repository.ts";

const PurgeTask = z.object({ assetId: z.uuid(), pass: z.int().min(1) });

/** Sent by `GET /healthz` to check that the queue accepts messages. */
const HealthProbe = z.object({ health: z.literal(true) });

/** Deletes all objects of assets that were deleted, or failed for good. Idempotent: a repeated message finds an empty prefix. */
export async function consumePurges(env: Env, batch: MessageBatch): Promise<void> {
  await Promise.all(
    batch.messages.map(async (message) => {
      if (HealthProbe.safeParse(message.body).success) return message.ack();
      const task = PurgeTask.safeParse(message.body);
      if (!task.success) {
        logError("purge.unreadable", { messageId: message.id });
        return message.ack(); // A retry cannot repair the body.
      }
      try {
        await purgeAsset(env, task.data);
        message.ack();
      } catch (error) {
        logWarning("purge.failed", { assetId: task.data.assetId, attempt: message.attempts, ...errorFields(error) });
        message.retry();
      }
    }),
  );
}

/** Deletes what is stored of an asset. @param task.pass the machine counts passes: a second one finds the writes that were under way */
export async function purgeAsset(env: Env, { assetId, pass }: z.infer<typeof PurgeTask>): Promise<void> {
  // The asset machine sends the task again every minute until the purge is done.
  const db = openDatabase(env.DB);
  if (await hasClipsUnderWay(db, assetId)) return log("purge.waits_for_clips", { assetId, pass });
  if (await isShared(db, assetId)) {
    // The end of the last clip continues it.
    await assetMachine(env, assetId).pausePurge();
    return log("purge.waits_for_shared_segments", { assetId, pass });
  }
  let removed = 0;
  for (;;) {
    const { objects } = await env.MEDIA.list({ prefix: assetPrefix(assetId), limit: 1000 });
    if (objects.length === 0) break;
    await env.MEDIA.delete(objects.map(({ key }) => key));
    removed += objects.length;
  }
  const { done, isFailed } = await assetMachine(env, assetId).confirmPurge(pass);
  if (done) await releaseShared(env, assetId);
  if (done && isFailed) await forgetStored(db, assetId);
  else if (done) await forgetAsset(db, assetId, new Date());
  log("purge.done", { assetId, pass, removed });
}

/**
 * What a clip has shared is no longer used by it. A media that was deleted before and is used by no other clip is purged now; should this call be lost,
 * the cron's sweep does it.
 */
async function releaseShared(env: Env, clipId: string): Promise<void> {
  const db = openDatabase(env.DB);
  const ownerId = await ownerOf(db, clipId);
  if (ownerId === null) return;
  await releaseOwner(db, clipId);
  if ((await isDeleted(db, ownerId)) && !(await isShared(db, ownerId)))
    await assetMachine(env, ownerId).remove(ownerId);
}
