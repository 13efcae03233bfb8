import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { streamMachine } from "./stream-calls.ts";
import { forgetGateways, takeUnswept } from "./repository.ts";

const INTERVAL_MS = 5 * 60_000;
const AT_ONCE = 200;
const GATEWAYS_KEEP_MS = 24 * 3600_000;

/**
 * Wakes the machine of every stream whose row says that it is on air, every five minutes. Repairs a lost alarm and an outdated row;
 * otherwise it changes nothing.
 */
export async function sweepStreams(env: Env, now: Date): Promise<void> {
  const db = openDatabase(env.DB);
  const ids = await takeUnswept(db, new Date(now.getTime() - INTERVAL_MS), now, AT_ONCE);
  await Promise.all(
    ids.map(async (streamId) => {
      try {
        const { status } = await streamMachine(env, streamId).wake(streamId);
        log("stream.swept", { streamId, status });
      } catch (error) {
        logWarning("stream.sweep_failed", { streamId, ...errorFields(error) });
      }
    }),
  );
  await forgetGateways(db, new Date(now.getTime() - GATEWAYS_KEEP_MS));
}
