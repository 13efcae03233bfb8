import { mkdtemp, readFile, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecrets } from "../secrets/file.ts";
import { createWorkspace, listWorkspaces, type Workspace } from "../workspaces/database.ts";
import { wranglerDatabase } from "../workspaces/wrangler-database.ts";
import type { NewCredential } from "../workspaces/statements.ts";
import { CONFIG_FILE, deriveConfig, type ResourceNames, type WranglerConfig, writeConfig } from "./config.ts";
import { findDatabase } from "./inventory.ts";
import { type Plan, type Step, titleOf } from "./plan.ts";
import { DeployError, type DeploySettings } from "./settings.ts";
import type { Wrangler } from "./wrangler.ts";

export interface Deployment {
  wrangler: Wrangler;
  base: WranglerConfig;
  settings: DeploySettings;
  names: ResourceNames;
  /** Null until the database is created. */
  databaseId: string | null;
}

/** The result, which is printed at the end. */
export interface Outcome {
  /** The addresses that wrangler reports. */
  targets: string[];
  workspaces: Workspace[];
  /** The credential of a new workspace. */
  created: { workspaceId: string; credential: NewCredential } | null;
}

/** @throws {DeployError} naming the failed step and the remedy */
export async function carryOut(deployment: Deployment, { steps }: Plan): Promise<Outcome> {
  const outcome: Outcome = { targets: [], workspaces: [], created: null };
  for (const step of steps) {
    const title = titleOf(step, deployment.settings);
    console.log(`\n→ ${title}`);
    try {
      await perform(step, deployment, outcome);
    } catch (error) {
      if (!(error instanceof DeployError)) throw error;
      throw new DeployError(
        `✗ ${title}\n\n${error.message}\n\nThe steps before this one are done. Correct the cause and run npm run deploy again: it continues here.`,
      );
    }
  }
  return outcome;
}

async function perform(step: Step, deployment: Deployment, outcome: Outcome): Promise<void> {
  const { wrangler, settings } = deployment;
  switch (step.kind) {
    case "database":
      await wrangler.need(["d1", "create", step.name]);
      deployment.databaseId = await findDatabase(wrangler, step.name);
      if (deployment.databaseId === null) throw new DeployError(`wrangler d1 list does not show ${step.name} yet.`);
      return;
    case "bucket":
      return await createUnlessThere(wrangler, ["r2", "bucket", "create", step.name]);
    case "queue":
      return await createUnlessThere(wrangler, ["queues", "create", step.name]);
    case "secrets":
      createSecrets(step.file);
      return console.log(`Keep a copy of ${step.file} in a safe place: secrets cannot be read back from Cloudflare.`);
    case "migrations":
      await writeConfig(deriveConfig(deployment.base, settings, deployment.databaseId ?? ""));
      await wrangler.need(["d1", "migrations", "apply", step.name, "--remote", "--config", CONFIG_FILE], {
        show: true,
      });
      return;
    case "worker":
      outcome.targets = await deployWorker(deployment);
      return;
    case "workspace": {
      const database = wranglerDatabase(wrangler, step.name);
      outcome.workspaces = await listWorkspaces(database);
      if (outcome.workspaces.length === 0) outcome.created = await createWorkspace(database, "Main");
    }
  }
}

/** The listings may be incomplete: R2's has one page. */
async function createUnlessThere(wrangler: Wrangler, args: string[]): Promise<void> {
  const answer = await wrangler.run(args);
  if (answer.ok || /\[code: (?:10004|11009)\]/.test(answer.output)) return; // the bucket is yours; the queue's name is taken
  throw new DeployError(`wrangler ${args.join(" ")} failed:\n\n${answer.output.trim()}`);
}

/** @returns the addresses, from wrangler's machine-readable report */
async function deployWorker({ wrangler, settings }: Deployment): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-deploy-"));
  try {
    const report = join(folder, "report.ndjson");
    const secrets = existsSync(settings.secretsFile) ? ["--secrets-file", settings.secretsFile] : [];
    const args = ["deploy", "--config", CONFIG_FILE, ...secrets];
    await wrangler.need(args, { show: true, env: { WRANGLER_OUTPUT_FILE_PATH: report } });
    const lines = (await readFile(report, "utf8").catch(() => "")).split("\n").filter(Boolean);
    const entries = lines.map((line) => JSON.parse(line) as { type: string; targets?: string[] });
    return entries.findLast(({ type }) => type === "deploy")?.targets ?? [];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
