/** `npm run search`, as an owner runs it, on a stand-in of wrangler's command line. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { newDeployment, type TestDeployment } from "../../support/deployments.ts";

let deployment: TestDeployment;
let workspaceId: string;
beforeAll(async () => {
  deployment = await newDeployment();
  const { output } = await deployment.run("deploy.ts", ["--yes"]);
  workspaceId = /^ {2}workspace +(\S+)$/m.exec(output)![1]!;
});
afterAll(() => deployment.remove());

const search = (...args: string[]) => deployment.run("search.ts", [...args, "--remote"]);
const status = async () => (await search("status")).output;

test("rebuild asks the Worker for the whole index, and status says how far it is", async () => {
  expect(await status()).toBe(`${workspaceId}  up to date  Main\n`);
  await deployment.execute(`INSERT INTO search_changes (workspace_id, asset_id) VALUES ('${workspaceId}', 'a')`);
  expect(await status()).toBe(`${workspaceId}  1 change waiting  Main\n`);
  expect(await search("rebuild", workspaceId)).toEqual({
    code: 0,
    output:
      "The Worker makes the index anew within minutes; until then, searches find a part. npm run search -- status --remote says whether it is done.\n",
  });
  expect(await status()).toBe(`${workspaceId}  is made anew  Main\n`);
  expect(await deployment.rows("SELECT workspace_id, asset_id FROM search_changes ORDER BY seq")).toEqual([
    { workspace_id: workspaceId, asset_id: "a" },
    { workspace_id: workspaceId, asset_id: "" },
  ]);
});

test("a workspace that does not exist is named, and nothing is asked for", async () => {
  const before = await deployment.rows("SELECT count(*) AS count FROM search_changes");
  expect(await search("rebuild", "nope")).toEqual({
    code: 1,
    output: "No workspace has the id nope. npm run search -- status --remote lists them.\n",
  });
  expect(await deployment.rows("SELECT count(*) AS count FROM search_changes")).toEqual(before);
});

test.each([
  [[], 2, "A command is missing: rebuild, status."],
  [["rebuild"], 2, "The workspace's id is missing."],
  [["--help"], 0, "npm run search -- rebuild WORKSPACE"],
])("%j ends with %i and says what would be right", async (args, code, words) => {
  const result = await deployment.run("search.ts", args);
  expect([result.code, result.output]).toEqual([code, expect.stringContaining(words)]);
});
