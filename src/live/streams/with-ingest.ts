import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { ingestBases } from "./ingest-bases.ts";
import { ingestUrls } from "./ingest-urls.ts";
import type { StreamRecord } from "./repository.ts";
import { toStream } from "./to-stream.ts";

/** The records of streams with their current ingest addresses. */
export async function withIngest(env: Env, records: StreamRecord[], publicUrl: string, now: Date) {
  const bases = await ingestBases(openDatabase(env.DB), env, now);
  return records.map((record) => ({ ...toStream(record), ingest: ingestUrls(bases, record.stream, publicUrl) }));
}
