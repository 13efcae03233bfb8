/** The state that Miniflare keeps on disk for `npm start` and `npm run dev`. Read-only. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deserialize } from "node:v8";
import { StartError } from "./settings.ts";

export type Row = Record<string, unknown>;

/** Where D1's databases are in the folder of data. Each is named after its id. */
export const D1_FOLDER = "d1/miniflare-D1DatabaseObject";

/** The databases of a folder, such as `D1_FOLDER`, without Miniflare's own. The newest is last. */
export function databasesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  const createdMs = new Map(files.map((name) => [name, statSync(join(folder, name)).birthtimeMs]));
  return files.toSorted((a, b) => createdMs.get(a)! - createdMs.get(b)!).map((name) => join(folder, name));
}

/** @throws {StartError} for an error of SQLite, such as a statement that writes, and for a second statement */
export function query(file: string, sql: string, ...values: string[]): Row[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const statement = database.prepare(sql);
    const rest = sql.slice(statement.sourceSQL.length).trim(); // SQLite reads the first statement only
    if (rest !== "") throw new StartError(`One statement at a time: ${rest} was not run.`);
    return statement.all(...values);
  } catch (error) {
    throw error instanceof StartError ? error : new StartError((error as Error).message, { cause: error });
  } finally {
    database.close();
  }
}

/** The folders of Durable Object classes that have objects. Folders are named after the Worker and the class. */
export function objectFolders(state: string): Map<string, string> {
  const folder = join(state, "do");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return new Map(names.map((name) => [name.slice(name.indexOf("-") + 1), join(folder, name)]));
}

/** The objects of a class with their names, which Miniflare stores in each. */
export function objectsIn(folder: string): { name: string; file: string }[] {
  return databasesIn(folder).map((file) => {
    const [row] = query(file, "SELECT name FROM sqlite_master WHERE name = '__miniflare_do_name'");
    const [named] = row === undefined ? [] : query(file, "SELECT name FROM __miniflare_do_name");
    return { name: typeof named?.["name"] === "string" ? named["name"] : "", file };
  });
}

/** The contents of an object: its key-value storage, and the number of rows of each table. */
export function contentsOf(file: string): { values: Row; tables: Row } {
  const names = query(file, "SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => String(name));
  const rows = names.includes("_cf_KV") ? query(file, "SELECT key, value FROM _cf_KV ORDER BY key") : [];
  const own = names.filter((name) => !/^(_cf_|__miniflare_|sqlite_)/.test(name));
  const counts = own.map((name) => [name, query(file, `SELECT count(*) AS rows FROM "${name}"`)[0]?.["rows"]]);
  return {
    values: Object.fromEntries(rows.map(({ key, value }) => [key, deserialize(value as Uint8Array)])),
    tables: Object.fromEntries(counts),
  };
}
