import { readFile } from "node:fs/promises";
import { z } from "zod";
import { nearestName } from "../../protocol/nearest-name.ts";
import { WHISPER_MODELS } from "../../protocol/whisper-models.ts";
import { deployedVariableProblem, VARIABLE_NAMES } from "../../src/platform/variables.ts";
import { CommandError } from "../../sdk/cli/terminal/usage-error.ts";
import { OPTIONAL_SECRETS, SECRET_NAMES } from "../secrets/fresh.ts";
import { issueLine } from "./issue-lines.ts";

/** The owner's settings of a deployment: `sluice.config.json`, which git ignores. Every field is optional (docs/guides/deploying.md). */

export class DeployError extends CommandError {}

const SETTINGS_FILE = "sluice.config.json";

/** Refused in a deployment. */
const LOCAL_VAR = "ALLOW_PRIVATE_NETWORK";

/** Variables that follow from other fields of the settings. */
const OWN_FIELDS: Record<string, string> = { PUBLIC_URL: "publicUrl", ENCODER_CONTAINERS: "encoders.maxInstances" };

const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text && text.startsWith("https:");

/** A custom domain, or a route of a zone. */
const Route = z.union(
  [
    z.string().regex(/^[a-z0-9.-]+\.(?:[a-z]+|xn--[a-z0-9-]+)$/, 'must be a host name such as "video.example.com"'),
    z.strictObject({ pattern: z.string().min(1), zone_name: z.string().min(1) }),
  ],
  'must be a host name, or {"pattern": "example.com/video/*", "zone_name": "example.com"}',
);

const Variable = z
  .union([z.string(), z.number(), z.boolean()], "must be a text, a number, true or false")
  .transform(String);

const INSTANCE_TYPES = ["lite", "basic", "standard-1", "standard-2", "standard-3", "standard-4"] as const;

const MODEL_NAMES = Object.keys(WHISPER_MODELS);

/** The encoder's containers. */
const Encoders = z.strictObject({
  maxInstances: z
    .number()
    .refine((count) => Number.isSafeInteger(count) && count > 0, "must be a positive whole number")
    .optional(),
  /** The speech model of their image, for generated captions. */
  whisper: z.enum(MODEL_NAMES, `must be one of ${MODEL_NAMES.join(", ")}`).optional(),
  instanceType: z.enum(INSTANCE_TYPES, `must be one of ${INSTANCE_TYPES.join(", ")}`).optional(),
});

const DeploySettings = z.strictObject({
  /** Name of the Worker, and prefix of the names of its database, bucket and queues. */
  name: z
    .string()
    .regex(
      /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/,
      "must be 1 to 40 lower-case letters, digits and hyphens, begin with a letter, and not end with a hyphen",
    )
    .default("sluice"),
  accountId: z
    .string()
    .regex(/^[0-9a-f]{32}$/, "must be the 32 hexadecimal digits that `npx wrangler whoami` shows")
    .optional(),
  publicUrl: z
    .string()
    .refine(isOrigin, 'must be an https origin without a path, such as "https://video.example.com"')
    .optional(),
  databaseId: z.uuid("must be the UUID of a D1 database").optional(),
  containers: z.boolean().optional(),
  encoders: Encoders.default({}),
  routes: z.array(Route).default([]),
  workersDev: z.boolean().default(true),
  secretsFile: z.string().min(1).default("secrets.json"),
  vars: z.record(z.string(), Variable).default({}),
  /** Binds Workers AI, which is billed to the account. */
  ai: z.boolean().default(false),
  /** The Pipelines stream of the distributed engine of video data. */
  viewStream: z
    .string()
    .regex(/^[0-9a-f]{32}$/, "must be the 32 hexadecimal digits that `npx wrangler basin pipelines streams list` shows")
    .optional(),
});

const KNOWN_FIELDS = { "": Object.keys(DeploySettings.shape), encoders: Object.keys(Encoders.shape) };

export type DeploySettings = Omit<z.infer<typeof DeploySettings>, "containers"> & { containers: boolean };

/**
 * @param content the file's content; null = there is no file
 * @throws {DeployError} naming each wrong field
 */
export function parseSettings(content: string | null, file = SETTINGS_FILE): DeploySettings {
  const given = parseJson(content ?? "{}", file);
  const result = DeploySettings.safeParse(given);
  const lines = [
    ...(result.error?.issues ?? []).map((issue) => issueLine(file, issue, KNOWN_FIELDS)),
    ...varsProblems(given).map((problem) => `${file}: vars.${problem}`),
  ];
  if (!result.success || lines.length > 0) throw new DeployError(lines.join("\n"));
  const { vars, containers, ...settings } = result.data;
  const hasOwnEncoder = (vars["ENCODER_URL"] ?? "") !== "";
  if (containers === false && !hasOwnEncoder)
    throw new DeployError(
      `${file}: containers is false, so vars.ENCODER_URL must be the address of an encoder of yours`,
    );
  if (!settings.workersDev && settings.routes.length === 0)
    throw new DeployError(`${file}: workersDev is false, so routes must have an address of the Worker`);
  const lacking = lackingEngine(result.data);
  if (lacking !== null) throw new DeployError(`${file}: ${lacking}`);
  return { ...settings, vars, containers: containers ?? !hasOwnEncoder };
}

/** The distributed engine of video data needs all of its settings. @returns what is wrong; null = all or none are set */
function lackingEngine({ viewStream, vars }: Pick<DeploySettings, "viewStream" | "vars">): string | null {
  const given = {
    viewStream,
    "vars.R2_SQL_URL": vars["R2_SQL_URL"],
    "vars.R2_SQL_TABLE": vars["R2_SQL_TABLE"],
  };
  const names = (isSet: boolean) =>
    Object.entries(given)
      .flatMap(([name, value]) => (Boolean(value) === isSet ? [name] : []))
      .join(" and ");
  if (names(true) === "" || names(false) === "") return null;
  return `${names(true)} needs ${names(false)} too: R2 SQL has the views of large workspaces only with all three`;
}

/** Problems of the values of `vars`. The schema checks their types. */
function varsProblems(given: unknown): string[] {
  const { data } = z
    .object({ vars: z.record(z.string(), z.unknown()).default({}), secretsFile: z.string().catch("secrets.json") })
    .safeParse(given);
  const known = VARIABLE_NAMES.filter((name) => !Object.hasOwn(OWN_FIELDS, name));
  return Object.entries(data?.vars ?? {}).flatMap(([name, value]) => {
    const unknown = unknownVariable(name, known, data!.secretsFile);
    if (unknown !== null) return unknown;
    const text = Variable.safeParse(value);
    return (text.success ? deployedVariableProblem(name, text.data) : null) ?? [];
  });
}

/** @returns a text that begins with the name; null = the variable exists */
function unknownVariable(name: string, known: readonly string[], secretsFile: string): string | null {
  if (known.includes(name)) return null;
  const field = OWN_FIELDS[name];
  if (field !== undefined) return `${name}: set "${field}" instead`;
  const why = "because vars can be read by everyone with access to the account";
  if ((SECRET_NAMES as readonly string[]).includes(name))
    return `${name} is a secret and belongs to ${secretsFile}, ${why}`;
  if ((OPTIONAL_SECRETS as readonly string[]).includes(name))
    return `${name} is a secret and is set with "npx wrangler secret put ${name} --config wrangler.deploy.json", ${why}`;
  const offered = known.filter((one) => one !== LOCAL_VAR);
  const nearest = nearestName(name, offered);
  return `${name}: there is no variable ${name}${nearest === null ? ` (there are ${offered.join(", ")})` : `; did you mean ${nearest}?`}`;
}

function parseJson(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new DeployError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

/** @param file must exist when it was named by the caller */
export async function loadDeploySettings(file?: string): Promise<DeploySettings> {
  const content = await readSettings(file ?? SETTINGS_FILE);
  if (content === null && file !== undefined) throw new DeployError(`There is no file ${file}.`);
  return parseSettings(content, file);
}

/** @returns null when there is no such file @throws {DeployError} when there is one that cannot be read */
async function readSettings(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new DeployError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
