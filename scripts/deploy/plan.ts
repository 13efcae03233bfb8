import { SECRET_NAMES } from "../secrets/fresh.ts";
import type { ResourceNames } from "./config.ts";
import type { Inventory } from "./inventory.ts";
import { DeployError, type DeploySettings } from "./settings.ts";

/** A step of a deployment, in the order of `planDeployment`. */
export type Step =
  | { kind: "database" | "bucket" | "queue"; name: string }
  | { kind: "secrets"; file: string }
  | { kind: "migrations" | "worker" | "workspace"; name: string };

export interface Plan {
  steps: Step[];
  /** Existing resources that are used unchanged. */
  kept: { kind: Step["kind"]; name: string }[];
  /** Lines for the owner about things that are not done. */
  notes: string[];
}

/** The queues that releases before `sluice-webhook-deliveries` used. */
const FORMER_QUEUES = ["webhook-deliveries", "webhook-deliveries-dead"];

/**
 * @param hasSecretsFile whether `settings.secretsFile` exists
 * @throws {DeployError} when a Worker has only some of the secrets: new ones for the rest might not match
 */
export function planDeployment(
  names: ResourceNames,
  found: Inventory,
  settings: DeploySettings,
  hasSecretsFile: boolean,
): Plan {
  const wanted: { step: Step & { name: string }; exists: boolean }[] = [
    {
      step: { kind: "database", name: names.database },
      exists: found.databaseId !== null || settings.databaseId !== undefined,
    },
    ...names.buckets.map((name) => ({ step: { kind: "bucket" as const, name }, exists: found.buckets.has(name) })),
    ...names.queues.map((name) => ({ step: { kind: "queue" as const, name }, exists: found.queues.has(name) })),
  ];
  const needsSecrets = !hasSecretsFile && lacksSecrets(found.secrets, settings.secretsFile);
  const former = FORMER_QUEUES.filter((name) => names.worker === "sluice" && found.queues.has(name));
  return {
    steps: [
      ...wanted.filter(({ exists }) => !exists).map(({ step }) => step),
      ...(needsSecrets ? [{ kind: "secrets" as const, file: settings.secretsFile }] : []),
      { kind: "migrations", name: names.database },
      { kind: "worker", name: names.worker },
      { kind: "workspace", name: names.database },
    ],
    kept: wanted.filter(({ exists }) => exists).map(({ step: { kind, name } }) => ({ kind, name })),
    notes: [
      ...(settings.publicUrl === undefined
        ? ['"publicUrl" is not set: encoders use the address of the request that created a media.']
        : unservedNotes(settings.publicUrl, settings)),
      ...(settings.viewStream === undefined || found.secrets?.has("R2_SQL_TOKEN") === true
        ? []
        : ["The secret R2_SQL_TOKEN is not set: set it after the deployment (docs/guides/video-data.md)."]),
      ...former.map(
        (name) => `The queue ${name} is of an earlier release: see "Updating" in docs/guides/deploying.md.`,
      ),
    ],
  };
}

/** Players and encoders are sent to `publicUrl`, which must reach the Worker. */
function unservedNotes(publicUrl: string, { name, workersDev, routes }: DeploySettings): string[] {
  const { hostname } = new URL(publicUrl);
  const isServed =
    (workersDev && hostname.startsWith(`${name}.`) && hostname.endsWith(".workers.dev")) ||
    routes.some((route) => (typeof route === "string" ? route === hostname : routesHost(route.pattern, hostname)));
  if (isServed) return [];
  return [
    `No route has ${hostname}, the host of "publicUrl": players and encoders reach the Worker there only if you have a route for it elsewhere. "routes": ["${hostname}"] makes one.`,
  ];
}

/** `*.example.com/video/*` routes `a.example.com`; `*example.com/*` both that and `example.com`. */
function routesHost(pattern: string, hostname: string): boolean {
  const host = pattern.replace(/^https?:\/\//, "").split("/")[0]!;
  return host.startsWith("*") ? hostname.endsWith(host.slice(1)) : host === hostname;
}

function lacksSecrets(existing: Inventory["secrets"], file: string): boolean {
  const missing = SECRET_NAMES.filter((name) => existing === null || !existing.has(name));
  if (missing.length === 0 || missing.length === SECRET_NAMES.length) return missing.length > 0;
  throw new DeployError(
    `The Worker has some of its secrets, and lacks ${missing.join(", ")}. Set what is missing with npx wrangler secret put, or restore ${file} from your copy.`,
  );
}

const VERBS: Record<Step["kind"], [verb: string, what: string]> = {
  database: ["create", "D1 database"],
  bucket: ["create", "R2 bucket"],
  queue: ["create", "queue"],
  secrets: ["create", "secrets"],
  migrations: ["apply", "migrations"],
  worker: ["deploy", "Worker"],
  workspace: ["create", "workspace"],
};

/** A step as a line for the owner. */
export function titleOf(step: Step, { containers }: DeploySettings): string {
  const [verb, what] = VERBS[step.kind];
  const line = (object: string) => `${verb.padEnd(8)}${what.padEnd(13)}${object}`;
  switch (step.kind) {
    case "secrets":
      return line(`${step.file}, which only you can read: ${SECRET_NAMES.join(", ")}`);
    case "migrations":
      return line(`to ${step.name}, those that are new`);
    case "worker":
      return line(containers ? `${step.name}, and the encoder's image, which Docker builds` : step.name);
    case "workspace":
      return line("with credentials, unless there is one");
    default:
      return line(step.name);
  }
}

export const keptLine = ({ kind, name }: Plan["kept"][number]): string =>
  `${"keep".padEnd(8)}${VERBS[kind][1].padEnd(13)}${name}`;
