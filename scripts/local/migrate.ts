import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalDatabase } from "./database.ts";
import { StartError } from "./settings.ts";

/** The names of the migrations, in their order. */
export const migrationsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();

/**
 * Applies new migrations and records them in wrangler's table.
 *
 * @throws {StartError} naming the failed migration; the previous ones stay applied
 */
export async function applyMigrations(database: LocalDatabase, folder = "migrations"): Promise<void> {
  await database.exec(
    "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
  );
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  for (const name of (await migrationsIn(folder)).filter((file) => !applied.has(file))) {
    const statements = (await readFile(join(folder, name), "utf8")).split("--> statement-breakpoint");
    try {
      await database.batch([
        ...statements.map((statement) => database.prepare(statement.trim())),
        database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
      ]);
    } catch (error) {
      throw new StartError(`${join(folder, name)} cannot be applied: ${(error as Error).message}`);
    }
  }
}
