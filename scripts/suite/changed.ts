/** `npm test -- --changed`: the tests that a change can break. */
import { execFileSync, spawnSync } from "node:child_process";
import { type ImportGraph, reachedFrom } from "./import-graph.ts";

/** Changes that can break anything. */
const EVERYTHING = /^(package(-lock)?\.json|vitest\.config\.ts|tsconfig[^/]*\.json)$/;

/** Every test in workerd depends on the setup, which loads the whole Worker and all migrations. */
const EVERY_WORKER_TEST =
  /^(wrangler\.toml|migrations\/.*|src\/worker\.ts|test\/worker\/setup\.ts|test\/support\/worker-global-setup\.ts)$/;

/** The setup builds the pages, which few of those tests read. */
const PAGES = /^player\//;

/** Tests that read a whole folder. */
const READS: readonly { test: string; folder: RegExp }[] = [
  { test: "test/pure/suite.test.ts", folder: /./ },
  { test: "test/pure/docs.test.ts", folder: /^(docs\/|README\.md|sdk\/README\.md)/ },
  { test: "test/worker/playback/pages.test.ts", folder: PAGES },
  { test: "test/pure/events/docs.test.ts", folder: /^(src|durable-objects)\// },
  { test: "test/pure/events/webhooks/deploying-guide.test.ts", folder: /^migrations\// },
  { test: "test/fuzz/fuzz.test.ts", folder: /^test\/fuzz\// },
  { test: "test/fuzz/planted.test.ts", folder: /^test\/fuzz\// },
];

/** Projects whose tests start the whole platform: by imports, every change of the product would select all of them. */
const STARTS_PLATFORM = /^test\/(e2e|platform|broadcast|crash)\//;

/** The platform tests that represent a part of the product. Named tests aside, the others run in `npm test` or `npm run test:full`. */
export const PLATFORM_TESTS: readonly { changed: RegExp; tests: readonly string[] }[] = [
  { changed: /^(src|durable-objects|player|migrations)\/|^wrangler\.toml$/, tests: ["test/e2e/player-page.test.ts"] },
  {
    changed: /^(src|durable-objects|scripts|sdk)\/(.*\/)?webhook/,
    tests: ["test/platform/full/webhook-listen.test.ts", "test/platform/full/webhook-guide.test.ts"],
  },
  {
    changed: /^(src|durable-objects|encoder|protocol)\/(.*\/)?(live|gateway)/,
    tests: ["test/broadcast/ways-in.test.ts", "test/broadcast/simulcast.test.ts"],
  },
  { changed: /^src\/media\//, tests: ["test/e2e/players-passthrough.test.ts"] },
  {
    changed: /^encoder\/(?!live\/|gateway\/)|^src\/(.*\/)?(encoding|sources)\//,
    tests: ["test/platform/bad-sources.test.ts"],
  },
  {
    changed: /^sdk\/|^scripts\/build-sdk/,
    tests: [
      "test/platform/full/sluice-command.test.ts",
      "test/platform/full/sdk-package.test.ts",
      "test/e2e/sdk-upload.test.ts",
    ],
  },
  { changed: /^scripts\/(start|local|demo)/, tests: ["test/platform/full/start.test.ts"] },
  { changed: /^scripts\/(dev|local|workspace|credential)|^wrangler\.toml$/, tests: ["test/platform/full/dev.test.ts"] },
];

export const isTest = (path: string) => /^test\/.*\.test\.ts$/.test(path);

/** Test files that a change of these files can break. */
export function testsFor(changed: readonly string[], graph: ImportGraph): string[] {
  const tests = [...graph.keys()].filter(isTest);
  if (changed.some((path) => EVERYTHING.test(path))) return tests;
  const reached = reachedFrom(changed, graph);
  const besidePages = changed.filter((path) => !PAGES.test(path));
  const reachesWorker = [...reachedFrom(besidePages, graph)].some((path) => EVERY_WORKER_TEST.test(path));
  const isChanged = (pattern: RegExp) => changed.some((path) => pattern.test(path));
  const ofPlatform = new Set(PLATFORM_TESTS.filter((row) => isChanged(row.changed)).flatMap((row) => row.tests));
  const readers = new Set(
    READS.filter(({ folder }) => [...reached].some((path) => folder.test(path))).map(({ test }) => test),
  );
  const reachedByTests = reachedFrom(changed, testsOnly(graph));
  return tests.filter((test) => {
    if (STARTS_PLATFORM.test(test)) return ofPlatform.has(test) || reachedByTests.has(test);
    return reached.has(test) || readers.has(test) || (reachesWorker && test.startsWith("test/worker/"));
  });
}

/** The graph's edges that start in test files and their shared code. */
const testsOnly = (graph: ImportGraph): ImportGraph => new Map([...graph].filter(([path]) => path.startsWith("test/")));

/** @param since a commit; uncommitted changes and new files are included */
export function changedFiles(since: string): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);
  if (spawnSync("git", ["rev-parse", "--verify", "--quiet", `${since}^{commit}`]).status !== 0)
    throw new Error(`there is no commit ${since}`);
  return [...new Set([...git("diff", "--name-only", since), ...git("ls-files", "--others", "--exclude-standard")])];
}
