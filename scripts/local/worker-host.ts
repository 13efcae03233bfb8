/**
 * The Worker in workerd, as a separate process: it can be killed and restarted on the same state.
 * Started by platform.ts with its settings as JSON in SLUICE_WORKER.
 */
import { lookup } from "node:dns/promises";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from "miniflare";
import { startCron } from "./cron.ts";
import type { WorkerOptions } from "./file-options.ts";
import { setUpDatabase } from "./set-up-database.ts";
import { loadErrorIn } from "./load-error.ts";
import type { PartMessage } from "./part.ts";
import { type Settings, StartError } from "./settings.ts";
import { mapBeside, withSourcePlaces } from "./source-places.ts";

/** A separate Worker for the static files, so that they do not handle every request. */
const FILES = "sluice-files";
const settings = JSON.parse(process.env.SLUICE_WORKER ?? "{}") as HostSettings;

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

export interface HostSettings extends Settings {
  workerPath: string;
  /** The settings of wrangler.toml. */
  options: WorkerOptions;
  /** The migrations were already applied by this platform. */
  isDatabaseReady: boolean;
}

/**
 * The Worker receives requests directly at the port. Miniflare's own route leads through three more isolates (its entry, and two that look
 * for static files first), which would use most of the CPU of a request. Its entry stays at a separate port, for the cron.
 */
function createHost(): Miniflare {
  const { assets, serviceBindings, ...options } = settings.options;
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
      ...settings.optionalSecrets,
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
      resourcePersistencePath: state,
      handleStructuredLogs: ({ message }: { message: string }) =>
        process.stdout.write(`${withSourcePlaces(message)}\n`),
      workers: [worker, files],
    } as unknown as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
}

/** A failed migration ends the start, because a repeat would fail again. */
async function setUpOrEnd(): Promise<void> {
  try {
    await setUpDatabase(state, settings.secrets);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    await end(error.message);
  }
}

/** Code that throws while it is loaded throws again after a restart. A taken port may be free by then. */
async function untilLoaded(host: Miniflare): Promise<void> {
  try {
    await host.ready;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_ADDRESS_IN_USE") await tell({ takenPort: settings.port });
    const loadError = loadErrorIn(String(error), { path: resolve(settings.workerPath), mapOf: mapBeside });
    if (loadError === null) throw error;
    await end(loadError);
  }
}

async function end(reason: string): Promise<void> {
  console.error(reason);
  await tell({ failed: reason });
  process.exit(1);
}

const tell = (message: PartMessage) => new Promise((sent) => process.send?.(message, sent));

const state = join(settings.home, "state");
if (!settings.isDatabaseReady) await setUpOrEnd();
const host = createHost();
await untilLoaded(host);

// Over HTTP, because calls through miniflare's proxies block this thread (`database.ts`).
const stopCron = startCron((path) => host.dispatchFetch(`http://localhost${path}`));

let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  stopCron();
  void host.dispose().finally(() => process.exit(0));
};
process.on("SIGTERM", stop);
process.on("SIGINT", () => undefined); // the platform decides when to stop
process.on("disconnect", stop);
process.send?.({ ready: true });
