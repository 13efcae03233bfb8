/** The options of npm scripts: what is wrong is said in one sentence. */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { withLocalDatabase } from "../../../scripts/local/database.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-options-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs a command to its end. */
function run([file = "", ...args]: string[], cwd = process.cwd()): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

test.each([
  [
    "credential.ts create X --dry-run",
    2,
    "There is no option --dry-run (there are --workspace, --remote, --dev, --config).",
  ],
  [
    "workspace.ts list --remot",
    2,
    "There is no option --remot; did you mean --remote? (there are --remote, --dev, --config).",
  ],
  ["credential.ts list --config", 2, "The option --config needs a value."],
  ["demo.ts --foo", 2, "There is no option --foo (there are --live, --upload, "],
  ["workspace.ts list --workspace x", 2, "There is no option --workspace (there are --remote, --dev, --config)."],
  ["demo.ts --exit=no", 2, "The option --exit takes no value."],
  ["demo.ts a b", 2, 'Unexpected argument "b".'],
  ["demo.ts --live --upload x.mp4", 2, "--live and --upload exclude each other."],
  ["state.ts --foo", 2, "There is no option --foo (there is --dev)."],
  ["state.ts d1", 2, "A query is missing."],
  ["fuzz.ts --foo", 2, "There is no option --foo (there are --runs, --seed, --target)."],
  ["fuzz.ts --runs 0", 2, '--runs is "0"; it must be an integer from 1 to 999999999.'],
  ["data-simulate.ts --days x", 2, '--days is "x"; it must be an integer from 1 to '],
  ["gateway-credential.ts live-1", 2, "A host is missing."],
  ["demo.ts --upload --exit", 2, "The option --upload needs a value."],
  ["deploy.ts --dryrun", 2, "There is no option --dryrun; did you mean --dry-run? (there are"],
  ["check.ts --help", 0, "npm run check [-- NAME …]"],
  ["check.ts lnt", 2, 'There is no check "lnt"; did you mean "lint"?'],
])("%s ends with %i, and its first line says what to do", (command, status, words) => {
  const [script, ...args] = command.split(" ");
  const result = run([process.execPath, `scripts/${script}`, ...args]);
  expect([result.status, result.output.split("\n")[0]]).toEqual([status, expect.stringContaining(words)]);
  expect(result.output).not.toContain("    at ");
});

test("data-simulate.ts names every command that starts a platform", () => {
  vi.stubEnv("SLUICE_HOME", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const simulate = (...args: string[]) => run([process.execPath, "scripts/data-simulate.ts", ...args]).output;
  expect(simulate()).toMatch(/Start the platform first: npm start, or npm run dev$/m);
  expect(simulate("--help")).toContain("(npm start, npm run dev, npm run demo)");
});

test.each([
  ["--upload https://example.com/x.mp4", '--upload takes a file, not a URL: "https://example.com/x.mp4".'],
  ["--upload no-such.mp4", 'There is no file "no-such.mp4". Give the path of a video file.'],
  ["test", '"test" is a folder. Give a URL or the path of a video file.'],
])("npm run demo -- %s ends with one line that says what is wrong", (args, message) => {
  const result = run([process.execPath, "scripts/demo.ts", ...args.split(" "), "--json"]);
  expect([result.status, JSON.parse(result.output)]).toEqual([1, { kind: "error", message }]);
});

test.each([
  ["workspace", "create Two --remote", "npm run workspace -- --remote create Two"],
  ["demo", "film.mp4 --exit --upload", "npm run demo -- --exit --upload film.mp4"],
  ["deploy", "--dry-run", "npm run deploy -- --dry-run"],
  ["secrets", "new --file x.json", "npm run secrets -- --file new x.json"],
])("npm run %s %s, which lacks the --, is refused with the right command", async (script, args, right) => {
  const path = resolve(`scripts/${script}.ts`);
  await writeFile(join(folder, "package.json"), JSON.stringify({ scripts: { [script]: `node ${path}` } }));
  const words = ["npm", "run", "--silent", script, ...args.split(" ")];
  const { status, output } = run(words, folder);
  expect([status, output]).toEqual([2, expect.stringContaining(`Run: ${right}\n`)]);
});

test("npm run dev --port=999, which npm takes as its own, is answered with the variable", async () => {
  const path = resolve("scripts/dev.ts");
  await writeFile(join(folder, "package.json"), JSON.stringify({ scripts: { dev: `node ${path}` } }));
  const { status, output } = run(["npm", "run", "--silent", "dev", "--port=999"], folder);
  expect([status, output]).toEqual([2, expect.stringContaining("Run: PORT=999 npm run dev\n")]);
});

test("the data of a bare wrangler dev, which has no tables, is named in one line, and its workspaces once it has some", async () => {
  await symlink(resolve("wrangler.toml"), join(folder, "wrangler.toml"));
  const state = join(folder, ".wrangler/state/v3");
  await mkdir(state, { recursive: true });
  const workspace = (...words: string[]) => run([process.execPath, resolve("scripts/workspace.ts"), ...words], folder);
  const { status, output } = workspace("create", "Two", "--dev");
  expect([status, output]).toEqual([1, `There is no data in ${state}. Run npm run dev first.\n`]);
  await withLocalDatabase(state, async (database) => {
    await database.exec("CREATE TABLE organisations (id, name, created_at)");
    await database.exec("CREATE TABLE workspaces (id, organisation_id, name, created_at)");
    await database.exec("CREATE TABLE credentials (id, workspace_id, name, secret_hash, created_at)");
  });
  expect(workspace("create", "Two", "--dev").output).toContain(
    'Created the workspace "Two" in the data of npm run dev.\n',
  );
  expect(workspace("list", "--dev").output).toMatch(/ Two\n$/);
});
