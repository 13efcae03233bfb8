/**
 * The Worker in workerd, as a separate process: it can be killed and restarted on the same state.
 * Started by platform.ts with its settings as JSON in SLUICE_WORKER.
 */
import { lookup } from "node:dns/promises";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { logError } from "../../protocol/log.ts";
import type { Settings } from "./settings.ts";

/** The part of D1 that the setup needs. */
interface Database {
  exec(query: string): Promise<unknown>;
  prepare(query: string): Statement;
  batch(statements: Statement[]): Promise<unknown>;
}
interface Statement {
  bind(...values: unknown[]): Statement;
  all<T>(): Promise<{ results: T[] }>;
}

/** A separate worker for the static files, so that they are available without handling every request. */
const FILES = "sluice-files";
const CRON_MS = 60_000;
/** Work that became due just before a crash counts as overdue after this time. */
const SWEPT_AGAIN_MS = 6000;
const settings = JSON.parse(process.env.SLUICE_WORKER ?? "{}") as Settings & { workerPath: string };

async function resolveName(request: { url: string }): Promise<Response> {
  const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
  try {
    const found = await lookup(name, { all: true });
    return Response.json({ addresses: found.map(({ address }) => address) });
  } catch (error) {
    const isUnknown = ["ENOTFOUND", "ENODATA", "EAI_NONAME"].includes((error as NodeJS.ErrnoException).code ?? "");
    return Response.json({ addresses: [] }, { status: isUnknown ? 404 : 503 });
  }
}

interface WorkerOptions {
  compatibilityDate: string;
  bindings: Record<string, string>;
  serviceBindings: Record<string, unknown>;
  assets: { directory: string; assetConfig: unknown };
}
/** The settings of wrangler.toml. */
const workerOptions = () =>
  unstable_getMiniflareWorkerOptions("wrangler.toml").workerOptions as unknown as WorkerOptions;

/**
 * The Worker receives requests directly at the port. Miniflare's own route leads through three more isolates (its entry, and two that look
 * for static files first), which would use most of the CPU of a request. Its entry stays at a separate port, for the cron.
 */
function createHost(): Miniflare {
  const { assets, serviceBindings, ...options } = workerOptions();
  const { secrets } = settings;
  const host = "127.0.0.1";
  const worker = {
    ...options,
    name: "sluice",
    rootPath: process.cwd(),
    modules: [{ type: "ESModule", path: resolve(settings.workerPath) }],
    unsafeDirectSockets: [{ host, port: settings.port }],
    bindings: {
      ...options.bindings,
      ENCODER_URL: `http://127.0.0.1:${settings.encoderPort}`,
      PUBLIC_URL: `http://127.0.0.1:${settings.port}`,
      ALLOW_PRIVATE_NETWORK: String(settings.allowPrivateNetwork),
      JOB_SECRET: secrets.jobSecret,
      ENCODER_SECRET: secrets.encoderSecret,
      WEBHOOK_KEYS: secrets.webhookKeys,
      ...settings.vars,
    },
    serviceBindings: {
      ...serviceBindings,
      ASSETS: FILES,
      RESOLVER: resolveName,
      SOURCE_NETWORK: {
        network: {
          allow: settings.allowPrivateNetwork ? ["public", "private"] : ["public"],
          tlsOptions: { trustBrowserCas: true },
        },
      },
    },
  };
  const files = {
    name: FILES,
    rootPath: process.cwd(),
    compatibilityDate: options.compatibilityDate,
    modules: true,
    script: "export default { fetch: () => new Response(null, { status: 404 }) }",
    assets: { directory: assets.directory, assetConfig: assets.assetConfig, routerConfig: { has_user_worker: false } },
  };
  return new Miniflare(
    convertV4MiniflareOptions({
      host,
      port: 0,
      ...(settings.inspectorPort === undefined ? {} : { inspectorPort: settings.inspectorPort }),
      log: new Log(LogLevel.WARN),
      cf: false, // nothing is fetched from the network at start
      telemetry: { enabled: false },
      unsafeTriggerHandlers: true, // for the cron below
      resourcePersistencePath: join(settings.home, "state"),
      handleStructuredLogs: ({ message }: { message: string }) => process.stdout.write(`${message}\n`),
      workers: [worker, files],
    } as unknown as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
}

/** Applies new migrations and records them in wrangler's table. */
async function migrate(database: Database): Promise<void> {
  await database.exec(
    "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
  );
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const files = (await readdir("migrations")).filter((name) => name.endsWith(".sql")).sort();
  for (const name of files.filter((file) => !applied.has(file))) {
    const statements = (await readFile(join("migrations", name), "utf8")).split("--> statement-breakpoint");
    await database.batch([
      ...statements.map((statement) => database.prepare(statement.trim())),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
}

/** Creates the local workspace and its credentials at the first start. */
async function seed(database: Database): Promise<void> {
  const { organisationId, workspaceId, username, password } = settings.secrets;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(password));
  const now = Date.now();
  await database.batch([
    database
      .prepare("INSERT OR IGNORE INTO organisations (id, name, created_at) VALUES (?, 'Local', ?)")
      .bind(organisationId, now),
    database
      .prepare("INSERT OR IGNORE INTO workspaces (id, organisation_id, name, created_at) VALUES (?, ?, 'Local', ?)")
      .bind(workspaceId, organisationId, now),
    database
      .prepare(
        "INSERT OR IGNORE INTO credentials (id, workspace_id, name, secret_hash, created_at) VALUES (?, ?, 'Local', ?, ?)",
      )
      .bind(username, workspaceId, Buffer.from(digest).toString("hex"), now),
  ]);
}

/**
 * Sets up the database in a separate host, before the Worker runs: calls through miniflare's proxies block this thread until workerd has
 * answered, and a busy workerd blocks until this thread reads its log.
 */
async function setUp(): Promise<void> {
  const { d1Databases, compatibilityDate } = unstable_getMiniflareWorkerOptions("wrangler.toml").workerOptions;
  const host = new Miniflare(
    convertV4MiniflareOptions({
      name: "sluice",
      modules: true,
      script: "export default {}",
      compatibilityDate,
      cf: false,
      telemetry: { enabled: false },
      resourcePersistencePath: join(settings.home, "state"),
      d1Databases,
    } as unknown as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  try {
    const database = (await host.getD1Database("DB")) as unknown as Database;
    await migrate(database);
    await seed(database);
  } finally {
    await host.dispose();
  }
}

await setUp();
const host = createHost();
await host.ready;

/** Triggers the cron over HTTP, for the same reason. */
async function sweep(): Promise<void> {
  try {
    const answer = await host.dispatchFetch("http://localhost/cdn-cgi/local/scheduled?cron=*+*+*+*+*");
    const text = await answer.text();
    if (!answer.ok) logError("cron.failed", { error: text });
  } catch (error) {
    logError("cron.failed", { error: String(error) });
  }
}
const cron = setInterval(() => void sweep(), CRON_MS);
void sweep(); // recovers interrupted work without waiting for the first minute
setTimeout(() => void sweep(), SWEPT_AGAIN_MS).unref();

let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  clearInterval(cron);
  void host.dispose().finally(() => process.exit(0));
};
process.on("SIGTERM", stop);
process.on("SIGINT", () => undefined); // the platform decides when to stop
process.on("disconnect", stop);
process.send?.({ ready: true });
