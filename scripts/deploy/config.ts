import { readFile, writeFile } from "node:fs/promises";
import { parse } from "smol-toml";
import type { Unstable_RawConfig } from "wrangler";
import { deployedVariableProblem } from "../../src/platform/variables.ts";
import { bindingsProblems } from "./bindings-problem.ts";
import { DeployError, type DeploySettings } from "./settings.ts";
import { variablesProblems } from "./variables-problems.ts";

/** wrangler's configuration of a deployment: `wrangler.toml` with the owner's settings, in a file that git ignores. */
export const CONFIG_FILE = "wrangler.deploy.json";

export type WranglerConfig = Unstable_RawConfig;

const BASE_FILE = "wrangler.toml";

/** @throws {DeployError} when it is not TOML */
export async function readBaseConfig(): Promise<WranglerConfig> {
  const text = await readFile(BASE_FILE, "utf8");
  try {
    return parse(text);
  } catch (error) {
    throw new DeployError(`${BASE_FILE} is not TOML: ${(error as Error).message}`);
  }
}

/**
 * Derives the configuration of a deployment. Paths are relative to the repository's root, as in `wrangler.toml`.
 *
 * @throws {DeployError} naming each variable of `wrangler.toml` that is forbidden in a deployment, missing or unknown to the code, and each missing
 *   binding. Variables of the settings are checked before
 */
export function deriveConfig(base: WranglerConfig, settings: DeploySettings, databaseId: string): WranglerConfig {
  const problems = bindingsProblems(base);
  if (problems.length > 0) throw new DeployError(`${problems.join(".\n")}.`);
  /** `sluice-media` of the installation `acme` is `acme-media`: two installations in one account share nothing. */
  const named = (name: string) => name.replace(/^sluice(?=-|$)/, settings.name);
  const { containers, ...rest } = base;
  const { maxInstances, instanceType, whisper } = settings.encoders;
  const { queues, d1_databases, r2_buckets, ratelimits } = base;
  const vars: Record<string, string> = {
    ...(base.vars as Record<string, string>),
    ...settings.vars,
    ...(maxInstances === undefined ? {} : { ENCODER_CONTAINERS: String(maxInstances) }),
    PUBLIC_URL: settings.publicUrl ?? "",
  };
  requireDeployable(base, vars, settings.containers && maxInstances === undefined ? (containers ?? []) : []);
  return {
    ...rest,
    name: settings.name,
    workers_dev: settings.workersDev,
    ...(settings.accountId === undefined ? {} : { account_id: settings.accountId }),
    ...(settings.routes.length === 0
      ? {}
      : {
          routes: settings.routes.map((route) =>
            typeof route === "string" ? { pattern: route, custom_domain: true } : route,
          ),
        }),
    vars,
    d1_databases: (d1_databases ?? []).map((database) => ({
      ...database,
      database_name: named(database.database_name ?? ""),
      database_id: databaseId,
    })),
    r2_buckets: (r2_buckets ?? []).map((bucket) => ({ ...bucket, bucket_name: named(String(bucket.bucket_name)) })),
    queues: {
      producers: (queues?.producers ?? []).map((producer) => ({ ...producer, queue: named(String(producer.queue)) })),
      consumers: (queues?.consumers ?? []).map((consumer) => ({
        ...consumer,
        queue: named(consumer.queue),
        ...(consumer.dead_letter_queue === undefined ? {} : { dead_letter_queue: named(consumer.dead_letter_queue) }),
      })),
    },
    ...(settings.viewStream === undefined
      ? {}
      : { pipelines: [{ binding: "VIEW_STREAM", stream: settings.viewStream }] }),
    // Not in wrangler.toml: the binding is always remote, so `wrangler dev` would ask for a login.
    ...(settings.ai ? { ai: { binding: "AI" } } : {}),
    ratelimits: (ratelimits ?? []).map((limit) => ({
      ...limit,
      namespace_id: String(Number(limit.namespace_id) + offsetOf(settings.name)),
    })),
    ...(settings.containers
      ? {
          containers: (containers ?? []).map((container) => ({
            ...container,
            ...(maxInstances === undefined ? {} : { max_instances: maxInstances }),
            ...(whisper === undefined ? {} : { image_vars: { ...container.image_vars, WHISPER: whisper } }),
            ...(instanceType === undefined ? {} : { instance_type: instanceType }),
          })),
        }
      : {}),
  };
}

function requireDeployable(
  base: WranglerConfig,
  vars: Record<string, string>,
  containers: { max_instances?: number | undefined }[],
): void {
  const values = Object.entries(vars).flatMap(([name, value]) => deployedVariableProblem(name, value) ?? []);
  const count = vars["ENCODER_CONTAINERS"] ?? "";
  const counts = containers.flatMap(({ max_instances: most }) =>
    most === undefined || String(most) === count
      ? []
      : [
          `ENCODER_CONTAINERS is ${count} and max_instances is ${most}; jobs are distributed over the first number of Containers`,
        ],
  );
  const problems = [...variablesProblems(base), ...values, ...counts];
  if (problems.length > 0) throw new DeployError(problems.map((problem) => `${BASE_FILE}: ${problem}`).join("\n"));
}

/** Cloudflare counts rate limits per account and number, so each installation needs another number. */
function offsetOf(name: string): number {
  if (name === "sluice") return 0;
  let hash = 0;
  for (const char of name) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_000;
  return 1 + hash;
}

/** Names of the resources that the configuration's bindings need. */
export interface ResourceNames {
  worker: string;
  database: string;
  buckets: string[];
  queues: string[];
}

export function resourceNames({ name, d1_databases, r2_buckets, queues }: WranglerConfig): ResourceNames {
  const consumers = queues?.consumers ?? [];
  return {
    worker: name ?? "",
    database: d1_databases?.[0]?.database_name ?? "",
    buckets: (r2_buckets ?? []).map(({ bucket_name }) => String(bucket_name)),
    queues: [
      ...new Set([
        ...(queues?.producers ?? []).map(({ queue }) => String(queue)),
        ...consumers.map(({ queue }) => queue),
        ...consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []),
      ]),
    ],
  };
}

export const writeConfig = (config: WranglerConfig, file = CONFIG_FILE): Promise<void> =>
  writeFile(file, `${JSON.stringify(config, null, 2)}\n`);
