import type { Env } from "../../platform/env.ts";

/** The connection to R2 SQL, and the stream that fills its table. */
export interface R2SqlSettings {
  /** URL of the query endpoint, with account and bucket. */
  url: string;
  /** `namespace.table` */
  table: string;
  token: string;
  stream: ViewStream;
}

/** A Pipelines stream: `send` resolves when the records are stored there. */
export interface ViewStream {
  send(records: Record<string, unknown>[]): Promise<void>;
}

const NAMES = ["R2_SQL_URL", "R2_SQL_TABLE", "R2_SQL_TOKEN", "VIEW_STREAM"] as const;

/** The settings that are missing for the distributed engine. */
export const missingR2Sql = (env: Env): string[] => NAMES.filter((name) => !env[name]);

/** @returns null = the installation has no distributed engine */
export function r2SqlSettings({ R2_SQL_URL, R2_SQL_TABLE, R2_SQL_TOKEN, VIEW_STREAM }: Env): R2SqlSettings | null {
  if (!R2_SQL_URL || !R2_SQL_TABLE || !R2_SQL_TOKEN || VIEW_STREAM === undefined) return null;
  return { url: R2_SQL_URL, table: R2_SQL_TABLE, token: R2_SQL_TOKEN, stream: VIEW_STREAM };
}
