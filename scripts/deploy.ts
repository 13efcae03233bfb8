/** `npm run deploy`: creates missing resources on Cloudflare and deploys the Worker. Repeatable: existing resources are not changed. */
import { execFile } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { promisify } from "node:util";
import { flag, text } from "../sdk/cli/terminal/command-line.ts";
import { runScript } from "./command/script.ts";
import { carryOut, type Outcome } from "./deploy/carry-out.ts";
import {
  deriveConfig,
  readBaseConfig,
  type ResourceNames,
  resourceNames,
  type WranglerConfig,
} from "./deploy/config.ts";
import { EMPTY_INVENTORY, type Inventory, NotLoggedIn, requireAccount, takeInventory } from "./deploy/inventory.ts";
import { keptLine, type Plan, planDeployment, titleOf } from "./deploy/plan.ts";
import { requireAllSecrets, requireUsableSecrets } from "./deploy/secrets-file.ts";
import { settingLines } from "./deploy/setting-lines.ts";
import { DeployError, type DeploySettings, loadDeploySettings } from "./deploy/settings.ts";
import { Wrangler } from "./deploy/wrangler.ts";
import { committableWarning } from "./secrets/file.ts";
import { printCredential } from "./workspaces/print.ts";

const DEPLOY = {
  name: "deploy",
  about: `Deploys Sluice to your Cloudflare account: creates the D1 database, the R2 bucket, the queues and the secrets that are
missing, applies new migrations, deploys the Worker, and creates a first workspace. Settings are in sluice.config.json.`,
  options: {
    "dry-run": flag("prints what it would do, and does nothing; without a login, for an account that has nothing yet"),
    yes: flag("does not ask before it begins"),
    config: text("FILE", "other settings than sluice.config.json"),
  },
};

function printPlan({ steps, kept, notes }: Plan, settings: DeploySettings, config: WranglerConfig): void {
  console.log("This deployment will\n");
  for (const line of settingLines(settings, config)) console.log(`  ${line}`);
  for (const line of [...kept.map(keptLine), ...steps.map((step) => titleOf(step, settings))]) console.log(`  ${line}`);
  for (const note of notes) console.log(`\nNote: ${note}`);
}

/** Checks the program that wrangler uses. */
const hasDocker = () =>
  promisify(execFile)(process.env["WRANGLER_DOCKER_BIN"] ?? "docker", ["info"]).then(
    () => true,
    () => false,
  );

const NO_DOCKER =
  'Docker builds the encoder\'s image, and does not run here. Start Docker, or set "vars": {"ENCODER_URL": "https://…"} for an encoder of your own (docs/guides/deploying.md).';

const WITHOUT_LOGIN = "Not logged in to Cloudflare: this is the plan for an account that has nothing yet.";

async function inspectAccount(
  wrangler: Wrangler,
  { accountId }: DeploySettings,
  names: ResourceNames,
): Promise<Inventory | NotLoggedIn> {
  try {
    await requireAccount(wrangler, accountId);
  } catch (error) {
    if (error instanceof NotLoggedIn) return error;
    throw error;
  }
  return await takeInventory(wrangler, names);
}

async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new DeployError("There is no terminal to ask on. Add --yes to begin without a question.");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("\nBegin? [y/N] ");
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function printOutcome(
  { targets, workspaces, created }: Outcome,
  { publicUrl, config }: { publicUrl: string | undefined; config: string | undefined },
): void {
  const address = publicUrl ?? targets.find((target) => target.startsWith("https://")) ?? targets[0];
  const options = config === undefined ? "--remote" : `--remote --config ${config}`;
  console.log(`\nSluice is deployed.\n\n  address    ${address ?? "as wrangler shows above"}`);
  if (created !== null) return printCredential(created.workspaceId, created.credential);
  for (const { id, name } of workspaces) console.log(`  workspace  ${id}  ${name}`);
  console.log(
    `\nIts credentials were shown when they were created. Another one: npm run credential -- create ${options}`,
  );
}

await runScript(DEPLOY, async ({ "dry-run": isDryRun, yes, config }) => {
  const base = await readBaseConfig();
  const settings = await loadDeploySettings(config);
  const secretsInFile = requireUsableSecrets(settings.secretsFile);
  const wrangler = new Wrangler(settings.accountId);
  const derived = deriveConfig(base, settings, "");
  const names = resourceNames(derived);
  const inventory = await inspectAccount(wrangler, settings, names);
  if (inventory instanceof NotLoggedIn && !isDryRun) throw inventory;
  const found = inventory instanceof NotLoggedIn ? EMPTY_INVENTORY : inventory;
  if (inventory instanceof NotLoggedIn) console.log(`${WITHOUT_LOGIN}\n`);
  requireAllSecrets(settings.secretsFile, secretsInFile, found.secrets);
  const plan = planDeployment(names, found, settings, secretsInFile !== null);
  const lacksDocker = settings.containers && !(await hasDocker());
  const usesFile = secretsInFile !== null || plan.steps.some(({ kind }) => kind === "secrets");
  const warning = usesFile ? committableWarning(settings.secretsFile) : null;
  const notes = [...plan.notes, ...(warning === null ? [] : [warning]), ...(lacksDocker ? [NO_DOCKER] : [])];
  printPlan({ ...plan, notes }, settings, derived);
  if (isDryRun)
    return console.log(
      `\nThis was a dry run: nothing was done.${inventory instanceof NotLoggedIn ? ` ${inventory.message}` : ""}`,
    );
  if (lacksDocker) throw new DeployError("\nNothing was done.");
  if (!yes && !(await confirm())) return console.log("Nothing was done.");
  const databaseId = settings.databaseId ?? found.databaseId;
  const outcome = await carryOut({ wrangler, base, settings, names, databaseId }, plan);
  printOutcome(outcome, { publicUrl: settings.publicUrl, config });
});
