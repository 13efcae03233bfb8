import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keepResult } from "../keep-result.ts";
import { insertWorkspace } from "../workspaces/statements.ts";
import { withLocalDatabase } from "./database.ts";
import { applyMigrations, migrationsIn } from "./migrate.ts";
import type { Secrets } from "./settings.ts";
import { D1_FOLDER, databasesIn, query } from "./state-files.ts";

/**
 * Applies new migrations, and creates the local workspace and its credentials at the first start. Only new migrations of a database that
 * exists need D1 itself, which takes a second to start.
 *
 * @param statePath the folder in which miniflare keeps all data
 * @throws {StartError} naming the failed migration
 */
export async function setUpDatabase(statePath: string, secrets: Secrets): Promise<void> {
  const { organisationId, workspaceId, username, password } = secrets;
  const statements = insertWorkspace(
    { organisationId, workspaceId, name: "Local" },
    { username, password, name: "Local" },
  );
  const migrated = await migratedDatabase();
  const file = join(statePath, D1_FOLDER, migrated.name);
  if (!existsSync(file)) return await createDatabase(file, migrated.content, statements);
  if ((await isMigrated(file)) && hasCredential(file, username)) return;
  await withLocalDatabase(statePath, async (database) => {
    await applyMigrations(database);
    await database.batch(statements.map((sql) => database.prepare(sql)));
  });
}

/** Without the table of migrations, D1 was ended between the creation of the file and the first migration. */
async function isMigrated(file: string): Promise<boolean> {
  if (!hasTable(file, "d1_migrations")) return false;
  const applied = new Set(query(file, "SELECT name FROM d1_migrations").map(({ name }) => name));
  return (await migrationsIn("migrations")).every((name) => applied.has(name));
}

const hasTable = (file: string, name: string): boolean =>
  query(file, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", name).length > 0;

const hasCredential = (file: string, id: string): boolean =>
  query(file, "SELECT 1 FROM credentials WHERE id = ?", id).length > 0;

/** Copies a database that D1 has migrated, and adds rows. The file gets its name when it is complete. */
async function createDatabase(file: string, content: string, statements: string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.draft`;
  await writeFile(draft, Buffer.from(content, "base64"));
  const database = new DatabaseSync(draft);
  for (const sql of statements) database.exec(sql);
  database.close();
  await rename(draft, file);
}

/** A database without rows: the file's name, which follows from the id in wrangler.toml, and its bytes as base64. */
interface Migrated {
  name: string;
  content: string;
}

/** Kept until a migration or the id changes. */
async function migratedDatabase(): Promise<Migrated> {
  const migrations = await migrationsIn("migrations");
  const inputs = ["wrangler.toml", ...migrations.map((name) => `migrations/${name}`)];
  return await keepResult("migrated-database", migrations, async () => ({ value: await makeDatabase(), inputs }));
}

async function makeDatabase(): Promise<Migrated> {
  const home = await mkdtemp(join(tmpdir(), "sluice-database-"));
  try {
    await withLocalDatabase(home, applyMigrations);
    const made = databasesIn(join(home, D1_FOLDER)).at(-1)!;
    const copy = join(home, "copy.sqlite");
    const database = new DatabaseSync(made);
    database.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`); // one file, including the write-ahead log
    database.close();
    return { name: basename(made), content: (await readFile(copy)).toString("base64") };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
