/** `npm run data:move` and the settings of the distributed engine, as an owner runs them, on a stand-in of wrangler's command line. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { STREAM_SCHEMA } from "../../../src/analytics/store/stream-schema.ts";
import { copyOf, newDeployment, type TestDeployment } from "../../support/deployments.ts";

const STREAM = "0123456789abcdef".repeat(2);
const ENGINE = {
  viewStream: STREAM,
  vars: {
    R2_SQL_URL: "https://api.sql.cloudflarestorage.com/api/v1/accounts/a/basin-sql/query/sluice-views",
    R2_SQL_TABLE: "sluice.views",
  },
};

let deployment: TestDeployment;
afterEach(() => deployment.remove());

const configure = (settings: object) =>
  writeFile(join(deployment.root, "sluice.config.json"), JSON.stringify(settings));
const move = (...args: string[]) => deployment.run("data-move.ts", args);

describe("npm run deploy", () => {
  test("binds the stream, and says in a dry run which stream and table it uses", async () => {
    deployment = await newDeployment();
    await configure(ENGINE);
    const dryRun = await deployment.run("deploy.ts", ["--dry-run"]);
    expect(dryRun.output).toContain(`use     views        stream ${STREAM}, table sluice.views of R2 SQL\n`);
    expect(dryRun.output).toContain("Note: The secret R2_SQL_TOKEN is not set");
    expect((await deployment.run("deploy.ts", ["--yes"])).code).toBe(0);
    const { config } = (await deployment.account()).workers["sluice"]!;
    expect(config).toMatchObject({ pipelines: [{ binding: "VIEW_STREAM", stream: STREAM }], vars: ENGINE.vars });
  });

  test("binds no stream without the setting, and says nothing about it", async () => {
    deployment = await newDeployment();
    const { output } = await deployment.run("deploy.ts", ["--yes"]);
    expect(output).not.toMatch(/use +views|R2_SQL/);
    expect((await deployment.account()).workers["sluice"]!.config["pipelines"]).toBeUndefined();
  });

  test("refuses a stream without the table's settings before it does anything", async () => {
    deployment = await newDeployment();
    await configure({ viewStream: STREAM });
    const { code, output } = await deployment.run("deploy.ts", ["--yes"]);
    expect([code, output]).toEqual([
      1,
      expect.stringContaining("viewStream needs vars.R2_SQL_URL and vars.R2_SQL_TABLE"),
    ]);
    expect(await deployment.commands()).toEqual([]);
  });
});

describe("npm run data:move of a deployment", () => {
  let workspaceId: string;
  /** The state of the workspace in the account's database. */
  const stateOf = async () =>
    (await deployment.rows("SELECT view_store, view_store_progress AS progress FROM workspaces"))[0];
  const setState = (sql: string) => deployment.execute(`UPDATE workspaces SET ${sql}`);

  let deployed: TestDeployment;
  beforeAll(async () => {
    deployment = deployed = await newDeployment();
    await configure(ENGINE);
    const { output } = await deployment.run("deploy.ts", ["--yes"]);
    workspaceId = /^ {2}workspace +(\S+)$/m.exec(output)![1]!;
    await deployment.setSecret("sluice", "R2_SQL_TOKEN", "t");
  });
  afterAll(() => deployed.remove());
  beforeEach(async () => {
    deployment = await copyOf(deployed);
  });

  test("start begins the copy once, and a repeat says how far it is", async () => {
    expect(await move("start", workspaceId, "--remote")).toEqual({
      code: 0,
      output: "The Worker copies the views within hours. npm run data:move -- status --remote says how far it is.\n",
    });
    expect(await stateOf()).toEqual({ view_store: "moving", progress: null });
    await setState("view_store_progress = '5 of 9 views can be read in the table'");
    expect(await move("start", workspaceId, "--remote")).toEqual({
      code: 0,
      output: "The views of the workspace are being copied to R2 SQL: 5 of 9 views can be read in the table.\n",
    });
    expect(await stateOf()).toEqual({ view_store: "moving", progress: "5 of 9 views can be read in the table" });
    expect((await move("status", "--remote")).output).toBe(
      `${workspaceId}  moving  Main  5 of 9 views can be read in the table\n`,
    );
    await setState("view_store = 'distributed'");
    expect(await move("start", workspaceId, "--remote")).toEqual({
      code: 0,
      output: "The views of the workspace are in R2 SQL.\n",
    });
    expect(await stateOf()).toMatchObject({ view_store: "distributed" });
  });

  test("back begins the way back after the switch, and not before", async () => {
    const early = await move("back", workspaceId, "--remote");
    expect(early).toEqual({ code: 0, output: "The views of the workspace are in its stores.\n" });
    await setState("view_store = 'moving'");
    const moving = await move("back", workspaceId, "--remote");
    expect(moving).toEqual({
      code: 1,
      output: "The views of the workspace are being copied to R2 SQL. Nothing was changed.\n",
    });
    await setState("view_store = 'distributed'");
    expect((await move("back", workspaceId, "--remote")).output).toMatch(
      /^The Worker copies the views back within hours/,
    );
    expect(await stateOf()).toEqual({ view_store: "returning", progress: null });
    const start = await move("start", workspaceId, "--remote");
    expect([start.code, start.output]).toEqual([1, expect.stringContaining("copied back from R2 SQL. Nothing was")]);
  });

  test.each([
    ["moving", "embedded"],
    ["returning", "distributed"],
  ])("stop ends a copy: a workspace that is %s is %s again", async (from, to) => {
    await setState(`view_store = '${from}'`);
    expect((await move("stop", workspaceId, "--remote")).output).toMatch(/^The copy ends within/);
    expect(await stateOf()).toEqual({ view_store: to, progress: null });
    expect((await move("stop", workspaceId, "--remote")).code).toBe(0);
    expect(await stateOf()).toMatchObject({ view_store: to });
  });

  test("a workspace that does not exist is named", async () => {
    for (const verb of ["start", "back", "stop"])
      expect(await move(verb, "nope", "--remote")).toEqual({
        code: 1,
        output: "No workspace has the id nope. npm run data:move -- status --remote lists them.\n",
      });
    expect(await stateOf()).toMatchObject({ view_store: "embedded" });
  });

  test("is refused without the engine, and names all that is missing", async () => {
    await configure({});
    for (const verb of ["start", "back"]) {
      const { code, output } = await move(verb, workspaceId, "--remote");
      expect([code, output]).toEqual([
        1,
        "the deployment on Cloudflare has no distributed engine: vars.R2_SQL_URL, vars.R2_SQL_TABLE, viewStream are missing (docs/guides/video-data.md).\n",
      ]);
    }
    await configure(ENGINE);
    await deployment.setSecret("sluice", "R2_SQL_TOKEN", null);
    const { output } = await move("start", workspaceId, "--remote");
    expect(output).toContain(": the secret R2_SQL_TOKEN is missing (");
    expect(await stateOf()).toMatchObject({ view_store: "embedded" });
  });
});

test("the platform on this machine has no such engine", async () => {
  deployment = await newDeployment();
  expect(await move("start", "any")).toEqual({
    code: 1,
    output:
      "the data of npm start has no distributed engine: R2_SQL_URL, R2_SQL_TABLE, R2_SQL_TOKEN, VIEW_STREAM are missing (docs/guides/video-data.md).\n",
  });
});

test("schema prints the stream's schema, which wrangler takes", async () => {
  deployment = await newDeployment();
  const { code, output } = await move("schema");
  expect([code, JSON.parse(output)]).toEqual([0, STREAM_SCHEMA]);
});

test.each([
  [[], 2, "A command is missing: start, back, stop, status, schema."],
  [["strat", "x"], 2, 'Unknown command "strat"; did you mean start?'],
  [["start"], 2, "The workspace's id is missing."],
  [["start", "a", "b"], 2, 'Unexpected argument "b".'],
  [["back"], 2, "The workspace's id is missing."],
  [["status", "all"], 2, 'Unexpected argument "all".'],
  [["start", "x", "--remote", "--dev"], 2, "--remote and --dev exclude each other."],
  [["start", "x", "--remot"], 2, "There is no option --remot; did you mean --remote?"],
  [["--help"], 0, "npm run data:move -- start WORKSPACE"],
])("%j ends with %i and says what would be right", async (args, code, words) => {
  deployment = await newDeployment();
  const result = await move(...args);
  expect([result.code, result.output]).toEqual([code, expect.stringContaining(words)]);
});
