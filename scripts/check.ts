/** `npm run check`: format, lint, types, and that generated files are fresh. Seconds on the whole tree. */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";

interface Outcome {
  name: string;
  ok: boolean;
  output: string;
  tookMs: number;
}

type Run = (name: string, command: string, ...args: string[]) => Promise<Outcome>;

/** @param niceness of the processes, 0 to 19: tests that follow a clock may run beside them */
const runner =
  (niceness: number): Run =>
  async (name, command, ...args) => {
    const startedAt = Date.now();
    const child = spawn("nice", ["-n", String(niceness), command, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    child.stderr.on("data", (chunk) => (output += String(chunk)));
    const code = await new Promise<number | null>((done) => child.once("close", done));
    return { name, ok: code === 0, output, tookMs: Date.now() - startedAt };
  };

/** The tables and the newest migration say the same: generating again, elsewhere, adds no file. */
async function migrationsAreFresh(run: Run): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-migrations-"));
  try {
    await cp("migrations", folder, { recursive: true });
    const before = await readdir(folder);
    const generated = await run(
      "migrations",
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

export async function check(niceness = 0): Promise<Outcome[]> {
  const run = runner(niceness);
  // What has not changed since the last check is not checked again: `.tsbuildinfo` has each file's hash and its errors.
  const types = (name: string, project: string) => {
    const kept = ["--incremental", "--tsBuildInfoFile", `node_modules/.cache/tsc/${project}.tsbuildinfo`];
    return run(`types: ${name}`, "tsc", "-p", `tsconfig.${project}.json`, ...kept);
  };
  const outcomes = await Promise.all([
    run("format", "oxfmt", "--check", "."),
    run("lint", "oxlint", "--type-aware", "--deny-warnings"),
    types("worker", "worker"),
    types("pure tests", "pure"),
    types("node", "node"),
    types("browser", "browser"),
    migrationsAreFresh(run),
  ]);
  for (const { name, ok, output, tookMs } of outcomes) {
    console.log(
      `${ok ? styleText("green", "✓") : styleText("red", "✗")} ${name} ${styleText("dim", `${(tookMs / 1000).toFixed(1)} s`)}`,
    );
    if (!ok) console.log(output);
  }
  return outcomes;
}

if (import.meta.main) process.exitCode = (await check()).every(({ ok }) => ok) ? 0 : 1;
