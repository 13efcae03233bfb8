import type { Database } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { chooseBases, type IngestBases } from "./ingest-urls.ts";
import { livingGateways } from "./repository.ts";

/** The current ingest addresses. */
export const ingestBases = async (db: Database, env: Env, now: Date): Promise<IngestBases> =>
  chooseBases(await livingGateways(db, now), env);
