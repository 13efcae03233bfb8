import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { readBaseConfig } from "../deploy/config.ts";
import { insertWorkspace } from "../workspaces/statements.ts";
import { type Secrets, StartError } from "./settings.ts";

/** The part of D1 that the scripts need. */
export interface LocalDatabase {
  exec(query: string): Promise<unknown>;
  /** A statement that can be repeated: `all` repeats it while a running platform holds the database's lock. */
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

/** How D1 says that another process holds the lock. */
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

/** Applies new migrations, and creates the local workspace and its credentials at the first start. */
export async function setUpDatabase(statePath: string, secrets: Secrets): Promise<void> {
  const { organisationId, workspaceId, username, password } = secrets;
  await withLocalDatabase(statePath, async (database) => {
    await applyMigrations(database);
    const statements = insertWorkspace(
      { organisationId, workspaceId, name: "Local" },
      { username, password, name: "Local" },
    );
    await database.batch(statements.map((sql) => database.prepare(sql)));
  });
}

/**
 * Applies new migrations and records them in wrangler's table.
 *
 * @throws {StartError} names the migration that fails; those before it stay applied
 */
export async function applyMigrations(database: LocalDatabase, folder = "migrations"): Promise<void> {
  await database.exec(
    "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
  );
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  for (const name of files.filter((file) => !applied.has(file))) {
    const statements = (await readFile(join(folder, name), "utf8")).split("--> statement-breakpoint");
    try {
      await database.batch([
        ...statements.map((statement) => database.prepare(statement.trim())),
        database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
      ]);
    } catch (error) {
      throw new StartError(`${join(folder, name)} cannot be applied: ${(error as Error).message}`);
    }
  }
}
