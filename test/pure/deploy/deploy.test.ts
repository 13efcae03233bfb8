import { spawnSync } from "node:child_process";
/** `npm run deploy` as an owner runs it, on a stand-in of wrangler's command line. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readBaseConfig, resourceNames } from "../../../scripts/deploy/config.ts";
import { optionsOf } from "../../../scripts/workspaces/target.ts";
import { newDeployment, type TestDeployment } from "../../support/deployments.ts";
import { READS } from "../../support/wrangler-stand-in.ts";

let deployment: TestDeployment;
afterEach(() => deployment.remove());

const writesAmong = (commands: string[]) =>
  commands.filter((command) => !READS.some((read) => command.startsWith(read)));
const QUEUES = resourceNames(await readBaseConfig()).queues.map((queue) => queue.replace("sluice-", ""));
const queuesOf = (name: string) => QUEUES.map((queue) => `${name}-${queue}`);
const valueOf = (output: string, label: string) => new RegExp(`^  ${label} +(\\S+)$`, "m").exec(output)?.[1];

test("a dry run says what it would do, and does nothing", async () => {
  deployment = await newDeployment();
  const { code, output } = await deployment.run("deploy.ts", ["--dry-run"], { WRANGLER_DOCKER_BIN: "false" });
  expect(code).toBe(0);
  for (const line of [
    "D1 database  sluice",
    "R2 bucket    sluice-media",
    ...queuesOf("sluice").map((name) => `queue        ${name}`),
  ])
    expect(output).toContain(`create  ${line}\n`);
  expect(output).toContain("use     address      sluice on workers.dev\n");
  expect(output).toContain("secrets.json");
  expect(output).toContain("deploy  Worker       sluice");
  expect(output).toContain("Docker builds the encoder's image, and does not run here");
  expect(writesAmong(await deployment.commands())).toEqual([]);
  for (const file of ["secrets.json", "wrangler.deploy.json"])
    expect(existsSync(join(deployment.root, file))).toBe(false);
});

test("the plan says when git would publish the secrets that the deployment creates", async () => {
  deployment = await newDeployment();
  spawnSync("git", ["init", "--quiet"], { cwd: deployment.root });
  const { output } = await deployment.run("deploy.ts", ["--dry-run"]);
  expect(output).toContain("Note: git does not ignore secrets.json");
  await writeFile(join(deployment.root, ".gitignore"), "secrets.json\n");
  expect((await deployment.run("deploy.ts", ["--dry-run"])).output).not.toContain("git does not ignore");
});

test("a dry run without a login prints the plan for an empty account, and says so", async () => {
  deployment = await newDeployment({ loggedIn: false, buckets: ["sluice-media"] });
  const { code, output } = await deployment.run("deploy.ts", ["--dry-run"]);
  expect(code).toBe(0);
  expect(output).toMatch(/^Not logged in to Cloudflare: this is the plan for an account that has nothing yet\.\n/);
  expect(output).toContain("create  R2 bucket    sluice-media\n");
  expect(output).toContain("nothing was done. You are not logged in to Cloudflare. Run npx wrangler login");
  expect(await deployment.commands()).toEqual(["whoami"]);
});

test("the first deployment makes everything and ends with address, workspace and credentials; the second makes nothing twice", async () => {
  deployment = await newDeployment();
  const first = await deployment.run("deploy.ts", ["--yes"]);
  expect(first.code).toBe(0);
  const made = await deployment.account();
  expect(made.databases.map(({ name }) => name)).toEqual(["sluice"]);
  expect([made.buckets, made.queues]).toEqual([["sluice-media"], queuesOf("sluice")]);
  expect(made.workers["sluice"]?.config).toMatchObject({
    d1_databases: [{ binding: "DB", database_id: made.databases[0]?.uuid }],
    containers: [{ class_name: "EncoderContainer" }],
  });
  const secretsFile = join(deployment.root, "secrets.json");
  const secrets = await readFile(secretsFile, "utf8");
  expect((await stat(secretsFile)).mode & 0o777).toBe(0o600);
  expect(made.workers["sluice"]?.secrets).toEqual(JSON.parse(secrets));
  expect(valueOf(first.output, "address")).toBe("https://sluice.test.workers.dev");
  const password = valueOf(first.output, "password");
  expect(await deployment.rows("SELECT id, workspace_id, secret_hash FROM credentials")).toEqual([
    {
      id: valueOf(first.output, "username"),
      workspace_id: valueOf(first.output, "workspace"),
      secret_hash: createHash("sha256").update(password!).digest("hex"),
    },
  ]);

  await deployment.commands();
  const second = await deployment.run("deploy.ts", ["--yes"]);
  expect(second.code).toBe(0);
  expect(writesAmong(await deployment.commands())).toEqual([
    "d1 migrations apply sluice",
    "deploy",
    "d1 execute sluice",
  ]);
  expect(await readFile(secretsFile, "utf8")).toBe(secrets);
  expect(await deployment.rows("SELECT id FROM workspaces")).toHaveLength(1);
  expect(second.output).not.toContain("password");
  expect(second.output).toContain(`workspace  ${valueOf(first.output, "workspace")}  Main`);
  expect(second.output).toContain("npm run credential -- create --remote");
});

test("a deployment that was killed in the middle continues when it is repeated", async () => {
  deployment = await newDeployment();
  const killed = await deployment.run("deploy.ts", ["--yes"], { STAND_IN_DIES: "queues create sluice-clips" });
  expect(killed.code).toBeNull();
  expect((await deployment.account()).queues.at(-1)).toBe("sluice-clips");
  await deployment.commands();
  const again = await deployment.run("deploy.ts", ["--yes"]);
  expect(again.code).toBe(0);
  expect(again.output).toContain("keep    queue        sluice-clips");
  expect(writesAmong(await deployment.commands())).toEqual([
    ...queuesOf("sluice")
      .slice(3)
      .map((name) => `queues create ${name}`),
    "d1 migrations apply sluice",
    "deploy",
    "d1 execute sluice",
    "d1 execute sluice",
  ]);
  expect((await deployment.account()).databases).toHaveLength(1);
});

test("a step that fails is named with wrangler's words and with what to do, and nothing after it is done", async () => {
  deployment = await newDeployment();
  const { code, output } = await deployment.run("deploy.ts", ["--yes"], {
    STAND_IN_FAILS: "queues create sluice-clips",
  });
  expect(code).toBe(1);
  expect(output).toContain("✗ create  queue        sluice-clips");
  expect(output).toContain("Something is wrong on Cloudflare's side. [code: 10001]");
  expect(output).toContain("Correct the cause and run npm run deploy again: it continues here.");
  expect(writesAmong(await deployment.commands()).at(-1)).toBe("queues create sluice-clips");
  expect((await deployment.account()).workers).toEqual({});
});

test("settings give another name, domain and encoder, and share nothing with the first installation of the account", async () => {
  const existing = {
    databases: [{ uuid: "00000000-0000-4000-8000-000000000001", name: "sluice" }],
    buckets: ["sluice-media"],
  };
  deployment = await newDeployment({ ...existing, queues: queuesOf("sluice") });
  const settings = {
    name: "acme",
    publicUrl: "https://video.example.com",
    routes: ["video.example.com"],
    vars: { ENCODER_URL: "https://encoder.example.com", MAX_SOURCE_BYTES: 5_000_000 },
  };
  await writeFile(join(deployment.root, "sluice.config.json"), JSON.stringify(settings));
  const { code, output } = await deployment.run("deploy.ts", ["--yes"], { WRANGLER_DOCKER_BIN: "false" });
  expect(code).toBe(0);
  expect(valueOf(output, "address")).toBe("https://video.example.com");
  const { queues, buckets, databases, workers } = await deployment.account();
  expect(queues).toEqual([...queuesOf("sluice"), ...queuesOf("acme")]);
  expect([buckets, databases.map(({ name }) => name)]).toEqual([
    ["sluice-media", "acme-media"],
    ["sluice", "acme"],
  ]);
  const { config } = workers["acme"]!;
  expect(config["containers"]).toBeUndefined();
  expect(JSON.stringify(config)).not.toMatch(/"sluice(-|")/);
  expect(config).toMatchObject({
    routes: [{ pattern: "video.example.com", custom_domain: true }],
    vars: {
      PUBLIC_URL: "https://video.example.com",
      ENCODER_URL: "https://encoder.example.com",
      MAX_SOURCE_BYTES: "5000000",
      LIVE_PART_TARGET_MS: "500",
    },
  });
});

test("npm run workspace and npm run credential -- --remote manage the deployment's", async () => {
  deployment = await newDeployment();
  const run = (script: string, ...args: string[]) => deployment.run(script, [...args, "--remote"]);
  expect(await run("workspace.ts", "list")).toEqual({
    code: 1,
    output: "The account has no database sluice. Run npm run deploy first.\n",
  });
  expect((await deployment.run("deploy.ts", ["--yes"])).code).toBe(0);
  const made = await run("workspace.ts", "create", "Bob's");
  const workspaceId = valueOf(made.output, "workspace")!;
  expect((await run("workspace.ts", "list")).output).toMatch(new RegExp(`^${workspaceId} .* Bob's$`, "m"));
  const unnamed = await run("credential.ts", "create");
  expect([unnamed.code, unnamed.output]).toEqual([1, expect.stringContaining("There are several workspaces")]);
  const second = await run("credential.ts", "create", "Robot", "--workspace", workspaceId);
  const id = valueOf(second.output, "username")!;
  expect((await run("credential.ts", "revoke", id)).output).toContain(`Revoked ${id}`);
  const again = await run("credential.ts", "revoke", id);
  expect([again.code, again.output]).toEqual([1, expect.stringMatching(`^${id} is revoked already, since 20.*\n$`)]);
  expect(await run("credential.ts", "revoke", "nope")).toEqual({
    code: 1,
    output: "No credential has the id nope. npm run credential -- list --remote shows all of them.\n",
  });
  const elsewhere = await run("credential.ts", "create", "--workspace", "nope");
  expect([elsewhere.code, elsewhere.output]).toEqual([1, expect.stringMatching("^No workspace has the id nope. Name")]);
  const ofWorkspaces = (output: string) => new Set(output.match(/(?<=workspace )[0-9a-f-]{36}/g));
  const all = (await run("credential.ts", "list")).output;
  expect(all).toMatch(new RegExp(`^${id} .* workspace ${workspaceId}  Robot  revoked`, "m"));
  expect(ofWorkspaces(all).size).toBe(2);
  const own = (await run("credential.ts", "list", "--workspace", workspaceId)).output;
  expect(ofWorkspaces(own)).toEqual(new Set([workspaceId]));
});

test.each([
  ["workspace.ts", [], 2, "npm run workspace -- create NAME"],
  ["workspace.ts", ["create"], 2, "A name is missing.\n\nnpm run workspace -- create NAME"],
  ["workspace.ts", ["crate", "x"], 2, 'Unknown command "crate"; did you mean create?\n\n'],
  ["workspace.ts", ["list", "all"], 2, 'Unexpected argument "all".\n\n'],
  ["credential.ts", [], 2, "A command is missing: create, list, revoke.\n\n"],
  ["credential.ts", ["revoke"], 2, "The credential's id is missing.\n\n"],
  ["secrets.ts", ["rotates"], 2, 'Unknown command "rotates"; did you mean rotate?\n'],
  ["secrets.ts", ["rotate"], 2, "The secret's name is missing.\n"],
  ["secrets.ts", ["rotate", "JOB_SECRETS"], 2, "There is no secret JOB_SECRETS; did you mean JOB_SECRET?\n"],
  ["secrets.ts", ["new", "--flie", "x"], 2, "There is no option --flie; did you mean --file?"],
  ["workspace.ts", ["create", "a\nb"], 2, "no control characters"],
  ["workspace.ts", ["list", "--remote", "--dev"], 2, "exclude each other"],
  ["workspace.ts", ["list"], 1, "Run npm start first"],
  ["credential.ts", ["--help"], 0, "npm run credential -- revoke ID"],
])("%s %j ends with %i and says what would be right", async (script, args, code, words) => {
  deployment = await newDeployment();
  const result = await deployment.run(script, args);
  expect(result.code).toBe(code);
  expect(result.output).toContain(words);
});

test("a rotation prints the upload for the settings and what to wait for, and no sealing key is removed without --yes", async () => {
  deployment = await newDeployment();
  const secrets = (...args: string[]) => deployment.run("secrets.ts", args);
  const keysOf = async () =>
    (JSON.parse(await readFile(join(deployment.root, "secrets.json"), "utf8")) as { WEBHOOK_KEYS: string })
      .WEBHOOK_KEYS;
  await secrets("new");
  const [upload, wait] = (await secrets("rotate", "JOB_SECRET")).output.split("\n");
  expect(upload).toBe("Now upload it: npx wrangler secret bulk secrets.json");
  expect(wait).toMatch(/^Then finish the rotation 14 hours after .*: npm run secrets -- finish JOB_SECRET$/);
  expect((await secrets("finish", "JOB_SECRET")).code).toBe(0);

  await writeFile(join(deployment.root, "sluice.config.json"), '{"name": "acme"}');
  const named = await secrets("rotate", "WEBHOOK_KEYS");
  expect(named.output).toContain("npx wrangler secret bulk secrets.json --name acme\n");
  const both = await keysOf();
  const early = await secrets("finish", "WEBHOOK_KEYS");
  expect([early.code, early.output]).toEqual([2, expect.stringContaining("at least a day after the upload")]);
  expect(await keysOf()).toBe(both);
  expect((await secrets("finish", "WEBHOOK_KEYS", "--yes")).code).toBe(0);
  expect(await keysOf()).toBe(both.split(",")[0]);
});

test("the commands after a rotation are for the same deployment and file", async () => {
  deployment = await newDeployment();
  const settings = { name: "staging", accountId: "0".repeat(32), secretsFile: "staging-secrets.json" };
  await writeFile(join(deployment.root, "staging.json"), JSON.stringify(settings));
  const config = ["--config", "staging.json"];
  const created = await deployment.run("secrets.ts", ["new", ...config]);
  expect(created.output).toContain("staging-secrets.json has JOB_SECRET");
  spawnSync("git", ["init", "--quiet"], { cwd: deployment.root });
  const published = await deployment.run("secrets.ts", ["new", "--file", "published.json"]);
  expect(published.output).toContain("git does not ignore published.json");
  const { output } = await deployment.run("secrets.ts", ["rotate", "JOB_SECRET", ...config]);
  const upload = `CLOUDFLARE_ACCOUNT_ID=${settings.accountId} npx wrangler secret bulk staging-secrets.json --name staging`;
  expect(output).toContain(`: ${upload}\n`);
  expect(output).toContain(": npm run secrets -- finish JOB_SECRET --config staging.json\n");
  await deployment.run("secrets.ts", ["new", "--file", "other.json"]);
  const other = await deployment.run("secrets.ts", ["rotate", "WEBHOOK_KEYS", "--file", "other.json"]);
  expect(other.output).toContain(": npm run secrets -- finish WEBHOOK_KEYS --file other.json --yes\n");
});

test.each([
  [{ remote: false, dev: true }, " --dev"],
  [{ remote: true, dev: false, config: "other.json" }, " --remote --config other.json"],
  [{ remote: false, dev: false }, ""],
])("commands in messages are for the same installation: %j", (target, options) => {
  expect(optionsOf(target)).toBe(options);
});

test.each([
  ["secrets.ts", ["rotate", "JOB_SECRET"], "secrets.json", "secrets.json is broken: it is not JSON."],
  ["deploy.ts", ["--dry-run"], "secrets.json", "secrets.json is broken: it is not JSON."],
  ["start.ts", [], ".sluice/secrets.json", ".sluice/secrets.json is broken: it is not JSON."],
  [
    "webhook-listen.ts",
    ["--register", "--port", "0"],
    ".sluice/local.json",
    ".sluice/local.json is broken: it is not JSON.",
  ],
])(
  "%s %j ends with one line about a broken %s, without a stack and without its content",
  async (script, args, file, words) => {
    deployment = await newDeployment();
    await mkdir(join(deployment.root, ".sluice"));
    await writeFile(join(deployment.root, file), '{"JOB_SECRET": "quoted');
    const { code, output } = await deployment.run(script, [...args]);
    expect(code).toBe(1);
    expect(output.trim().split("\n").at(-1)).toContain(words);
    expect(output).not.toMatch(/^ +at |quoted/m);
  },
);

test.each([
  [{ JOB_SECRET: "short" }, "secrets.json: JOB_SECRET holds a secret of 5 characters"],
  [{ JOB_SECRET: "short", ENCODER_SECRET: "other" }, "secrets.json: ENCODER_SECRET holds a secret of 5 characters"],
  [{ JOB_SECRET: "a".repeat(32), WEBHOOK_KEYS: "k1:short" }, "secrets.json: key 1 of WEBHOOK_KEYS is not"],
  [{ JOB_SECRET: 5 }, "secrets.json is broken: it has no text for JOB_SECRET"],
  [
    { JOB_SECRET: "a".repeat(32) },
    "secrets.json lacks ENCODER_SECRET, WEBHOOK_KEYS, and the Worker has no such secret",
  ],
])("secrets that the Worker would refuse are refused for an empty account too: %j", async (secrets, words) => {
  deployment = await newDeployment();
  await writeFile(join(deployment.root, "secrets.json"), JSON.stringify(secrets));
  const { code, output } = await deployment.run("deploy.ts", ["--yes"]);
  expect(code).toBe(1);
  expect(output).toContain(words);
  expect(writesAmong(await deployment.commands())).toEqual([]);
});

describe("before anything is made, the command refuses", () => {
  const ACCOUNTS = [
    { id: "a".repeat(32), name: "Work" },
    { id: "b".repeat(32), name: "Home" },
  ];
  const someSecrets = { sluice: { secrets: { JOB_SECRET: "…" }, config: {}, deploys: 1 } };
  test.each([
    ["without a login", { loggedIn: false }, ["--yes"], {}, "npx wrangler login"],
    ["several accounts without a choice", { accounts: ACCOUNTS }, ["--yes"], {}, `${"b".repeat(32)}  Home`],
    ["without Docker", {}, ["--yes"], { WRANGLER_DOCKER_BIN: "false" }, "Start Docker, or set"],
    ["without a terminal to ask on", {}, [], {}, "Add --yes"],
    [
      "a Worker with some of its secrets",
      { workers: someSecrets },
      ["--yes"],
      {},
      "lacks ENCODER_SECRET, WEBHOOK_KEYS",
    ],
    ["a settings file that is not there", {}, ["--config", "other.json"], {}, "There is no file other.json"],
    ["an unknown option", {}, ["--no-such-option"], {}, "--dry-run"],
  ])("%s", async (_, before, args, env, words) => {
    deployment = await newDeployment(before);
    const { code, output } = await deployment.run("deploy.ts", args, env);
    expect(code).toBeGreaterThan(0);
    expect(output).toContain(words);
    expect(writesAmong(await deployment.commands())).toEqual([]);
  });
});
