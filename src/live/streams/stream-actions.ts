import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { Problem, type ProblemCode } from "../../platform/http/problems.ts";
import { streamMachine } from "./stream-calls.ts";
import { findStream, type StreamRecord } from "./repository.ts";

const REFUSALS = {
  finish: ["stream_not_active", "only a stream that is on air can be finished"],
  disable: ["stream_disabled", "it refuses broadcasters already"],
  enable: ["stream_enabled", "it takes broadcasters already"],
  remove: ["stream_not_found", "no stream has this id"],
} as const satisfies Record<string, readonly [ProblemCode, string]>;

/**
 * Carries out an owner's action on a stream. The stream's machine has completed it when this returns. `finish` stops the broadcaster first;
 * other actions end its session, and its next heartbeat is answered with the reason. Null when there is no such stream.
 *
 * @throws {Problem} when nothing would change (media contract, live streams)
 */
export async function actOnStream(
  env: Env,
  { workspaceId, streamId }: { workspaceId: string; streamId: string },
  action: keyof typeof REFUSALS,
): Promise<StreamRecord | null> {
  const record = await findStream(env, workspaceId, streamId);
  if (record === null) return null;
  const { moved } = await streamMachine(env, streamId)[action](streamId);
  const [problem, detail] = REFUSALS[action];
  if (!moved) throw new Problem(problem, detail);
  log(`stream.${action}`, { streamId, workspaceId });
  return record;
}
