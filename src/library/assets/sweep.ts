import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { assetMachine } from "./asset-calls.ts";
import { findStrayTracks } from "../tracks/store/repository.ts";
import { startInsights } from "./start-insights.ts";
import { findStrayInsights } from "../insights/store/repository.ts";
import { startTracks } from "./start-tracks.ts";
import { findStrays, type OffAir } from "./repository.ts";

/** An asset is swept when its row has not changed for this long: its machine may never have been started. */
const SILENT_MS = 60_000;
const AT_ONCE = 100;

/** Restarts assets that a crash left between two steps. Harmless for assets that are merely slow. @param isOffAir from live/ */
export async function sweepAssets(env: Env, now: Date, isOffAir: OffAir): Promise<void> {
  const db = openDatabase(env.DB);
  const before = new Date(now.getTime() - SILENT_MS);
  const turn = { limit: AT_ONCE, now };
  const strays = await findStrays(db, before, AT_ONCE, isOffAir);
  await startTracks(env, await findStrayTracks(db, before, turn));
  await startInsights(env, await findStrayInsights(db, before, turn));
  await Promise.all(
    strays.map(async ({ id, isDeleted }) => {
      const machine = assetMachine(env, id);
      log("asset.swept", { assetId: id, isDeleted });
      await (isDeleted ? machine.remove(id) : machine.start(id));
    }),
  );
}
