import { z } from "zod";
import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";

/** `from`: number of objects already copied. `isOfOwner`: no viewer has made it. */
export const CopyTask = z.object({ mediaId: z.uuid(), from: z.int().min(0), isOfOwner: z.boolean().default(false) });
export type CopyTask = z.infer<typeof CopyTask>;

/** Enqueues a copy. The cron's sweep repeats a lost message. */
export async function sendClip(env: Env, task: CopyTask): Promise<void> {
  await env.CLIPS.send(task).catch((error: unknown) =>
    logWarning("clip.not_queued", { ...task, ...errorFields(error) }),
  );
}
