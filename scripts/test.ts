/**
 * `npm test`: the checks, the bundle's size and the default tier of the tests; `npm run test:full`: all tests (suite/tiers.ts). Ends with
 * `N passed, N failed`, counted from the reports.
 *
 * `npm test -- pure worker` runs only those projects (suite/lanes.ts), `npm test -- test/pure/docs.test.ts` only that file, `npm test -- --changed` only
 * the tests that uncommitted changes can break, and `npm test -- --changed main` those that the changes since `main` can break (suite/changed.ts). These
 * run both tiers of what they name.
 */
import { spawn } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { check } from "./check.ts";
import { dryRunDeploy } from "./deploy-dry-run.ts";
import { announcement } from "./suite/announcement.ts";
import { parseArguments, type Selection } from "./suite/arguments.ts";
import { changedFiles, testsFor } from "./suite/changed.ts";
import { importGraph } from "./suite/import-graph.ts";
import { PHASES, projectOf, PROJECTS } from "./suite/lanes.ts";
import { makeTemporaryFolder } from "./suite/temporary-folder.ts";
import { fuzzRuns, isFullOnly, vitestArguments } from "./suite/tiers.ts";
import { installTestDependencies } from "./test-dependencies.ts";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numFailedTestSuites: number;
  success: boolean;
  testResults: {
    name: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

const HELP = `npm test [-- PROJECT … | FILE …] [--changed [COMMIT]]

Runs the checks, the bundle's size and the default tier of the tests, which has each guarantee at least once. npm run test:full runs all tests.
With projects, files or --changed, both tiers of what is named run.

  --changed          only the tests that uncommitted changes can break
  --changed COMMIT   those that the changes since the commit can break

Projects: ${PROJECTS.join(", ")}`;

if (process.argv.includes("--help")) {
  console.log(HELP);
  process.exit(0);
}
const selection = orRefuse(() => parseArguments(process.argv.slice(2)));
/** The test files to run; null = all. */
const files = orRefuse(() => selectedFiles(selection));
const { tier } = selection;
/** The projects that have tests to run. */
const selected = new Set(
  (files ?? globSync("test/**/*.test.ts"))
    .filter((file) => tier === "full" || !isFullOnly(file))
    .map(projectOf)
    .filter((project) => selection.projects.length === 0 || selection.projects.includes(project)),
);
/** Seconds that each part took, in the order in which they ended. */
const times = new Map<string, number>();
const startedAt = performance.now();
if (tier === "full" && !process.env["WHISPER_MODEL"])
  console.log(
    "WHISPER_MODEL is not set: captions are not proven with a real speech model (npx sluice whisper get base-q5_1).",
  );
const secondsSince = (startMs: number) => Math.round((performance.now() - startMs) / 1000);
let passed = 0;
let failed = 0;
const failures: string[] = [];
/** Printed characters of an error outside of every test. */
const MOST_SHOWN = 3000;
function count(ok: boolean): boolean {
  if (ok) passed += 1;
  else failed += 1;
  return ok;
}

/** Runs a project. Prints its output at the end, in one piece. */
async function runProject(project: string): Promise<void> {
  const ofProject = files?.filter((file) => projectOf(file) === project) ?? [];
  const report = `dist/reports/${project}.json`;
  await rm(report, { force: true }); // an old report must not be counted
  const projectStartedAt = performance.now();
  console.log(announcement(project, files === null ? null : ofProject));
  const vitest = [
    "run",
    "--project",
    project,
    "--reporter=./scripts/suite/source-lines.ts",
    "--reporter=default",
    "--reporter=json",
    ...vitestArguments(tier),
  ];
  const child = spawn("vitest", [...vitest, `--outputFile.json=${report}`, ...ofProject], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      NODE_COMPILE_CACHE: resolve("dist/compiled"), // tests start hundreds of Node processes
      ...fuzzRuns(tier),
      ...process.env,
      ...(temporaryFolder === null ? {} : { TMPDIR: temporaryFolder }),
      FORCE_COLOR: process.stdout.isTTY ? "1" : "0",
    },
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((done) => child.once("close", done));
  const text = Buffer.concat(output).toString();
  process.stdout.write(text);
  times.set(project, secondsSince(projectStartedAt));
  console.log(`… ${project} tests took ${times.get(project)} s\n`);
  const result = await readFile(report, "utf8").then(
    (text) => JSON.parse(text) as Report,
    () => null,
  );
  if (result === null) {
    failures.push(`${project}: left no report`);
    return void count(false);
  }
  passed += result.numPassedTests;
  failed += result.numFailedTests;
  failures.push(...failuresOf(result).map((failure) => `${project}: ${failure}`));
  // A file that does not load or whose hook fails has no failed test to count, and an error outside of every test fails the run alone.
  if (code === 0 || result.numFailedTests > 0) return;
  count(false);
  failures.push(`${project}: vitest ended with ${code}\n${errorIn(text)}`);
}

/** The part of vitest's output that its report lacks: the first error of a hook, a file that does not load or no test at all. */
function errorIn(output: string): string {
  const text = stripVTControlCharacters(output);
  const at = text.search(/^ FAIL |Unhandled/m);
  return at < 0 ? "" : text.slice(at, at + MOST_SHOWN);
}

/** One text for each failed test and for each file that did not load. */
function failuresOf({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => `${file} > ${fullName}\n${failureMessages.join("\n")}`);
    return tests.length === 0 && message !== "" ? [`${file}\n${message}`] : tests;
  });
}

async function runChecks(): Promise<void> {
  for (const { name, ok } of await check()) if (!count(ok)) failures.push(`check: ${name}`);
  if (!count(await dryRunDeploy())) failures.push("wrangler deploy --dry-run");
}

/** Ends with status 2 when the words of the command name what does not exist. */
function orRefuse<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

function selectedFiles({ since, files: named }: Selection): string[] | null {
  if (since !== null) {
    const changed = changedFiles(since);
    console.log(
      `Changed files: ${changed.length}. Reading the imports of all files to find the tests that they can break…`,
    );
    return testsFor(changed, importGraph());
  }
  const missing = named.filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Error(`there is no ${missing.join(", ")}`);
  return named.length > 0 ? named : null;
}

await mkdir("dist/reports", { recursive: true });
await installTestDependencies();
const temporaryFolder = await makeTemporaryFolder();
await runChecks();
times.set("checks", secondsSince(startedAt));
for (const lanes of PHASES)
  await Promise.all(
    lanes.map(async (projects) => {
      for (const project of projects) if (selected.has(project)) await runProject(project);
    }),
  );
// Last, because readers start at the end of a long log.
for (const text of failures) console.log(`\nFAILED ${text}`);
const parts = [...times].map(([part, seconds]) => `${part} ${seconds} s`);
console.log(`\n${tier === "full" ? "Both tiers" : "Default tier"}: ${secondsSince(startedAt)} s (${parts.join(", ")})`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
