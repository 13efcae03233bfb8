import { env } from "cloudflare:test";

/** The contents of all D1 tables, as the operator or a backup reads them. */
export async function wholeDatabase(): Promise<string> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
  ).all<{ name: string }>();
  const rows = await Promise.all(tables.results.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`).raw()));
  return rows.flat(2).join("\n");
}
