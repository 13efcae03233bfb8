import type { TargetState } from "../../../protocol/live.ts";
import { type Committed, commitWithEvents } from "../../events/webhooks/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { findStream } from "../streams/repository.ts";
import { streamMachine } from "../streams/stream-calls.ts";
import { targetEvent } from "../streams/stream-event.ts";
import { keepReport } from "../streams/targets.ts";

/** The contract has no events for failures and ends. */
const EVENT_OF = {
  starting: "video.live_stream.simulcast_target.starting",
  broadcasting: "video.live_stream.simulcast_target.broadcasting",
  failed: null,
  ended: null,
} as const;

/**
 * Keeps the state of a target for its record, and announces it. A failure is kept when the broadcast ends after it. It may be reported after the
 * broadcaster has left, because a short broadcast can end before its targets respond. A repeated report is the same event.
 *
 * @returns null when the target was removed meanwhile
 * @throws {Problem} session_over, when another session has begun
 */
export async function reportTarget(
  env: Env,
  { streamId, sessionId, connection }: SessionGrant,
  { eventId, simulcastId, state, failure, at }: TargetState,
): Promise<Committed | null> {
  const { isLatest } = await streamMachine(env, streamId).checkConnection({ sessionId, connection });
  if (!isLatest) throw new Problem("session_over", "another session has begun");
  const record = await findStream(env, null, streamId);
  const target = record?.targets.find(({ id }) => id === simulcastId);
  log("simulcast.target", { streamId, sessionId, simulcastId, state, isKnown: target !== undefined });
  if (target === undefined || (state === "ended" && target.report?.state === "failed")) return null;
  const type = EVENT_OF[state];
  const report = { state, at, ...(failure && { failure }) };
  const events = type === null ? [] : [{ event: targetEvent(type, target, at, eventId) }];
  return await commitWithEvents(env, [keepReport(openDatabase(env.DB), simulcastId, report)], events);
}
