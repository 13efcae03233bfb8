import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log, logWarning } from "../../platform/log.ts";
import { callStream } from "./stream-calls.ts";
import { forgetGateways, takeNeglected } from "./repository.ts";

const LOOK_AFTER_MS = 5 * 60_000;
const AT_ONCE = 200;
const GATEWAYS_KEEP_MS = 24 * 3600_000;

/**
 * Asks the machines of streams that are on air by their rows, every five minutes: one whose alarm was lost goes on, and a row that
 * is behind is brought up to date. Harmless for what is well.
 */
export async function sweepStreams(env: Env, now: Date): Promise<void> {
  const db = openDatabase(env.DB);
  const ids = await takeNeglected(db, new Date(now.getTime() - LOOK_AFTER_MS), now, AT_ONCE);
  await Promise.all(
    ids.map(async (streamId) => {
      try {
        const { status } = await callStream(env, streamId, "wake", { streamId });
        log("stream.swept", { streamId, status });
      } catch (error) {
        logWarning("stream.sweep_failed", { streamId, error: String(error) });
      }
    }),
  );
  await forgetGateways(db, new Date(now.getTime() - GATEWAYS_KEEP_MS));
}
