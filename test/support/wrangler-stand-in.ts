/**
 * Takes the place of wrangler in tests of `npm run deploy`: answers the commands that it uses as wrangler 4.156 does, from a state file
 * that stands for the account. SQL runs in SQLite. `test/pure/deploy/real-wrangler.test.ts` compares the lists with wrangler's own.
 *
 *   STAND_IN_STATE   the folder of the state
 *   STAND_IN_FAILS   a command that fails, such as "queues create sluice-clips"
 *   STAND_IN_DIES    a command after whose effect the caller is killed
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";

export interface Account {
  loggedIn: boolean;
  accounts: { id: string; name: string }[];
  databases: { uuid: string; name: string }[];
  buckets: string[];
  queues: string[];
  workers: Record<string, { secrets: Record<string, string>; config: Record<string, unknown>; deploys: number }>;
}

export const EMPTY_ACCOUNT: Account = {
  loggedIn: true,
  accounts: [{ id: "a".repeat(32), name: "Test" }],
  databases: [],
  buckets: [],
  queues: [],
  workers: {},
};

const folder = process.env["STAND_IN_STATE"] ?? "";
const stateFile = join(folder, "account.json");
const account = existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, "utf8")) as Account) : EMPTY_ACCOUNT;

class Refused extends Error {}

interface Config {
  name: string;
  d1_databases: { database_id: string; migrations_dir: string }[];
  r2_buckets: { bucket_name: string }[];
  queues: { producers: { queue: string }[]; consumers: { queue: string; dead_letter_queue?: string }[] };
  secrets: { required: string[] };
}

const PAGE = 20;
const BANNER = "\n ⛅️ wrangler 4.156.2\n────────────────────\n";

const openSqlite = (uuid: string) => new DatabaseSync(join(folder, `${uuid}.sqlite`));

type Values = Record<string, string | boolean | undefined>;

/** By the words of the command. @returns what it prints */
const COMMANDS: Record<string, (name: string, values: Values) => string> = {
  whoami() {
    if (!account.loggedIn) throw new Refused(JSON.stringify({ loggedIn: false }));
    return JSON.stringify({ loggedIn: true, authType: "User API Token", accounts: account.accounts });
  },
  "d1 list": () => JSON.stringify(account.databases, null, 2),
  "d1 create"(name) {
    if (account.databases.some((database) => database.name === name))
      throw new Refused("A database with that name already exists");
    account.databases.push({ uuid: randomUUID(), name });
    return `${BANNER}✅ Successfully created DB '${name}' in region WEUR`;
  },
  "d1 migrations apply"(_, { config }) {
    const [{ database_id: id, migrations_dir }] = readConfig(config).d1_databases as [Config["d1_databases"][0]];
    const database = openSqlite(requireDatabase(id));
    database.exec("CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
    const applied = new Set(
      database
        .prepare("SELECT name FROM d1_migrations")
        .all()
        .map((row) => row["name"]),
    );
    const files = readdirSync(migrations_dir).filter((file) => file.endsWith(".sql") && !applied.has(file));
    if (files.length === 0) return "✅ No migrations to apply!";
    for (const file of files.sort()) {
      database.exec(readFileSync(join(migrations_dir, file), "utf8"));
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(file);
    }
    return `Migrations to be applied:\n${files.join("\n")}`;
  },
  "d1 execute"(_, { config, command }) {
    const database = openSqlite(requireDatabase(readConfig(config).d1_databases[0]?.database_id ?? ""));
    const statements = String(command)
      .split(/;(?:\s+|$)/)
      .filter(Boolean);
    return JSON.stringify(statements.map((sql) => ({ results: database.prepare(sql).all(), success: true, meta: {} })));
  },
  "r2 bucket list"() {
    const rows = account.buckets
      .slice(0, PAGE)
      .map((name) => `name:           ${name}\ncreation_date:  2026-11-22T10:00:00.000Z`);
    return `${BANNER}Listing buckets...\n${rows.join("\n\n")}`;
  },
  "r2 bucket create"(name) {
    if (account.buckets.includes(name))
      throw new Refused("The bucket you tried to create already exists, and you own it. [code: 10004]");
    account.buckets.push(name);
    return `${BANNER}Creating bucket '${name}'...`;
  },
  "queues list"(_, { page }) {
    const from = (Number(page ?? 1) - 1) * PAGE;
    const rows = account.queues
      .slice(from, from + PAGE)
      .map(
        (name, index) => `│ ${String(from + index).padStart(32, "0")} │ ${name} │ 2026-11-22 │ 2026-11-22 │ 1 │ 1 │`,
      );
    return [BANNER, "┌─┬─┐", "│ id │ name │ created_on │ modified_on │ producers │ consumers │", ...rows, "└─┴─┘"].join(
      "\n",
    );
  },
  "queues create"(name) {
    if (account.queues.includes(name)) throw new Refused(`Queue name '${name}' is already taken. [code: 11009]`);
    account.queues.push(name);
    return `✅ Created queue '${name}'`;
  },
  "secret list"(_, values) {
    const worker = account.workers[String(values["name"])];
    if (worker === undefined)
      throw new Refused(
        `Worker "${String(values["name"])}" not found.\n\nIf this is a new Worker, run \`wrangler deploy\` first to create it.`,
      );
    return JSON.stringify(Object.keys(worker.secrets).map((name) => ({ name, type: "secret_text" })));
  },
  deploy(_, values) {
    const config = readConfig(values["config"]);
    requireDatabase(config.d1_databases[0]?.database_id ?? "");
    const { producers, consumers } = config.queues;
    for (const name of [...producers, ...consumers].map(({ queue }) => queue))
      if (!account.queues.includes(name)) throw new Refused(`Queue "${name}" does not exist.`);
    for (const { bucket_name: name } of config.r2_buckets)
      if (!account.buckets.includes(name)) throw new Refused(`R2 bucket '${name}' not found. [code: 10085]`);
    const before = account.workers[config.name];
    const file = values["secrets-file"];
    const given = file === undefined ? {} : (JSON.parse(readFileSync(String(file), "utf8")) as Record<string, string>);
    const secrets = { ...before?.secrets, ...given };
    const missing = config.secrets.required.filter((name) => !secrets[name]);
    if (missing.length > 0)
      throw new Refused(`The following required secrets have not been set: ${missing.join(", ")}`);
    account.workers[config.name] = { secrets, config: { ...config }, deploys: (before?.deploys ?? 0) + 1 };
    const targets = [`https://${config.name}.test.workers.dev`];
    const report = process.env["WRANGLER_OUTPUT_FILE_PATH"];
    if (report !== undefined) appendFileSync(report, `${JSON.stringify({ type: "deploy", version: 1, targets })}\n`);
    return `Uploaded ${config.name}\nDeployed ${config.name} triggers\n  ${targets.join("\n  ")}`;
  },
};

/** Commands that change nothing. */
export const READS = ["whoami", "d1 list", "r2 bucket list", "queues list", "secret list"];

const readConfig = (file: string | boolean | undefined) => JSON.parse(readFileSync(String(file), "utf8")) as Config;

function requireDatabase(id: string): string {
  if (!account.databases.some(({ uuid }) => uuid === id))
    throw new Refused("binding DB of type d1 must have a valid `id` specified [code: 10021]");
  return id;
}

/** Atomically: other commands read it at the same time. */
function saveAccount(): void {
  writeFileSync(`${stateFile}.draft`, JSON.stringify(account, null, 2));
  renameSync(`${stateFile}.draft`, stateFile);
}

function main(): void {
  const names = ["config", "command", "page", "name", "format", "secrets-file"];
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    strict: true,
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
      json: { type: "boolean" },
      remote: { type: "boolean" },
    },
  });
  const words = positionals.join(" ");
  const command = Object.keys(COMMANDS).find((known) => words === known || words.startsWith(`${known} `));
  appendFileSync(join(folder, "commands.log"), `${words}\n`);
  try {
    if (command === undefined) throw new Error(`the stand-in does not know "wrangler ${words}"`);
    if (words === process.env["STAND_IN_FAILS"])
      throw new Refused("Something is wrong on Cloudflare's side. [code: 10001]");
    const printed = COMMANDS[command]!(words.slice(command.length + 1), values);
    if (!READS.includes(command)) saveAccount();
    if (words === process.env["STAND_IN_DIES"]) process.kill(process.ppid, "SIGKILL");
    console.log(printed);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(`\n✘ [ERROR] ${error.message}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.main) main();
