/** `npm run state`: shows developers the stored data of the platform on this machine. */
import { join, resolve } from "node:path";
import { inspect } from "node:util";
import { flag } from "../sdk/cli/terminal/command-line.ts";
import { UsageError } from "../sdk/cli/terminal/usage-error.ts";
import { runScript } from "./command/script.ts";
import { StartError } from "./local/settings.ts";
import { D1_FOLDER, contentsOf, databasesIn, objectFolders, objectsIn, query, type Row } from "./local/state-files.ts";

const STATE = {
  name: "state",
  usage: `npm run state                                 the classes of Durable Objects, and how many objects each has
npm run state -- d1 "SELECT …"                a query of the database
npm run state -- r2 [PREFIX]                  the keys of R2 that begin with it
npm run state -- CLASS                        the names of the class's objects, the newest last
npm run state -- CLASS NAME ["SELECT …"]      what an object keeps, or a query of its tables`,
  options: { dev: flag("of npm run dev, instead of npm start") },
  notes:
    "Reads only, also while the platform runs. NAME is the id of a media (AssetMachine), stream (LiveStreamMachine) or session (LiveOrigin), …",
};

const MOST_KEYS = 1000;

function print(rows: Row[]): void {
  if (rows.length === 0) console.log("no rows");
  else console.table(rows);
}

const nothingIn = (state: string) =>
  new StartError(`There is no data in ${state}. Start the platform once; --dev looks at the data of npm run dev.`);

/** @throws {StartError} when nothing is kept there */
function databaseIn(state: string, folder: string): string {
  const [file] = databasesIn(join(state, folder));
  if (file === undefined) throw nothingIn(state);
  return file;
}

/** @throws {StartError} when nothing is kept there */
function showClasses(state: string): void {
  const counts = [...objectFolders(state)].map(([name, folder]) => ({
    class: name,
    objects: databasesIn(folder).length,
  }));
  if (counts.length === 0) throw nothingIn(state);
  print(counts);
}

function showObject(state: string, className: string, name: string | undefined, sql: string | undefined): void {
  const folders = objectFolders(state);
  const folder = folders.get(className);
  if (folder === undefined)
    throw new StartError(
      `There is no class ${className} in ${state}. These are there: ${[...folders.keys()].join(", ")}`,
    );
  const objects = objectsIn(folder);
  if (name === undefined) return console.log(objects.map((object) => object.name).join("\n") || "no objects");
  const object = objects.find((one) => one.name === name);
  if (object === undefined)
    throw new StartError(`No ${className} is named ${name}. Without a name, the command lists those there are.`);
  if (sql !== undefined) return print(query(object.file, sql));
  const { values, tables } = contentsOf(object.file);
  console.log(inspect(values, { depth: 6, maxStringLength: 500 }));
  print(Object.entries(tables).map(([table, rows]) => ({ table, rows })));
}

await runScript(STATE, ({ dev }, [what, ...rest]) => {
  const state = dev ? resolve(".wrangler/state/v3") : resolve(process.env["SLUICE_HOME"] ?? ".sluice", "state");
  if (what === undefined) return showClasses(state);
  if (what === "d1" && rest[0] !== undefined) return print(query(databaseIn(state, D1_FOLDER), rest[0]));
  if (what === "r2") {
    const file = databaseIn(state, "r2/miniflare-R2BucketObject");
    const keys = query(
      file,
      "SELECT key, size FROM _mf_objects WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key LIMIT ?2",
      rest[0] ?? "",
      String(MOST_KEYS),
    );
    return print(keys);
  }
  if (what === "d1") throw new UsageError("A query is missing.");
  showObject(state, what, rest[0], rest[1]);
});
