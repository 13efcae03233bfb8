import type { Env } from "../../platform/env.ts";
import { findStream } from "./repository.ts";
import { streamMachine } from "./stream-calls.ts";

/**
 * The viewers of the last 30 s, as the live origin reported them to the stream's machine; 0 without a recent report. Null when there is
 * no such stream.
 */
export async function countViewers(
  env: Env,
  { workspaceId, streamId }: { workspaceId: string; streamId: string },
): Promise<number | null> {
  const record = await findStream(env, workspaceId, streamId);
  if (record === null) return null;
  const { status } = record.stream;
  if (status === "idle" || status === "disabled") return 0;
  return await streamMachine(env, streamId).countViewers();
}
