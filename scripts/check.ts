/** `npm run check`: format, lint, unused code, imports, types and generated files, in seconds. `npm run check -- imports` runs only the named checks. */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";

interface Outcome {
  name: string;
  ok: boolean;
  output: string;
  tookMs: number;
}

async function run(name: string, command: string, ...args: string[]): Promise<Outcome> {
  const startedAt = Date.now();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { name, ok: code === 0, output, tookMs: Date.now() - startedAt };
}

/** Checks that the migrations match the tables: generating into a copy adds no file. */
async function migrationsAreFresh(name: string): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-migrations-"));
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
      "./src/tables.ts",
      "--out",
      folder,
      "--casing",
      "snake_case",
    );
    const added = (await readdir(folder)).filter((file) => !before.includes(file));
    const sql = await Promise.all(added.map((file) => readFile(join(folder, file), "utf8")));
    if (added.length === 0) return generated;
    return {
      ...generated,
      ok: false,
      output: `The tables have changed; run "npm run db:generate". It would add:\n${sql.join("\n")}`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Checks types incrementally: `.tsbuildinfo` has each file's hash and its errors. */
const types = (project: string) => (name: string) => {
  const kept = ["--incremental", "--tsBuildInfoFile", `node_modules/.cache/tsc/${project}.tsbuildinfo`];
  return run(name, "tsc", "-p", `tsconfig.${project}.json`, ...kept);
};

const CHECKS: Record<string, (name: string) => Promise<Outcome>> = {
  format: (name) => run(name, "oxfmt", "--check", "."),
  lint: (name) => run(name, "oxlint", "--type-aware", "--deny-warnings"),
  unused: (name) => run(name, "knip", "--no-progress"),
  imports: (name) => run(name, process.execPath, fileURLToPath(new URL("check-imports.ts", import.meta.url))),
  "types: worker": types("worker"),
  "types: pure tests": types("pure"),
  "types: node": types("node"),
  "types: browser": types("browser"),
  migrations: migrationsAreFresh,
};

/** @param names of `CHECKS`; empty = all of them */
export async function check(names: readonly string[] = []): Promise<Outcome[]> {
  const unknown = names.find((name) => CHECKS[name] === undefined);
  if (unknown !== undefined)
    throw new Error(`unknown check "${unknown}"; the checks are ${Object.keys(CHECKS).join(", ")}`);
  const chosen = Object.entries(CHECKS).filter(([name]) => names.length === 0 || names.includes(name));
  const outcomes = await Promise.all(chosen.map(([name, start]) => start(name)));
  for (const { name, ok, output, tookMs } of outcomes) {
    console.log(
      `${ok ? styleText("green", "✓") : styleText("red", "✗")} ${name} ${styleText("dim", `${(tookMs / 1000).toFixed(1)} s`)}`,
    );
    if (!ok) console.log(output);
  }
  return outcomes;
}

if (import.meta.main) process.exitCode = (await check(process.argv.slice(2))).every(({ ok }) => ok) ? 0 : 1;
