import type { Env } from "../../platform/env.ts";
import { callStream } from "./stream-calls.ts";
import type { LiveStream } from "./repository.ts";

/** Playing sessions of the last 30 s, as the live origin has told the stream's machine; 0 while nobody tells of any. */
export async function viewersOf(
  env: Env,
  { id: streamId, status }: Pick<LiveStream, "id" | "status">,
): Promise<number> {
  if (status === "idle" || status === "disabled") return 0;
  return (await callStream(env, streamId, "viewers", { streamId })).views;
}

/** For the live origin: how many are watching a session, to be told again before 30 s are over. */
export async function tellViewers(env: Env, streamId: string, sessionId: string, viewers: number): Promise<void> {
  await callStream(env, streamId, "watched", { sessionId, viewers });
}
