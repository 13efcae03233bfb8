import type { Env } from "../../platform/env.ts";
import { callStream } from "./stream-calls.ts";
import type { LiveStream } from "./repository.ts";

/** The viewers of the last 30 s, as the live origin reported them to the stream's machine; 0 without a recent report. */
export async function viewersOf(
  env: Env,
  { id: streamId, status }: Pick<LiveStream, "id" | "status">,
): Promise<number> {
  if (status === "idle" || status === "disabled") return 0;
  return (await callStream(env, streamId, "viewers", { streamId })).views;
}

/** For the live origin: reports the viewers of a session. A report is valid for 30 s. */
export async function reportViewers(env: Env, streamId: string, sessionId: string, viewers: number): Promise<void> {
  await callStream(env, streamId, "watched", { sessionId, viewers });
}
