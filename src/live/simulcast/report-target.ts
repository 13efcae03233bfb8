import type { TargetState } from "../../../protocol/live.ts";
import { type Committed, commitWithEvents } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { findStream } from "../streams/repository.ts";
import { callStream } from "../streams/stream-calls.ts";
import { targetEvent } from "../streams/stream-event.ts";

const EVENT_OF = {
  starting: "video.live_stream.simulcast_target.starting",
  broadcasting: "video.live_stream.simulcast_target.broadcasting",
} as const;

/**
 * Announces the state of a target. It may be reported after the broadcaster has left, because a short broadcast can end before its targets
 * respond. A repeated report is the same event.
 *
 * @returns null when the target was removed meanwhile
 * @throws {Problem} session_over, when another session has begun
 */
export async function reportTarget(
  env: Env,
  { streamId, sessionId, connection }: SessionGrant,
  { eventId, simulcastId, state, at }: TargetState,
): Promise<Committed | null> {
  const { isLatest } = await callStream(env, streamId, "check", { sessionId, connection });
  if (!isLatest) throw new Problem("session_over", "another session has begun");
  const record = await findStream(env, null, streamId);
  const target = record?.targets.find(({ id }) => id === simulcastId);
  log("simulcast.target", { streamId, sessionId, simulcastId, state, isKnown: target !== undefined });
  if (target === undefined) return null;
  return await commitWithEvents(env, [], [{ event: targetEvent(EVENT_OF[state], target, at, eventId) }]);
}
