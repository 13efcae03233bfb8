import type { ResourceNames } from "./config.ts";
import { DeployError } from "./settings.ts";
import type { Wrangler } from "./wrangler.ts";

/** Existing resources of the account. */
export interface Inventory {
  databaseId: string | null;
  buckets: ReadonlySet<string>;
  queues: ReadonlySet<string>;
  /** Names of the Worker's secrets; null = the Worker does not exist. */
  secrets: ReadonlySet<string> | null;
}

export class NotLoggedIn extends DeployError {}

export const EMPTY_INVENTORY: Inventory = { databaseId: null, buckets: new Set(), queues: new Set(), secrets: null };

/** @throws {NotLoggedIn} @throws {DeployError} when there are several accounts to choose from */
export async function requireAccount(wrangler: Wrangler, accountId: string | undefined): Promise<void> {
  const answer = await wrangler.run(["whoami", "--json"]);
  if (!answer.ok)
    throw new NotLoggedIn("You are not logged in to Cloudflare. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN.");
  const { accounts = [] } = JSON.parse(answer.stdout) as { accounts?: { id: string; name: string }[] };
  const chosen = accountId ?? process.env["CLOUDFLARE_ACCOUNT_ID"];
  if (chosen !== undefined || accounts.length < 2) return;
  const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
  throw new DeployError(
    `You have ${accounts.length} accounts. Set "accountId" in sluice.config.json to one of:\n${list}`,
  );
}

export async function takeInventory(wrangler: Wrangler, names: ResourceNames): Promise<Inventory> {
  const [databaseId, buckets, queues, secrets] = await Promise.all([
    findDatabase(wrangler, names.database),
    listBuckets(wrangler),
    listQueues(wrangler),
    listSecrets(wrangler, names.worker),
  ]);
  return { databaseId, buckets, queues, secrets };
}

export async function findDatabase(wrangler: Wrangler, name: string): Promise<string | null> {
  const databases = await wrangler.json<{ uuid: string; name: string }[]>(["d1", "list", "--json"]);
  return databases.find((database) => database.name === name)?.uuid ?? null;
}

/** `r2 bucket list` prints `name: …` for each bucket, and has no JSON. */
async function listBuckets(wrangler: Wrangler): Promise<Set<string>> {
  const { stdout } = await wrangler.need(["r2", "bucket", "list"]);
  return new Set([...stdout.matchAll(/^name:\s+(\S+)$/gm)].map(([, name]) => name!));
}

const MAX_PAGES = 100;

/** `queues list` prints a table whose second column is the name, page by page, and has no JSON. */
async function listQueues(wrangler: Wrangler): Promise<Set<string>> {
  const found = new Set<string>();
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { stdout } = await wrangler.need(["queues", "list", "--page", String(page)]);
    const names = [...stdout.matchAll(/^[│|]\s*[0-9a-f]{32}\s*[│|]\s*(\S+)\s*[│|]/gm)].map(([, name]) => name!);
    if (names.every((name) => found.has(name))) return found;
    for (const name of names) found.add(name);
  }
  return found;
}

/** @returns null when there is no such Worker */
export async function listSecrets(wrangler: Wrangler, worker: string): Promise<Set<string> | null> {
  const answer = await wrangler.run(["secret", "list", "--name", worker, "--format", "json"]);
  if (answer.ok) return new Set((JSON.parse(answer.stdout) as { name: string }[]).map(({ name }) => name));
  if (/Worker ".*" not found/.test(answer.output)) return null;
  throw new DeployError(`wrangler secret list failed:\n\n${answer.output.trim()}`);
}
