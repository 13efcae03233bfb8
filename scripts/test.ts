/**
 * `npm test`: the checks, the bundle's size and every test; ends with `N passed, N failed`, counted from the reports.
 * `npm test -- pure worker` runs only those projects (pure, worker, encoder, gateway, platform).
 */
import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { check } from "./check.ts";
import { dryRunDeploy } from "./deploy-dry-run.ts";
import { installTestDependencies } from "./test-dependencies.ts";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numFailedTestSuites: number;
  success: boolean;
}

const PROJECTS = ["pure", "worker", "encoder", "gateway", "platform"];
const asked = process.argv.slice(2);
const projects = asked.length > 0 ? PROJECTS.filter((project) => asked.includes(project)) : PROJECTS;
let passed = 0;
let failed = 0;
const count = (ok: boolean) => (ok ? (passed += 1) : (failed += 1));

async function runProject(project: string): Promise<void> {
  const report = `dist/reports/${project}.json`;
  const child = spawn(
    "vitest",
    ["run", "--project", project, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    { stdio: "inherit" },
  );
  const code = await new Promise<number | null>((done) => child.once("close", done));
  const result = await readFile(report, "utf8").then(
    (text) => JSON.parse(text) as Report,
    () => null,
  );
  if (result === null) {
    console.error(`The ${project} tests left no report.`);
    return void count(false);
  }
  passed += result.numPassedTests;
  failed += result.numFailedTests;
  // A file that does not load has no test to count, and an error outside of every test fails the run alone.
  if (code !== 0 && result.numFailedTests === 0) count(false);
}

await mkdir("dist/reports", { recursive: true });
await installTestDependencies();
for (const { ok } of await check()) count(ok);
count(await dryRunDeploy());
for (const project of projects) await runProject(project);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
