import { existsSync } from "node:fs";
import { VARIABLE_NAMES } from "../../src/platform/variables.ts";
import { keepResult } from "../keep-result.ts";
import { OPTIONAL_SECRETS, SECRET_NAMES } from "../secrets/fresh.ts";

/** The part of Miniflare's options for a Worker that the platform changes. */
export interface WorkerOptions {
  compatibilityDate: string;
  bindings: Record<string, string>;
  serviceBindings: Record<string, unknown>;
  assets: { directory: string; assetConfig: unknown };
}

let options: Promise<WorkerOptions> | undefined;
/**
 * The settings of wrangler.toml, with the variables of files. Kept, because loading wrangler takes a second of CPU time. The environment of a start is
 * no part of them: `settings.vars` has its variables.
 */
export const readOptions = () => (options ??= hasEnvFiles() ? loadOptions() : keptOptions());

const keptOptions = () => keepResult("file-options", null, async () => ({ value: await loadOptions(), inputs: FILES }));

/** Files from which wrangler reads settings and variables. */
const ENV_FILES = [".env", ".env.local"];
const FILES = ["wrangler.toml", ".dev.vars", ...ENV_FILES];

/** wrangler expands variables of the environment in these files, so their values may differ at each start. */
const hasEnvFiles = () => ENV_FILES.some((file) => existsSync(file));

export async function loadOptions(): Promise<WorkerOptions> {
  process.env["WRANGLER_LOG"] ??= "error"; // avoids a warning about missing secrets, which the host adds
  const { unstable_getMiniflareWorkerOptions: read } = await import("wrangler");
  // wrangler takes every variable of wrangler.toml from the environment too.
  const own = Object.entries(process.env).filter(([name]) => OWN_NAMES.has(name));
  try {
    for (const [name] of own) delete process.env[name];
    return read("wrangler.toml").workerOptions as unknown as WorkerOptions;
  } finally {
    Object.assign(process.env, Object.fromEntries(own));
  }
}

const OWN_NAMES = new Set<string>([...VARIABLE_NAMES, ...SECRET_NAMES, ...OPTIONAL_SECRETS]);
