/** The check that a change of tables has its migration. */
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { migrationsAreFresh, strayMigrations, unlistedTables } from "../../../scripts/check/migrations.ts";

test("the migrations match the tables", async () => {
  expect(await migrationsAreFresh("migrations")).toMatchObject({ ok: true });
});

test("a table without a migration is found, and the migration that is missing is shown", async () => {
  await mkdir("dist", { recursive: true });
  const folder = await mkdtemp("dist/more-tables-");
  onTestFinished(() => rm(folder, { recursive: true }));
  const added = 'export const unheardOf = sqliteTable("unheard_of", { id: text().primaryKey() });';
  const imports = 'import { sqliteTable, text } from "drizzle-orm/sqlite-core"; export * from "../../src/tables.ts";';
  await writeFile(`${folder}/tables.ts`, `${imports}\n${added}\n`);
  const { ok, output } = await migrationsAreFresh("migrations", `./${folder}/tables.ts`);
  expect(ok).toBe(false);
  expect(output).toContain("CREATE TABLE `unheard_of`");
});

test("a generator that fails does not pass for one that finds nothing new", async () => {
  expect(await migrationsAreFresh("migrations", "./test/pure/scripts/no-such-tables.ts")).toMatchObject({ ok: false });
});

test("a migration that was written by hand is found: its number would be given again", async () => {
  await mkdir("dist", { recursive: true });
  const folder = await mkdtemp("dist/migrations-");
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp("migrations", folder, { recursive: true });
  expect(await strayMigrations(folder)).toEqual([]);
  await writeFile(`${folder}/0099_by_hand.sql`, "DELETE FROM events;");
  expect(await strayMigrations(folder)).toEqual(["0099_by_hand.sql"]);
});

test("a file of tables that src/tables.ts does not export is found: no migration makes its tables", async () => {
  expect(unlistedTables()).toEqual([]);
  await mkdir("dist", { recursive: true });
  const root = await mkdtemp("dist/tables-");
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(`${root}/src/live/viewers`, { recursive: true });
  await writeFile(`${root}/src/tables.ts`, 'export * from "./live/tables.ts";');
  for (const file of ["live/tables.ts", "live/viewers/tables.ts"]) await writeFile(`${root}/src/${file}`, "");
  expect(unlistedTables(root)).toEqual(["src/live/viewers/tables.ts"]);
});
