import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Outcome, run } from "./run.ts";

/** What drizzle-kit says when the migrations match the tables. */
const NOTHING_NEW = "No schema changes";

/** Migrations that drizzle-kit does not know. It would give their numbers to others. @param folder of the migrations */
export async function strayMigrations(folder: string): Promise<string[]> {
  const journal = JSON.parse(await readFile(join(folder, "meta/_journal.json"), "utf8")) as {
    entries: { tag: string }[];
  };
  const known = new Set(journal.entries.map(({ tag }) => `${tag}.sql`));
  return (await readdir(folder)).filter((file) => file.endsWith(".sql") && !known.has(file));
}

/** Files of tables that `src/tables.ts` does not name. drizzle-kit knows no table of theirs, so it misses no migration. */
export function unlistedTables(root = "."): string[] {
  const list = readFileSync(join(root, "src/tables.ts"), "utf8");
  const files = globSync("src/*/**/tables.ts", { cwd: root });
  return files.filter((file) => !list.includes(`"./${relative("src", file)}"`));
}

const HOW = `Migrations are made by "npm run db:generate", and those with statements of your own by "npm run db:generate -- --custom --name NAME".`;

/** Checks that drizzle-kit has made each migration, and that they match the tables: generating into a copy adds no file. */
export async function migrationsAreFresh(name: string, schema = "./src/tables.ts"): Promise<Outcome> {
  const stray = await strayMigrations("migrations");
  if (stray.length > 0) {
    const output = `migrations/meta/_journal.json has no entry for ${stray.join(", ")}. ${HOW}`;
    return { name, ok: false, output, tookMs: 0 };
  }
  const unlisted = unlistedTables();
  if (unlisted.length > 0) {
    const output = `src/tables.ts does not export ${unlisted.join(", ")}, so their tables have no migration.`;
    return { name, ok: false, output, tookMs: 0 };
  }
  await mkdir("dist", { recursive: true });
  const folder = await mkdtemp("dist/migrations-"); // drizzle-kit takes relative paths only, and ends with 0 when it fails
  try {
    await cp("migrations", folder, { recursive: true });
    const before = await readdir(folder);
    const generated = await run(
      name,
      "drizzle-kit",
      "generate",
      "--dialect",
      "sqlite",
      "--schema",
      schema,
      "--out",
      folder,
      "--casing",
      "snake_case",
    );
    const added = (await readdir(folder)).filter((file) => !before.includes(file));
    const sql = await Promise.all(added.map((file) => readFile(join(folder, file), "utf8")));
    if (added.length === 0) return { ...generated, ok: generated.ok && generated.output.includes(NOTHING_NEW) };
    return {
      ...generated,
      ok: false,
      output: `The tables have changed; run "npm run db:generate". It would add:\n${sql.join("\n")}`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
