import { CLIP_SOURCE_GONE, failRecording } from "../../library/assets/index.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, logError, logWarning } from "../../platform/log.ts";
import { copyClip, MissingError } from "./copy-clip.ts";
import { CopyTask } from "./send-clip.ts";

/** After this many attempts, a segment that is missing in R2 is lost. */
const MOST_ATTEMPTS = 10;

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
      logWarning("clip.failed", { mediaId, attempt: message.attempts, ...errorFields(error) });
      if (!(error instanceof MissingError) || message.attempts < MOST_ATTEMPTS) message.retry();
      else await giveUp(env, mediaId).then(() => message.ack());
    }
  }
}

async function giveUp(env: Env, mediaId: string): Promise<void> {
  const eventId = await derivedId(mediaId, "end");
  await env.PURGES.send({ assetId: mediaId, pass: 1 }); // the segments that were copied before; first, because a failed clip is not looked at again
  await failRecording(env, { mediaId, eventId, atMs: Date.now() }, CLIP_SOURCE_GONE);
}
