import { setTimeout as pause } from "node:timers/promises";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { readBaseConfig } from "../deploy/config.ts";

/** The part of D1 that the scripts need. */
export interface LocalDatabase {
  exec(query: string): Promise<unknown>;
  /** A repeatable statement: `all` retries it while a running platform holds the database's lock. */
  prepare(query: string): Statement;
  batch(statements: Statement[]): Promise<unknown>;
}
interface Statement {
  bind(...values: unknown[]): Statement;
  all<T>(): Promise<{ results: T[] }>;
}

/** Executes a batch of statements. A call through miniflare's proxies would take a round trip for each statement. */
const EXECUTE = `export default {
  async fetch(request, { DB }) {
    const statements = await request.json();
    try {
      const answers = await DB.batch(statements.map(({ sql, values }) => DB.prepare(sql).bind(...values)));
      return Response.json(answers.map(({ results }) => ({ results })));
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};`;

/**
 * Opens the data of a local platform in a host without the Worker: calls through miniflare's proxies block this thread until workerd has
 * answered, and a busy workerd blocks until this thread reads its log.
 *
 * @param statePath the folder in which miniflare keeps all data
 */
export async function withLocalData<T>(statePath: string, use: (host: Miniflare) => Promise<T>): Promise<T> {
  const config = await readBaseConfig();
  const host = new Miniflare(
    convertV4MiniflareOptions({
      name: "sluice",
      modules: true,
      script: EXECUTE,
      compatibilityDate: config.compatibility_date,
      cf: false,
      telemetry: { enabled: false },
      resourcePersistencePath: statePath,
      d1Databases: { DB: config.d1_databases?.[0]?.database_id }, // the id that wrangler uses locally too
      r2Buckets: { MEDIA: config.r2_buckets?.[0]?.bucket_name },
    } as unknown as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  try {
    return await use(host);
  } finally {
    await host.dispose();
  }
}

export const withLocalDatabase = <T>(statePath: string, use: (database: LocalDatabase) => Promise<T>): Promise<T> =>
  withLocalData(statePath, async (host) => {
    await host.ready;
    return await use(databaseIn(host));
  });

type Batch = { sql: string; values: unknown[] }[];

/** D1's message when another process holds the lock. */
const LOCKED = /database is locked|session commit token/;
const LOCKED_TRIES = 20;
const LOCKED_PAUSE_MS = 100;

async function untilUnlocked<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (tries === LOCKED_TRIES || !LOCKED.test((error as Error).message)) throw error;
      await pause(LOCKED_PAUSE_MS);
    }
}

function databaseIn(host: Miniflare): LocalDatabase {
  const execute = async (batch: Batch) => {
    const answer = await host.dispatchFetch("http://localhost/", { method: "POST", body: JSON.stringify(batch) });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { results: never[] }[];
  };
  const statement = (sql: string, values: unknown[] = []): Statement & Batch[number] => ({
    sql,
    values,
    bind: (...given) => statement(sql, given),
    all: async () => (await untilUnlocked(() => execute([{ sql, values }])))[0]!,
  });
  return {
    exec: (sql) => execute([{ sql, values: [] }]),
    prepare: (sql) => statement(sql),
    batch: (statements) => execute(statements as unknown as Batch),
  };
}
