/** The owner's settings of a deployment, `sluice.config.json`. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse as toml } from "smol-toml";
import { expect, onTestFinished, test } from "vitest";
import { createSecrets } from "../../../scripts/secrets/file.ts";
import { deriveConfig, readBaseConfig } from "../../../scripts/deploy/config.ts";
import { settingLines } from "../../../scripts/deploy/setting-lines.ts";
import { DeployError, loadDeploySettings, parseSettings } from "../../../scripts/deploy/settings.ts";
import { planDeployment } from "../../../scripts/deploy/plan.ts";

const parse = (settings: unknown) => parseSettings(JSON.stringify(settings));

test("no settings are valid", () => {
  expect(parseSettings(null)).toEqual({
    name: "sluice",
    containers: true,
    encoders: {},
    routes: [],
    workersDev: true,
    secretsFile: "secrets.json",
    ai: false,
    vars: {},
  });
});

test.each([
  ["{", "sluice.config.json is not JSON"],
  ['{"nmae": "x"}', 'sluice.config.json: Unrecognized key: "nmae"; did you mean "name"?'],
  ['{"contaners": true}', 'Unrecognized key: "contaners"; did you mean "containers"?'],
  ['{"colour": "red"}', /Unrecognized key: "colour"$/],
  ['{"name": "-"}', "must be 1 to 40 lower-case letters, digits and hyphens, begin with a letter, and not end with a"],
  ['{"routes": ["nonsense"]}', "sluice.config.json: routes[0]: must be a host name such as"],
  ['{"routes": ["a.example.com", {"pattern": "x"}]}', "sluice.config.json: routes[1]: must be a host name, or"],
  ['{"routes": [5]}', 'sluice.config.json: routes[0]: must be a host name, or {"pattern": '],
  ['{"routes": "a.example.com"}', "sluice.config.json: routes: must be a list"],
  ['{"containers": "yes"}', "sluice.config.json: containers: must be true or false"],
  ['{"secretsFile": ""}', "sluice.config.json: secretsFile: must not be empty"],
  [
    '{"vars": {"MAX_SOURCE_BYTES": null}}',
    "sluice.config.json: vars.MAX_SOURCE_BYTES: must be a text, a number, true or",
  ],
  ["[]", "sluice.config.json: must be an object"],
  ['{"name": "Acme Video"}', "name: must be 1 to 40 lower-case letters"],
  ['{"accountId": "acme"}', "accountId: must be the 32 hexadecimal digits"],
  ['{"publicUrl": "https://video.example.com/"}', "publicUrl: must be an https origin"],
  ['{"publicUrl": "http://video.example.com"}', "publicUrl: must be an https origin"],
  ['{"databaseId": "1"}', "databaseId: must be the UUID"],
  ['{"vars": {"MAX_SOURCE_BYTE": 1}}', "there is no variable MAX_SOURCE_BYTE"],
  ['{"vars": {"MAX_SOURCE_BYTE": 1}}', "did you mean MAX_SOURCE_BYTES?"],
  ['{"vars": {"PUBLIC_URL": "https://video.example.com"}}', 'set "publicUrl" instead'],
  ['{"vars": {"MAX_SOURCE_BYTES": "abc"}}', "vars.MAX_SOURCE_BYTES must be a positive whole number"],
  ['{"vars": {"ENCODER_URL": "http://plain/x"}}', "vars.ENCODER_URL must be an https URL"],
  ['{"vars": {"ENCODER_URL": "http://localhost:8790"}}', "vars.ENCODER_URL must be an https URL that Cloudflare can"],
  ['{"vars": {"ALLOW_PRIVATE_NETWORK": true}}', "vars.ALLOW_PRIVATE_NETWORK is for work on one machine"],
  ['{"vars": {"JOB_SECRET": "x"}}', "vars.JOB_SECRET is a secret and belongs to secrets.json"],
  ['{"encoders": {"maxInstances": 0}}', "encoders.maxInstances: must be a positive whole number"],
  ['{"encoders": {"maxInstances": 1.5}}', "encoders.maxInstances: must be a positive whole number"],
  ['{"encoders": {"instanceType": "huge"}}', "encoders.instanceType: must be one of lite, basic, standard-1"],
  ['{"encoders": {"colour": 5}}', /encoders: Unrecognized key: "colour"$/],
  ['{"encoders": {"maxInstance": 5}}', 'encoders: Unrecognized key: "maxInstance"; did you mean "maxInstances"?'],
  // ALLOW_PRIVATE_NETWORK exists, but would be refused.
  ['{"vars": {"ALLOW_PRIVAT_NETWORK": true}}', /there is no variable ALLOW_PRIVAT_NETWORK \(there are (?!.*PRIVATE)/],
  ['{"vars": {"ENCODER_CONTAINERS": 5}}', 'vars.ENCODER_CONTAINERS: set "encoders.maxInstances" instead'],
  [
    '{"vars": {"MAX_SOURCE_BYTES": "10GB", "R2_SQL_TABLE": ["a"]}}',
    "vars.MAX_SOURCE_BYTES must be a positive whole number",
  ],
  ['{"viewStreem": "x"}', 'Unrecognized key: "viewStreem"; did you mean "viewStream"?'],
  [
    '{"viewStream": ""}',
    "viewStream: must be the 32 hexadecimal digits that `npx wrangler basin pipelines streams list`",
  ],
  ['{"viewStream": "sluice_views"}', "viewStream: must be the 32 hexadecimal digits"],
  ['{"viewStream": 5}', "viewStream: must be a text"],
  [
    `{"viewStream": "${"a".repeat(32)}"}`,
    "sluice.config.json: viewStream needs vars.R2_SQL_URL and vars.R2_SQL_TABLE too",
  ],
  ['{"vars": {"R2_SQL_TABLE": "sluice.views"}}', "vars.R2_SQL_TABLE needs viewStream and vars.R2_SQL_URL too"],
  ['{"vars": {"R2_SQL_TABLE": "views"}}', "vars.R2_SQL_TABLE must be namespace.table"],
  ['{"vars": {"R2_SQL_URI": "https://example.com"}}', "did you mean R2_SQL_URL?"],
  ['{"vars": {"R2_SQL_URL": "http://example.com"}}', "vars.R2_SQL_URL must be an https URL"],
  [
    '{"vars": {"R2_SQL_TOKEN": "t"}}',
    'sluice.config.json: vars.R2_SQL_TOKEN is a secret and is set with "npx wrangler secret put R2_SQL_TOKEN --config wrangler.deploy.json", because',
  ],
  ['{"vars": {"DRM_LICENSE_PROXY_AUTHORIZATION": "t"}}', "vars.DRM_LICENSE_PROXY_AUTHORIZATION is a secret"],
  ['{"workersDev": false}', "sluice.config.json: workersDev is false, so routes must have an address of the Worker"],
  ['{"containers": false}', "vars.ENCODER_URL must be the address of an encoder"],
])("%s is refused with the field and what would be right", (content, words) => {
  expect(() => parseSettings(content)).toThrow(words);
});

test("a settings file that cannot be read is refused, and not taken for no settings", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-settings-"));
  try {
    await expect(loadDeploySettings(folder)).rejects.toThrow(`${folder} cannot be read: EISDIR`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a custom domain may have an internationalised top-level domain", () => {
  expect(parse({ routes: ["video.xn--p1ai"] }).routes).toEqual(["video.xn--p1ai"]);
});

test("every wrong variable is named", () => {
  const vars = { MAX_SOURCE_BYTES: -1, ENCODER_URL: "encoder", NO_SUCH_THING: "" };
  expect(() => parse({ vars })).toThrow(/vars\.MAX_SOURCE_BYTES .*\n.*vars\.ENCODER_URL .*\n.*vars\.NO_SUCH_THING: /);
});

test("wrong variables are named together with wrong fields", () => {
  const wrong = { foo: 1, vars: { MAX_SOURCE_BYTES: "a lot" } } as object;
  expect(() => parse(wrong)).toThrow(/foo[^]*\n.*vars\.MAX_SOURCE_BYTES /);
});

test("variables of wrangler.toml that a deployment must not have are refused, and all of them are named", async () => {
  const base = await readBaseConfig();
  const deploy = (more: object, settings = {}) =>
    deriveConfig({ ...base, vars: { ...base.vars, ...more } }, parse(settings), "");
  expect(() => deploy({ ALLOW_PRIVATE_NETWORK: "true", MAX_SOURCE_BYTES: "100GB" })).toThrow(
    /^wrangler\.toml: ALLOW_PRIVATE_NETWORK .*\nwrangler\.toml: MAX_SOURCE_BYTES must be/,
  );
  expect(() => deploy({ ENCODER_CONTAINERS: "5" })).toThrow("ENCODER_CONTAINERS is 5 and max_instances is 20");
  expect(() => deploy({ ENCODER_CONTAINERS: "5" }, { encoders: { maxInstances: 7 } })).not.toThrow();
});

test("the capacity of encoders reaches the containers and the Worker, which distributes jobs over them", async () => {
  const base = await readBaseConfig();
  const capacityOf = (settings: unknown) => {
    const { containers, vars } = deriveConfig(base, parse(settings), "00000000-0000-4000-8000-000000000001");
    const [container] = containers as [{ max_instances: number; instance_type: string }];
    return [container.max_instances, container.instance_type, vars?.["ENCODER_CONTAINERS"]];
  };
  expect(capacityOf({ encoders: { maxInstances: 5, instanceType: "standard-2" } })).toEqual([5, "standard-2", "5"]);
  expect(capacityOf({})).toEqual([20, "standard-4", "20"]);
});

test.each([
  [{}, ["sluice on workers.dev", "none", "not set: that of each request", "at most 20 Containers of standard-4"]],
  [
    {
      workersDev: false,
      routes: ["video.example.com", { pattern: "example.com/video/*", zone_name: "example.com" }],
      publicUrl: "https://video.example.com",
      encoders: { maxInstances: 5 },
    },
    [
      "not on workers.dev",
      "video.example.com (custom domain), example.com/video/* (zone example.com)",
      "https://video.example.com",
      "at most 5 Containers of standard-4",
    ],
  ],
  [
    { name: "acme", vars: { ENCODER_URL: "https://encoder.example.com" } },
    ["acme on workers.dev", "none", "not set: that of each request", "https://encoder.example.com"],
  ],
  [
    { containers: true, vars: { ENCODER_URL: "https://encoder.example.com" } },
    [
      "sluice on workers.dev",
      "none",
      "not set: that of each request",
      'https://encoder.example.com alone: with ENCODER_URL, the Containers of "containers": true are deployed and get no jobs',
    ],
  ],
])("the plan shows the settings %j", async (given, values) => {
  const settings = parse(given);
  const lines = settingLines(settings, deriveConfig(await readBaseConfig(), settings, ""));
  const labels = ["address", "routes", "publicUrl", "encoders"];
  expect(lines).toEqual(values.map((value, i) => `use     ${labels[i]!.padEnd(13)}${value}`));
});

test("Workers AI and a speech model are there only when they are asked for", async () => {
  const base = await readBaseConfig();
  const partsOf = (settings: unknown) => {
    const { ai, containers } = deriveConfig(base, parse(settings), "");
    return [ai, (containers as [{ image_vars?: object }])[0].image_vars];
  };
  expect(partsOf({})).toEqual([undefined, undefined]);
  expect(partsOf({ ai: true, encoders: { whisper: "base-q5_1" } })).toEqual([
    { binding: "AI" },
    { WHISPER: "base-q5_1" },
  ]);
  expect(() => parse({ encoders: { whisper: "best" } })).toThrow("encoders.whisper: must be one of tiny,");
});

test("an encoder of the owner's needs no containers", () => {
  expect(parse({ vars: { ENCODER_URL: "https://encoder.example.com" } }).containers).toBe(false);
  expect(parse({ vars: { ENCODER_URL: "https://encoder.example.com" }, containers: true }).containers).toBe(true);
});

const NAMES = { worker: "sluice", database: "sluice", buckets: [], queues: [] };
const SECRETS = new Set(["JOB_SECRET", "ENCODER_SECRET", "WEBHOOK_KEYS"]);
test.each([
  ["no Worker, no file", null, false, true],
  ["no Worker, a file", null, true, false],
  ["a Worker with its secrets, no file", SECRETS, false, false],
  ["a Worker with its secrets, a file", SECRETS, true, false],
  ["a Worker without secrets, no file", new Set<string>(), false, true],
])("secrets are created only where there are none: %s", (_, secrets, hasFile, isCreated) => {
  const found = { databaseId: null, buckets: new Set<string>(), queues: new Set<string>(), secrets };
  const { steps } = planDeployment(NAMES, found, parse({}), hasFile);
  expect(steps.some(({ kind }) => kind === "secrets")).toBe(isCreated);
});

const EMPTY = { databaseId: null, buckets: new Set<string>(), queues: new Set<string>(), secrets: null };
test.each([
  [{}, /is not set/],
  [{ routes: ["video.example.com"] }, null],
  [{ routes: [{ pattern: "*.example.com/*", zone_name: "example.com" }] }, null],
  [{ routes: [{ pattern: "video.example.com/v1/*", zone_name: "example.com" }] }, null],
  [{ routes: ["other.example.com"] }, /No route has video\.example\.com/],
  [{ routes: [] }, /No route has video\.example\.com/],
  [{ publicUrl: "https://sluice.acme.workers.dev" }, null],
  [{ publicUrl: "https://other.acme.workers.dev" }, /No route has other\.acme\.workers\.dev/],
])("a publicUrl that no route reaches gets a note: %j", (given, note) => {
  const settings = parse(Object.keys(given).length === 0 ? {} : { publicUrl: "https://video.example.com", ...given });
  const { notes } = planDeployment(NAMES, EMPTY, settings, true);
  if (note === null) expect(notes).toEqual([]);
  else expect(notes).toEqual([expect.stringMatching(note)]);
});

test("a configuration that lacks a binding is not deployed", async () => {
  const base = await readBaseConfig();
  const renamed = { ...base, r2_buckets: base.r2_buckets!.map((bucket) => ({ ...bucket, binding: "FILES" })) };
  expect(() => deriveConfig(renamed, parse({}), "")).toThrow(
    "wrangler.toml has no binding MEDIA, which the code uses; it has FILES, which the code does not use.",
  );
});

test.each([
  [
    /^MAX_WORKSPACE_BYTES /m,
    "MAX_WORKSPACE_BYTE ",
    "there is no variable MAX_WORKSPACE_BYTE (did you mean MAX_WORKSPACE_BYTES?)",
  ],
  [/^MAX_WORKSPACE_BYTES = .*$/m, "", "MAX_WORKSPACE_BYTES must be a positive whole number, and is missing"],
  [
    /^LIVE_PART_TARGET_MS /m,
    "LIVE_PART_TARGET_MSS ",
    "there is no variable LIVE_PART_TARGET_MSS (did you mean LIVE_PART_TARGET_MS?)",
  ],
  [
    /^R2_SQL_URL /m,
    "R2_SQL_TOKEN ",
    "R2_SQL_TOKEN is a secret and belongs to .dev.vars or to the secrets of the deployment",
  ],
  [
    /^R2_SQL_URL /m,
    "COLOUR ",
    "there is no variable COLOUR; one of your own needs a rule in src/platform/variables.ts",
  ],
])("a configuration with %s as %j is not deployed, and not run", async (line, replacement, problem) => {
  const text = (await readFile("wrangler.toml", "utf8")).replace(line, replacement);
  expect(() => deriveConfig(toml(text), parse({}), "")).toThrow(new DeployError(`wrangler.toml: ${problem}`));
  const folder = await mkdtemp(join(tmpdir(), "sluice-variables-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "wrangler.toml"), text);
  const start = promisify(execFile)(process.execPath, [resolve("scripts/start.ts")], { cwd: folder });
  await expect(start).rejects.toMatchObject({ code: 1, stderr: `${problem}. Correct wrangler.toml.\n` });
});

test("queues of an earlier release are pointed out", () => {
  const found = {
    databaseId: null,
    buckets: new Set<string>(),
    queues: new Set(["webhook-deliveries"]),
    secrets: null,
  };
  expect(planDeployment(NAMES, found, parse({}), true).notes).toContainEqual(
    expect.stringContaining("The queue webhook-deliveries is of an earlier release"),
  );
});

test("a file with secrets is never overwritten", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-secrets-"));
  try {
    const file = join(folder, "secrets.json");
    expect(createSecrets(file)).toBe(true);
    const content = await readFile(file, "utf8");
    expect(createSecrets(file)).toBe(false);
    expect(await readFile(file, "utf8")).toBe(content);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
