import type { Env } from "../../platform/env.ts";
import { streamMachine } from "./stream-calls.ts";

/** For the live origin: reports the viewers of a session. A report is valid for 30 s. */
export async function reportViewers(env: Env, streamId: string, sessionId: string, viewers: number): Promise<void> {
  await streamMachine(env, streamId).reportViewers(sessionId, viewers);
}
