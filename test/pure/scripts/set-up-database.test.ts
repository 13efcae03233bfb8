import { randomUUID } from "node:crypto";
import { copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LocalDatabase, withLocalDatabase } from "../../../scripts/local/database.ts";
import { applyMigrations, migrationsIn } from "../../../scripts/local/migrate.ts";
import { setUpDatabase } from "../../../scripts/local/set-up-database.ts";
import type { Secrets } from "../../../scripts/local/settings.ts";
import { D1_FOLDER, databasesIn } from "../../../scripts/local/state-files.ts";

let home: string;
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), "sluice-set-up-"))));
afterEach(() => rm(home, { recursive: true, force: true }));

const secrets: Secrets = {
  organisationId: randomUUID(),
  workspaceId: randomUUID(),
  username: randomUUID(),
  password: "password",
  jobSecret: "",
  encoderSecret: "",
  webhookKeys: "",
};
const SCHEMA =
  "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY type, name";

/** What D1 finds in a state. */
const found = (state: string) =>
  withLocalDatabase(state, async (database) => ({
    schema: await rows(database, SCHEMA),
    migrations: await rows(database, "SELECT name FROM d1_migrations ORDER BY id"),
    credentials: await rows(database, "SELECT id, workspace_id FROM credentials"),
  }));
const rows = async (database: LocalDatabase, sql: string) => (await database.prepare(sql).all()).results;

const expected = async () => ({
  migrations: (await migrationsIn("migrations")).map((name) => ({ name })),
  credentials: [{ id: secrets.username, workspace_id: secrets.workspaceId }],
});

test("D1 finds a new database as if it had migrated it itself, with the workspace", async () => {
  const [copied, migrated] = [join(home, "copied"), join(home, "migrated")];
  await setUpDatabase(copied, secrets);
  await withLocalDatabase(migrated, applyMigrations);
  const { schema } = await found(migrated);
  expect(await found(copied)).toEqual({ schema, ...(await expected()) });
});

test("a database of another id, as before wrangler.toml got that of an account, does not count", async () => {
  await setUpDatabase(home, secrets);
  const [file] = databasesIn(join(home, D1_FOLDER));
  await rename(file!, join(home, D1_FOLDER, `${"0".repeat(64)}.sqlite`));
  await setUpDatabase(home, secrets);
  expect(await found(home)).toMatchObject(await expected());
});

test("a database of an earlier release gets the new migrations, and the workspace once", async () => {
  const earlier = join(home, "earlier");
  await mkdir(earlier);
  for (const name of (await migrationsIn("migrations")).slice(0, -1))
    await copyFile(join("migrations", name), join(earlier, name));
  await withLocalDatabase(home, (database) => applyMigrations(database, earlier));
  await setUpDatabase(home, secrets);
  await setUpDatabase(home, secrets);
  expect(await found(home)).toMatchObject(await expected());
});
