import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readBaseConfig, type WranglerConfig } from "../deploy/config.ts";
import { bindingsProblems } from "../deploy/bindings-problem.ts";
import { DeployError } from "../deploy/settings.ts";
import { variablesProblems } from "../deploy/variables-problems.ts";
import { freshSecret, OPTIONAL_SECRETS } from "../secrets/fresh.ts";
import { secretList } from "../../protocol/secrets.ts";
import { CommandError } from "../../sdk/cli/terminal/usage-error.ts";
import { BrokenFile, readTexts } from "../../sdk/cli/session/read-texts.ts";
import { writeTextPrivately } from "../../sdk/cli/session/write-privately.ts";
import { VARIABLE_NAMES, variableProblem } from "../../src/platform/variables.ts";
import { makePrivateFolder } from "./private-folder.ts";

/** Data folder and ports of a local platform. */
export interface Settings {
  home: string;
  port: number;
  encoderPort: number;
  /** The gateway's ports: RTMP, SRT, and HTTP for pushes that the Worker forwards. Null = no gateway; the encoder accepts pushes. */
  ingestPorts: { rtmp: number; srt: number; http: number } | null;
  /** Also fetch sources on private addresses, such as files on this machine. */
  allowPrivateNetwork: boolean;
  secrets: Secrets;
  /** Additional variables for the Worker, such as JOB_LEASE_MS. */
  vars: Record<string, string>;
  /** The optional secrets that are set. */
  optionalSecrets: Record<string, string>;
  /** The URL of a clip that this process serves meanwhile, for the guides' commands; absent = none. */
  clip?: string;
  /** Port of the Worker's inspector, for measurements; absent = no inspector. */
  inspectorPort?: number;
}

/** Created once, stored in the home with mode 0600. */
export interface Secrets {
  organisationId: string;
  workspaceId: string;
  username: string;
  password: string;
  jobSecret: string;
  encoderSecret: string;
  webhookKeys: string;
}

/** Where `wrangler dev` keeps D1, R2, queues and Durable Objects. */
export const WRANGLER_STATE = ".wrangler/state/v3";

export class StartError extends CommandError {}

async function loadSecrets(home: string): Promise<Secrets> {
  const path = join(home, "secrets.json");
  const kept = await readFile(path, "utf8").catch(() => null);
  if (kept !== null) {
    const secrets = parseSecrets(kept, path);
    const { webhookKeys } = secrets;
    if (webhookKeys !== undefined) return requireUsable({ ...secrets, webhookKeys }, path);
    await writePrivately(path, { ...secrets, webhookKeys: freshSecret("WEBHOOK_KEYS") }); // from a release without webhooks
    return loadSecrets(home);
  }
  const made: Secrets = {
    organisationId: randomUUID(),
    workspaceId: randomUUID(),
    username: randomUUID(),
    password: randomBytes(32).toString("base64url"),
    jobSecret: freshSecret("JOB_SECRET"),
    encoderSecret: freshSecret("ENCODER_SECRET"),
    webhookKeys: freshSecret("WEBHOOK_KEYS"),
  };
  await writePrivately(path, made);
  return made;
}

/** Every release has these; `webhookKeys` came later. */
const FIRST_SECRETS = ["organisationId", "workspaceId", "username", "password", "jobSecret", "encoderSecret"] as const;

/** @throws {StartError} */
function parseSecrets(content: string, path: string): Omit<Secrets, "webhookKeys"> & { webhookKeys?: string } {
  try {
    return readTexts(path, content, FIRST_SECRETS);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new StartError(`${error.message}. Correct it, or delete it so that new secrets are created.`);
  }
}

/** @throws {StartError} */
function requireUsable(secrets: Secrets, path: string): Secrets {
  try {
    secretList("jobSecret", secrets.jobSecret);
    secretList("encoderSecret", secrets.encoderSecret);
    return secrets;
  } catch (error) {
    throw new StartError(`${(error as Error).message}. Correct ${path}, or delete it so that new secrets are created.`);
  }
}

/** Writes the file atomically, readable by its owner only. */
export const writePrivately = (path: string, content: unknown): Promise<void> =>
  writeTextPrivately(path, `${JSON.stringify(content, null, 2)}\n`);

function readPort(name: string, fallback: number, env: NodeJS.ProcessEnv): number {
  const text = env[name];
  if (text === undefined || text === "") return fallback;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new StartError(`${name} is "${text}"; it must be a port number from 1 to 65535.`);
  return port;
}

/** @throws {StartError} when two of them have the same number */
function requireDifferent<Ports extends Record<string, number>>(ports: Ports): Ports {
  const named = Object.entries(ports);
  for (const [index, [name, port]] of named.entries()) {
    const other = named.slice(index + 1).find(([, another]) => another === port)?.[0];
    if (other !== undefined)
      throw new StartError(`${name} and ${other} are both ${port}; each needs a port of its own.`);
  }
  return ports;
}

/** Checks the variables and the bindings of `wrangler.toml`, which the Worker gets too. @throws {StartError} */
async function requireUsableConfig(): Promise<void> {
  const config: WranglerConfig | null = await readBaseConfig().catch((error: unknown) => {
    if (error instanceof DeployError) throw new StartError(error.message);
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null; // reported as missing by another part of the start
    throw error;
  });
  if (config === null) return;
  const values = Object.entries(config.vars ?? {}).flatMap(
    ([name, value]) => variableProblem(name, typeof value === "string" ? value : JSON.stringify(value)) ?? [],
  );
  const problems = [...variablesProblems(config), ...values, ...bindingsProblems(config)];
  if (problems.length > 0) throw new StartError(`${problems.join(".\n")}. Correct wrangler.toml.`);
}

/** @throws {StartError} */
async function makeHome(home: string): Promise<void> {
  try {
    // The home becomes private with them when it is new: the guides' commands write secrets there. The state is all data of all workspaces.
    for (const name of ["logs", "state"]) await makePrivateFolder(join(home, name));
  } catch (error) {
    throw new StartError(
      `${home} cannot be the folder of data: ${(error as Error).message}. Name another one with SLUICE_HOME.`,
    );
  }
}

/** `loadSettings` reads it itself. */
const FROM_ENVIRONMENT = VARIABLE_NAMES.filter((name) => name !== "ALLOW_PRIVATE_NETWORK");

/** The values of the names that have one. */
export const valuesOf = (names: readonly string[], env: Partial<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

/** @throws {StartError} with a message for the user */
export async function loadSettings(
  env: NodeJS.ProcessEnv = process.env,
  override: Partial<Settings> = {},
): Promise<Settings> {
  const home = override.home ?? resolve(env.SLUICE_HOME || ".sluice");
  await makeHome(home);
  const vars = valuesOf(FROM_ENVIRONMENT, env);
  const given = { ...vars, ALLOW_PRIVATE_NETWORK: env.ALLOW_PRIVATE_NETWORK, ...override.vars };
  const problems = Object.entries(given).flatMap(([name, value]) => variableProblem(name, value) ?? []);
  if (problems.length > 0) throw new StartError(`${problems.join(".\n")}.`);
  await requireUsableConfig();
  const tcp = requireDifferent({
    PORT: readPort("PORT", 8787, env),
    ENCODER_PORT: readPort("ENCODER_PORT", 8790, env),
    RTMP_PORT: readPort("RTMP_PORT", 1935, env),
    INGEST_PORT: readPort("INGEST_PORT", 8791, env),
  });
  return {
    port: tcp.PORT,
    encoderPort: tcp.ENCODER_PORT,
    ingestPorts: { rtmp: tcp.RTMP_PORT, srt: readPort("SRT_PORT", 8890, env), http: tcp.INGEST_PORT },
    allowPrivateNetwork: env.ALLOW_PRIVATE_NETWORK === "true",
    optionalSecrets: valuesOf(OPTIONAL_SECRETS, env),
    ...override,
    home,
    secrets: override.secrets ?? (await loadSecrets(home)),
    vars: { ...vars, ...override.vars },
  };
}
