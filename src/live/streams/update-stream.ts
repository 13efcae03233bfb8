import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import type { Committed } from "../../events/webhooks/index.ts";
import { changeStream } from "./change-stream.ts";
import { streamMachine } from "./stream-calls.ts";
import type { LiveStream, StreamRecord } from "./repository.ts";
import { streamEvent } from "./stream-event.ts";

/**
 * Changes an owner's settings of a stream, with `video.live_stream.updated` unless nothing is to be changed. Null when there is no such
 * stream.
 */
export async function updateStream(
  env: Env,
  key: { workspaceId: string; streamId: string },
  change: Partial<Pick<LiveStream, "metadata" | "reconnectWindowS" | "allowViewerClips">>,
  now: Date,
): Promise<{ record: StreamRecord; committed: Committed } | null> {
  const changed = await changeStream(env, key, (seen) => {
    if (Object.keys(change).length === 0) return { record: seen, event: null };
    const set = { ...change, updatedAt: now };
    const record = { ...seen, stream: { ...seen.stream, ...set } };
    const event = streamEvent("video.live_stream.updated", record, { id: crypto.randomUUID(), atMs: now.getTime() });
    return { set, record, event };
  });
  if (changed === null) return null;
  const { streamId } = key;
  const { reconnectWindowS } = change;
  // Applies to the current broadcast too. If this call is lost, it applies from the next one.
  if (reconnectWindowS !== undefined)
    await streamMachine(env, streamId)
      .changeReconnectWindow(reconnectWindowS)
      .catch((error: unknown) => logWarning("stream.configure_failed", { streamId, ...errorFields(error) }));
  return { record: changed.plan.record, committed: changed.committed };
}
