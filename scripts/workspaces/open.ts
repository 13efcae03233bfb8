import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { deriveConfig, readBaseConfig, resourceNames, writeConfig } from "../deploy/config.ts";
import { findDatabase, requireAccount } from "../deploy/inventory.ts";
import { loadDeploySettings } from "../deploy/settings.ts";
import { Wrangler } from "../deploy/wrangler.ts";
import { StartError, WRANGLER_STATE } from "../local/settings.ts";
import type { Database } from "./database.ts";
import type { Target } from "./target.ts";
import { wranglerDatabase } from "./wrangler-database.ts";

/** @throws {StartError} when the local platform has never run */
export async function withDatabase<T>(target: Target, use: (database: Database) => Promise<T>): Promise<T> {
  if (target.remote) return await use(await remoteDatabase(target.config));
  const [folder, command] = target.dev
    ? [resolve(WRANGLER_STATE), "npm run dev"]
    : [join(resolve(process.env["SLUICE_HOME"] || ".sluice"), "state"), "npm start"];
  const hasDevData = !target.dev && existsSync(resolve(WRANGLER_STATE));
  const script = process.env["npm_lifecycle_event"];
  // Without -- in front, npm takes --dev as its own option, and passes on no trace of it.
  const form = script === undefined ? "add --dev" : `run npm run ${script} -- ${process.argv.slice(2).join(" ")} --dev`;
  const hint = hasDevData ? ` For the data of npm run dev, ${form}.` : "";
  const missing = new StartError(`There is no data in ${folder}. Run ${command} first.${hint}`);
  if (!existsSync(folder)) throw missing;
  const { withLocalDatabase } = await import("../local/database.ts"); // miniflare takes a second to load
  return await withLocalDatabase(folder, async (database) => {
    // A bare `wrangler dev` leaves a database without tables.
    const { results } = await database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'workspaces'").all();
    if (results.length === 0) throw missing;
    return await use({
      async run<Row>(statements: string[]) {
        let rows: Row[] = [];
        for (const sql of statements) rows = (await database.prepare(sql).all<Row>()).results;
        return rows;
      },
    });
  });
}

/** D1 of the deployment, through wrangler. Writes `wrangler.deploy.json`, which names it. */
async function remoteDatabase(file?: string): Promise<Database> {
  const base = await readBaseConfig();
  const settings = await loadDeploySettings(file);
  const wrangler = new Wrangler(settings.accountId);
  await requireAccount(wrangler, settings.accountId);
  const { database } = resourceNames(deriveConfig(base, settings, ""));
  const id = settings.databaseId ?? (await findDatabase(wrangler, database));
  if (id === null) throw new StartError(`The account has no database ${database}. Run npm run deploy first.`);
  await writeConfig(deriveConfig(base, settings, id));
  return wranglerDatabase(wrangler, database);
}
