import type { SimulcastTargets } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { sessionOver } from "../ingest/session-over.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { findStream } from "../streams/repository.ts";
import { streamMachine } from "../streams/stream-calls.ts";

/**
 * The targets that get the broadcast. The keys of other platforms are returned during the broadcast only; a token is valid for hours after its
 * session.
 *
 * @throws {Problem} session_over
 */
export async function listTargets(
  env: Env,
  { streamId, sessionId, connection }: SessionGrant,
): Promise<SimulcastTargets> {
  const { isCurrent } = await streamMachine(env, streamId).checkConnection({ sessionId, connection });
  if (!isCurrent) throw sessionOver();
  const record = await findStream(env, null, streamId, { opens: "targets" });
  if (record === null) throw new Problem("session_over", "the stream is deleted");
  const enabled = record.targets.filter(({ isEnabled }) => isEnabled);
  return {
    total: record.targets.length,
    targets: enabled.map(({ id, url, streamKey }) => ({ simulcastId: id, url, streamKey })),
    allowsPrivateNetwork: allowsPrivateNetwork(env),
  };
}
