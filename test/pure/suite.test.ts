/** `npm test -- --changed`: which tests a change runs. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { announcement } from "../../scripts/suite/announcement.ts";
import { parseArguments } from "../../scripts/suite/arguments.ts";
import { isTest, PLATFORM_TESTS, testsFor } from "../../scripts/suite/changed.ts";
import { importGraph, namedIn, reachedFrom, repositoryFiles } from "../../scripts/suite/import-graph.ts";
import { PROJECTS, projectOf } from "../../scripts/suite/lanes.ts";
import { isFullOnly } from "../../scripts/suite/tiers.ts";

const files = repositoryFiles();
const graph = importGraph(files);
const tests = files.filter(isTest);

describe("a file names", () => {
  const known = new Set(["src/a.ts", "src/b.ts", "src/own/child.ts", "scripts/start.ts", "docs/page.md"]);
  const named = (text: string) => namedIn("src/own/file.ts", text, known);

  test.each([
    ["what it imports", `import { a } from "../a.ts";`, ["src/a.ts"]],
    ["what it exports from another", `export * from "../a.ts";`, ["src/a.ts"]],
    ["what it imports when it runs", `await import("../a.ts")`, ["src/a.ts"]],
    ["what it starts beside itself", `fork(new URL("./child.ts", import.meta.url))`, ["src/own/child.ts"]],
    ["what it starts in its own folder", "`${import.meta.dirname}/child.ts`", ["src/own/child.ts"]],
    ["what it starts from the root", `spawn("node", ["scripts/start.ts"])`, ["scripts/start.ts"]],
    ["what it reads as text", `import page from "../../docs/page.md?raw";`, ["docs/page.md"]],
  ])("%s", (_, text, names) => {
    expect(named(text)).toEqual(names);
  });

  test("but not files it imports only types from, itself, or paths of no file", () => {
    expect(named(`import type { A } from "../a.ts";\nconst own = "./file.ts"; const no = "../c.ts";`)).toEqual([]);
    expect(named(`import type { A } from "../a.ts";\nimport { b } from "../b.ts";`)).toEqual(["src/b.ts"]);
  });
});

test("a change reaches all files that name it, transitively, and terminates in cycles", () => {
  const chain = new Map([
    ["a", ["b"]],
    ["b", ["c"]],
    ["c", ["a"]],
    ["d", ["e"]],
  ]);
  expect([...reachedFrom(["c"], chain)].sort()).toEqual(["a", "b", "c"]);
});

describe("the change of", () => {
  test.each([
    ["a job's process", "encoder/jobs/child.ts", "test/encoder/service.test.ts"],
    ["an SRT caller's process", "encoder/gateway/srt/child.ts", "test/gateway/srt.test.ts"],
    ["the process of a fuzz target", "test/fuzz/child.ts", "test/fuzz/fuzz.test.ts"],
    ["the Worker's settings", "wrangler.toml", "test/worker/tenancy/tenancy.test.ts"],
    ["the Worker", "src/worker.ts", "test/worker/tenancy/tenancy.test.ts"],
    ["the setup of the Worker's tests", "test/worker/setup.ts", "test/worker/tenancy/tenancy.test.ts"],
    ["the tester", "conformance/dash/check.ts", "test/conformance/dash.test.ts"],
    ["a page", "docs/guides/live.md", "test/pure/docs.test.ts"],
    ["the player page", "player/player.ts", "test/e2e/player-page.test.ts"],
    ["the command line", "sdk/cli/main.ts", "test/platform/full/sluice-command.test.ts"],
    ["the SDK's README", "sdk/README.md", "test/platform/full/sdk-package.test.ts"],
    ["npm start", "scripts/start.ts", "test/platform/full/start.test.ts"],
    ["what the platform's tests share", "test/support/platform.ts", "test/crash/full/kill-matrix.test.ts"],
    ["a test", "test/pure/suite.test.ts", "test/pure/suite.test.ts"],
  ])("%s runs its tests", (_, path, expected) => {
    expect(files).toContain(path);
    expect(testsFor([path], graph)).toContain(expected);
  });

  test("the player page runs only the tests in workerd that read the pages", () => {
    const inWorkerd = testsFor(["player/labels.ts"], graph).filter((path) => projectOf(path) === "worker");
    expect(inWorkerd).toEqual(["test/worker/playback/pages.test.ts"]);
  });

  test("a migration runs every test in workerd", () => {
    const migration = files.find((path) => /^migrations\/\d+.*\.sql$/.test(path))!;
    const inWorkerd = tests.filter((path) => projectOf(path) === "worker");
    expect(testsFor([migration], graph)).toEqual(expect.arrayContaining(inWorkerd));
  });

  test.each(["package.json", "package-lock.json", "vitest.config.ts", "tsconfig.base.json"])(
    "%s runs all tests",
    (path) => {
      expect(testsFor([path], graph).sort()).toEqual([...tests].sort());
    },
  );

  test("a change that no test reaches runs this test, which looks at every path", () => {
    expect(testsFor(["LICENSE"], graph)).toEqual(["test/pure/suite.test.ts"]);
  });

  test("the Worker does not run every test of the platform", () => {
    const ofPlatform = testsFor(["src/worker.ts"], graph).filter((path) => /^test\/(e2e|platform|crash)\//.test(path));
    expect(ofPlatform).toEqual(["test/e2e/player-page.test.ts"]);
  });
});

describe("tests that stand for the platform", () => {
  test.each(PLATFORM_TESTS.map((row) => [String(row.changed), row] as const))(
    "%s: files of that name and its tests exist",
    (_, row) => {
      expect(files.some((path) => row.changed.test(path))).toBe(true);
      expect(row.tests.filter((path) => !tests.includes(path))).toEqual([]);
    },
  );
});

test("the table of twins names every file of the full tier, and only files that exist", () => {
  const page = readFileSync("docs/decisions/0126-two-tiers-of-tests.md", "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const [moved, twins] = [1, 2].map((column) =>
    rows.flatMap((row) => [...row.split("|")[column]!.matchAll(/test\/[\w/.-]+/g)].map(([path]) => path)),
  );
  expect(moved!.toSorted()).toEqual(tests.filter(isFullOnly).toSorted());
  expect(twins!.filter((path) => !tests.includes(path) || isFullOnly(path))).toEqual([]);
});

test("no project has an exclude of its own: Vitest would ignore the one that leaves out the full tier", () => {
  expect(readFileSync("vitest.config.ts", "utf8")).not.toMatch(/^\s*exclude:/m);
});

test("every test belongs to a project, and every project has tests", () => {
  expect([...new Set(tests.map(projectOf))].sort()).toEqual([...PROJECTS].sort());
});

test("a run names a few files, and counts many", () => {
  expect(announcement("pure", ["a.test.ts", "b.test.ts"])).toBe("… pure tests begin: a.test.ts b.test.ts");
  const counted = "… 135 worker test files begin; their output comes when all have ended";
  expect(announcement("worker", Array<string>(135).fill("a.test.ts"))).toBe(counted);
  expect(announcement("worker", null)).toBe(counted.replace("135 worker test files", "worker tests"));
});

describe("npm test --", () => {
  test.each([
    [[], { projects: [], since: null, files: [], tier: "default" }],
    [["--full"], { projects: [], since: null, files: [], tier: "full" }],
    [["pure", "worker"], { projects: ["pure", "worker"], since: null, files: [], tier: "full" }],
    [["test/pure/docs.test.ts"], { projects: [], since: null, files: ["test/pure/docs.test.ts"], tier: "full" }],
    [["--changed"], { projects: [], since: "HEAD", files: [], tier: "full" }],
    [["--changed", "--full"], { projects: [], since: "HEAD", files: [], tier: "full" }],
    [["--changed", "main"], { projects: [], since: "main", files: [], tier: "full" }],
    [["--changed", "worker"], { projects: ["worker"], since: "HEAD", files: [], tier: "full" }],
    [["pure", "--changed", "main", "worker"], { projects: ["pure", "worker"], since: "main", files: [], tier: "full" }],
  ])("%j", (words, selection) => {
    expect(parseArguments(words)).toEqual(selection);
  });

  test("a project that does not exist is refused", () => {
    expect(() => parseArguments(["wroker"])).toThrow("unknown: wroker");
  });

  test("projects beside files are refused: none of the files may be theirs", () => {
    expect(() => parseArguments(["crash", "test/worker/imports"])).toThrow("not both");
  });
});
