import { takeStalledClips } from "../../library/assets/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { sendClip } from "./send-clip.ts";

const SILENT_MS = 120_000;
/** Clips per sweep, one message each. The next cron run sends others. */
export const SWEPT_AT_ONCE = 100;

/** Enqueues stalled clips again, those without progress for the longest time first. Nobody knows any more who has made them, so they count as those of viewers. */
export async function sweepClips(env: Env, now: Date): Promise<void> {
  const before = new Date(now.getTime() - SILENT_MS);
  const ids = await takeStalledClips(openDatabase(env.DB), before, now, SWEPT_AT_ONCE);
  for (const mediaId of ids) await sendClip(env, { mediaId, from: 0, isOfOwner: false });
}
