import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import type { Committed } from "../../events/webhooks/index.ts";
import { changeStream } from "./change-stream.ts";
import { newStreamSecret } from "./ids.ts";
import type { StreamRecord } from "./repository.ts";
import { sealStream } from "./secrets.ts";
import { streamEvent } from "./stream-event.ts";

/**
 * Gives a stream a new key and new SRT secrets, with `video.live_stream.updated`. The old ones are refused from now on. A current broadcast
 * continues: its gateway has a token of its session. Null when there is no such stream.
 */
export async function rotateKey(
  env: Env,
  key: { workspaceId: string; streamId: string },
  now: Date,
): Promise<{ record: StreamRecord; committed: Committed } | null> {
  const { streamId } = key;
  const secrets = {
    streamKey: newStreamSecret(streamId),
    srtSecret: newStreamSecret(streamId),
    srtPlaybackSecret: newStreamSecret(streamId),
  };
  const sealed = await sealStream(env, streamId, secrets);
  const changed = await changeStream(env, key, (seen) => {
    const record = { ...seen, stream: { ...seen.stream, ...secrets, updatedAt: now } };
    const event = streamEvent("video.live_stream.updated", record, { id: crypto.randomUUID(), atMs: now.getTime() });
    return { set: { ...sealed, updatedAt: now }, record, event };
  });
  if (changed === null) return null;
  log("stream.key_rotated", key);
  return { record: changed.plan.record, committed: changed.committed };
}
