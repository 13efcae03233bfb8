import { CONFIG_FILE } from "../deploy/config.ts";
import type { Wrangler } from "../deploy/wrangler.ts";
import type { Database } from "./database.ts";

/** @param name the database's, in `wrangler.deploy.json` */
export const wranglerDatabase = (wrangler: Wrangler, name: string): Database => ({
  async run<Row>(statements: string[]) {
    const command = statements.map((sql) => `${sql};`).join(" ");
    const args = ["d1", "execute", name, "--remote", "--json", "--config", CONFIG_FILE, "--command", command];
    const results = await wrangler.json<{ results: Row[] }[]>(args);
    return results.at(-1)?.results ?? [];
  },
});
