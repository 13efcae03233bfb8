/**
 * `npm test`: the checks, the bundle's size and every test; ends with `N passed, N failed`, counted from the reports.
 * `npm test -- pure worker` runs only those projects (pure, fuzz, worker, encoder, gateway, crash, growing, e2e, platform).
 */
import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { relative } from "node:path";
import { check } from "./check.ts";
import { dryRunDeploy } from "./deploy-dry-run.ts";
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

/**
 * One phase after another; the lanes of a phase side by side. Those of the last one mostly wait for what happens in real time; the others
 * need the machine for themselves.
 */
const PHASES = [[["pure", "fuzz", "worker", "encoder", "gateway", "growing"]], [["e2e"], ["platform", "crash"]]];
const asked = process.argv.slice(2);
const isAsked = (project: string) => asked.length === 0 || asked.includes(project);
let passed = 0;
let failed = 0;
const failures: string[] = [];
/** Of what is printed of an error outside of every test, in characters. */
const MOST_SHOWN = 3000;
function count(ok: boolean): boolean {
  if (ok) passed += 1;
  else failed += 1;
  return ok;
}

/** What it prints comes at its end, in one piece. */
async function runProject(project: string): Promise<void> {
  const report = `dist/reports/${project}.json`;
  const startedAt = performance.now();
  console.log(`… ${project} tests begin`);
  const child = spawn(
    "vitest",
    ["run", "--project", project, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? "1" : "0" } },
  );
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((done) => child.once("close", done));
  const text = Buffer.concat(output).toString();
  process.stdout.write(text);
  console.log(`… ${project} tests took ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
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
  // A file that does not load has no test to count, and an error outside of every test fails the run alone.
  if (code === 0 || result.numFailedTests > 0) return;
  count(false);
  const at = text.indexOf("Unhandled");
  failures.push(`${project}: vitest ended with ${code}\n${at < 0 ? "" : text.slice(at, at + MOST_SHOWN)}`);
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

await mkdir("dist/reports", { recursive: true });
await installTestDependencies();
for (const { name, ok } of await check()) if (!count(ok)) failures.push(`check: ${name}`);
if (!count(await dryRunDeploy())) failures.push("wrangler deploy --dry-run");
for (const lanes of PHASES)
  await Promise.all(
    lanes.map(async (lane) => {
      for (const project of lane.filter(isAsked)) await runProject(project);
    }),
  );
// Last, because the end of a long log is what is read first.
for (const text of failures) console.log(`\nFAILED ${text}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
