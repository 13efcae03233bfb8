/** `sluice import` as a user runs it: a process beside a whole platform, with a stand-in of Mux at the other end. */
import { createServer } from "node:http";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FULL_TAG } from "../../scripts/suite/tiers.ts";
import { runCommand, type RunningCommand, type Said, startCommand } from "../support/command.ts";
import { MUX_READ_TOKEN, MUX_TOKEN, type MuxStandIn, startMuxStandIn } from "../support/imports/mux-stand-in.ts";
import { fileClip, type StandInClip, standInVideo } from "../support/imports/stand-in-library.ts";
import { startTestPlatform, type TestPlatform } from "../support/platform.ts";

const LIMIT_MS = 240_000;
const SLUICE = [process.execPath, resolve("sdk/bin/sluice.js")];
const FROM_MUX = ["import", "--source", "mux", "--max-resolution", "480p"];
const TOKEN_ENV = { MUX_TOKEN_ID: MUX_TOKEN.tokenId, MUX_TOKEN_SECRET: MUX_TOKEN.tokenSecret };

let mux: MuxStandIn;
let clip: StandInClip;
let platform: TestPlatform;
let folder: string;
let videos = 0;
const running: RunningCommand[] = [];

beforeAll(async () => {
  mux = await startMuxStandIn();
  clip = await fileClip("test/fixtures/flower.mp4", { durationMs: 5000, widthPx: 960, heightPx: 540 });
  folder = await mkdtemp(join(tmpdir(), "sluice-import-"));
  platform = await startTestPlatform({ vars: { IMPORT_BASE_URLS: JSON.stringify({ mux: mux.url }) } });
}, LIMIT_MS);
afterAll(async () => {
  for (const command of running) command.kill("SIGKILL");
  await Promise.all([platform?.stop(), mux?.close(), rm(folder, { recursive: true, force: true })]);
  await platform?.removeHome();
});
/** Each test has videos of its own, because those of another one are migrated before, and finds no credentials. */
beforeEach(async () => {
  for (const id of mux.videos.keys()) mux.remove(id);
  mux.calls.length = 0;
  for (const { credentialId } of await credentials())
    await platform.api("DELETE", `/v1/imports/credentials/${credentialId}`);
});

const addVideo = (over: Parameters<typeof standInVideo>[3] = {}): string => {
  videos += 1;
  mux.add(standInVideo(videos, `asset-${videos}`, clip, over));
  return `asset-${videos}`;
};

const here = (env: NodeJS.ProcessEnv = {}) => ({
  cwd: folder,
  env: { SLUICE_HOME: platform.home, HOME: folder, XDG_CONFIG_HOME: folder, ...env },
});
const sluice = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => runCommand([...SLUICE, ...args], here(env));
function start(words: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCommand {
  const command = startCommand(words, here(env));
  running.push(command);
  return command;
}
/** In a terminal of its own, 100 characters wide. */
const inTerminal = (args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCommand =>
  start(
    ["script", "-qec", `stty cols 100; ${[...SLUICE, ...args].map((word) => `'${word}'`).join(" ")}`, "/dev/null"],
    env,
  );

/** Answers each question when it is asked. */
async function answer(command: RunningCommand, answers: readonly (readonly [string, string])[]): Promise<void> {
  let seen = 0;
  for (const [question, text] of answers) {
    await expect.poll(() => command.output().indexOf(question, seen), { timeout: 60_000 }).toBeGreaterThanOrEqual(0);
    seen = command.output().length;
    command.write(`${text}\r`);
  }
}

const lastOf = (said: Said[], kind: string) => said.findLast((one) => one.kind === kind);
const credentials = async () =>
  (await platform.api<{ credentialId: string }[]>("GET", "/v1/imports/credentials")).body.data;

test(
  "leads through a migration in a terminal: source, credentials, videos, settings, dry run, start, live view",
  { timeout: LIMIT_MS },
  async () => {
    const [first] = [addVideo({ title: "Harbour at dawn" }), addVideo({ title: "Left out" })];
    const command = inTerminal(["import"]);
    await answer(command, [
      ["Choose: ", "mux"],
      ["Token ID: ", MUX_TOKEN.tokenId],
      ["Token secret: ", "another-secret"],
      ["Keep them", "n"],
      ["Try other credentials", "y"],
      ["Token ID: ", MUX_TOKEN.tokenId],
      ["Token secret: ", MUX_TOKEN.tokenSecret],
      ["Choose [1]: ", "2"],
      ["Ids", first],
      ["right [Y/n]", "n"],
      ["Choose [1]: ", ""],
      ["Choose [3]: ", "480p"],
      ["Choose [1]: ", ""],
      ["Choose [1]: ", ""],
      ["Captions", ""],
      ["Metadata", "external_id=sku"],
      ["Start the migration of 1 video [y/N]", "y"],
    ]);
    expect([await command.exit, command.output()]).toEqual([0, expect.stringContaining("✓ Done")]);
    const output = command.output();
    expect(output).toContain("Mux refused the credentials");
    expect(output).toMatch(
      /Films & Sons[^]*The first ones +Harbour at dawn[^]*What will be lost[^]*Start the migration/,
    );
    expect(output).toMatch(/░+.* 0 %[^]*0 of 1 ready[^]*Ctrl-C leaves it running/);
    expect(output).not.toContain("Left out");
    for (const secret of [MUX_TOKEN.tokenSecret, "another-secret"]) expect(output).not.toContain(secret);
    const [batch] = (await platform.api<Record<string, unknown>[]>("GET", "/v1/imports?limit=1")).body.data;
    expect(batch).toMatchObject({
      status: "done",
      selection: { ids: [first] },
      settings: { maxResolution: "480p", metadata: { external_id: "sku" } },
    });
    await expect.poll(credentials, { timeout: 20_000 }).toEqual([]); // those that were refused went at once, the others with the batch
  },
);

test(
  "runs without a terminal: a dry run, its start, a failure with its own status, its retry, the map of ids",
  { timeout: LIMIT_MS, tags: FULL_TAG },
  async () => {
    const [good, broken] = [addVideo(), addVideo({ state: "errored" })];
    const dry = await sluice([...FROM_MUX, "--keep-credential", "--dry-run", "--json"], TOKEN_ENV);
    expect([dry.status, lastOf(dry.said, "report")]).toMatchObject([
      0,
      { report: { found: { videos: 1 }, obstacles: [{ sourceId: broken }] } },
    ]);
    const importId = String(lastOf(dry.said, "waits")!["importId"]);
    expect(mux.calls.filter(({ method }) => method !== "GET" && method !== "HEAD")).toEqual([]);

    const ran = await sluice(["import", "start", importId, "--watch", "--json"]);
    expect([ran.status, lastOf(ran.said, "ended")]).toMatchObject([
      2,
      {
        status: "done",
        counts: { ready: 1, failed: 1 },
        reasons: [{ status: "failed", items: 1, examples: [broken] }],
      },
    ]);

    mux.videos.get(broken)!.state = "ready";
    const again = await sluice(["import", "retry", importId, "--item", broken, "--watch", "--json"]);
    expect([again.status, lastOf(again.said, "ended")]).toMatchObject([0, { counts: { ready: 2, failed: 0 } }]);

    const saved = await sluice(["import", "map", importId, "--format", "ndjson", "--output", "map.ndjson"]);
    const rows = (await readFile(join(folder, "map.ndjson"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect([saved.status, rows]).toMatchObject([
      0,
      expect.arrayContaining(
        [good, broken].map((sourceId) =>
          expect.objectContaining({ sourceId, status: "ready", playbackId: expect.any(String) }),
        ),
      ),
    ]);
    expect((await sluice(["import", "map", importId])).output).toContain(`${good},`);
    const page = await sluice(["import", "report", importId, "--format", "html"]);
    expect([page.status, page.output]).toEqual([0, expect.stringMatching(/^<!doctype html>[^]*2 ready/)]);
    expect((await sluice(["import", "list", "--limit", "1"])).output).toMatch(
      new RegExp(`done +mux +${importId}  2 of 2 ready\n`),
    );

    const [kept] = await credentials();
    const gone = await sluice(["import", "credentials", "delete", kept!.credentialId, "--yes", "--json"]);
    expect([gone.said, await credentials()]).toEqual([[{ kind: "deleted", credentialId: kept!.credentialId }], []]);
    for (const { output } of [dry, ran, again]) expect(output).not.toContain(MUX_TOKEN.tokenSecret);
  },
);

test(
  "failed items are tried again with credentials that were not kept, by the line that the screen shows",
  { timeout: LIMIT_MS, tags: FULL_TAG },
  async () => {
    const [, broken] = [addVideo(), addVideo({ state: "errored" })];
    const ran = await sluice([...FROM_MUX, "--yes"], TOKEN_ENV);
    const [, importId = ""] = /sluice import retry (\S+) --credentials-file FILE --watch/.exec(ran.output) ?? [];
    expect([ran.status, ran.output]).toEqual([2, expect.stringContaining("credentials of this batch were not kept")]);

    mux.videos.get(broken)!.state = "ready";
    await writeFile(join(folder, "mux.json"), JSON.stringify(MUX_TOKEN));
    const args = ["import", "retry", importId, "--credentials-file", "mux.json", "--watch", "--json"];
    const again = await sluice(args);
    expect([again.status, lastOf(again.said, "ended")]).toMatchObject([0, { counts: { ready: 2, failed: 0 } }]);
    await expect.poll(credentials, { timeout: 20_000 }).toEqual([]);
  },
);

describe("Ctrl-C and outages", { tags: FULL_TAG }, () => {
  test(
    "a live view is left and attached again, and rides out the death of the Worker",
    { timeout: LIMIT_MS },
    async () => {
      addVideo();
      addVideo();
      const command = start([...SLUICE, ...FROM_MUX, "--yes", "--json"], TOKEN_ENV);
      const { importId } = await command.until("started");
      await command.until("progress");
      command.kill("SIGINT");
      expect([await command.exit, lastOf(command.said(), "detached")]).toEqual([130, { kind: "detached", importId }]);

      const attached = start([...SLUICE, "import", "attach", String(importId), "--json"]);
      await attached.until("progress");
      process.kill(platform.pids.worker()!, "SIGKILL");
      expect([await attached.exit, lastOf(attached.said(), "ended")]).toMatchObject([
        0,
        { counts: { ready: 2, failed: 0 } },
      ]);
    },
  );

  test("Ctrl-C at a question starts nothing, and forgets the credentials of a batch that does not exist", async () => {
    addVideo();
    const command = inTerminal(["import", "--source", "mux"], TOKEN_ENV);
    await answer(command, [
      ["Use MUX_TOKEN_ID", "y"],
      ["Choose [1]: ", "\u0003"],
    ]);
    expect(await command.exit).toBe(130);
    expect(await credentials()).toEqual([]);

    const asked = inTerminal([...FROM_MUX, "--limit", "1"], TOKEN_ENV);
    await answer(asked, [
      ["Use MUX_TOKEN_ID", "y"],
      ["Start the migration", "\u0003"],
    ]);
    expect([await asked.exit, asked.output()]).toEqual([
      130,
      expect.stringContaining("Nothing was started; the batch waits."),
    ]);
    const [, importId] = /sluice import attach ([\w-]+)/.exec(asked.output())!;
    const cancelled = await sluice(["import", "cancel", importId!, "--yes", "--json"]);
    expect([cancelled.status, cancelled.said]).toMatchObject([0, [{ status: "cancelled" }]]);
  });

  test("a batch whose credentials were deleted says so, and goes on with others", { timeout: LIMIT_MS }, async () => {
    addVideo();
    const dry = await sluice([...FROM_MUX, "--dry-run", "--json"], TOKEN_ENV);
    const importId = String(lastOf(dry.said, "waits")!["importId"]);
    expect((await sluice(["import", "start", importId])).status).toBe(0);
    expect((await sluice(["import", "pause", importId])).status).toBe(0);
    const { credentialId } = lastOf(dry.said, "credential")!;
    expect((await sluice(["import", "credentials", "delete", String(credentialId), "--yes"])).status).toBe(0);
    const stopped = await sluice(["import", "resume", importId, "--watch"]);
    expect([stopped.status, stopped.output]).toEqual([1, expect.stringContaining("credentials add --source mux")]);

    const added = await sluice(["import", "credentials", "add", "--source", "mux", "--json"], TOKEN_ENV);
    const other = String(lastOf(added.said, "stored")!["credentialId"]);
    const resumed = await sluice(["import", "resume", importId, "--credential", other, "--watch", "--json"]);
    expect([resumed.status, lastOf(resumed.said, "ended")]).toMatchObject([0, { counts: { ready: 1, failed: 0 } }]);
  });

  test("a paused batch is not waited for", { timeout: LIMIT_MS }, async () => {
    addVideo();
    const ran = await sluice([...FROM_MUX, "--yes", "--detach", "--json"], TOKEN_ENV);
    const importId = String(lastOf(ran.said, "running")!["importId"]);
    expect((await sluice(["import", "pause", importId])).status).toBe(0);
    const attached = await sluice(["import", "attach", importId]);
    expect([attached.status, attached.output]).toEqual([
      1,
      expect.stringContaining(`sluice import resume ${importId} --watch`),
    ]);
    expect((await sluice(["import", "resume", importId, "--watch"])).status).toBe(0);
  });
});

test(
  "a list of this machine is sent, its broken rows are named, and a bad name is refused",
  { timeout: LIMIT_MS, tags: FULL_TAG },
  async () => {
    const film = await readFile("test/fixtures/flower.mp4");
    const server = createServer(
      (_, response) => void response.writeHead(200, { "content-type": "video/mp4" }).end(film),
    );
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    await writeFile(join(folder, "list.csv"), `id,url,title\n1,http://127.0.0.1:${port}/1.mp4,One\n2,,Two\n`);
    const args = ["import", "--source", "list", "--file", "list.csv", "--max-resolution", "480p", "--yes", "--json"];
    const ran = await sluice(args);
    server.close();
    expect([ran.status, lastOf(ran.said, "list"), lastOf(ran.said, "ended")]).toMatchObject([
      0,
      { rows: 1, errorsTotal: 1, errors: [{ row: 2 }] },
      { counts: { total: 1, ready: 1 } },
    ]);
    const { status, output } = await sluice(["import", "--source", "list", "--file", "/no/such.csv", "--dry-run"]);
    expect([status, output]).toEqual([1, "There is no file /no/such.csv.\n"]);
  },
);

test("the secret of a status URL goes to a file that only its owner can read", { timeout: LIMIT_MS }, async () => {
  addVideo();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => void response.writeHead(200).end("here"));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const hook = ["--status-url", `http://127.0.0.1:${port}/hook`, "--status-secret-file", "hook.secret"];
  const { status, output, said } = await sluice([...FROM_MUX, "--dry-run", ...hook, "--json"], TOKEN_ENV);
  server.close();
  const path = join(folder, "hook.secret");
  const secret = await readFile(path, "utf8").catch(() => output);
  expect([status, lastOf(said, "status_webhook")]).toMatchObject([0, { secretFile: "hook.secret" }]);
  expect([secret, (await stat(path)).mode & 0o777]).toEqual([expect.stringMatching(/^\S{40,}\n$/), 0o600]);
  expect(output).not.toContain(secret.trim());
});

describe("ends at once, with the reason, when it cannot begin", () => {
  const cases: [string, string[], NodeJS.ProcessEnv, string][] = [
    ["no decision", ["import", "--source", "mux"], TOKEN_ENV, "Give --dry-run to see the report alone, or --yes"],
    ["no source", ["import", "--yes"], TOKEN_ENV, "Give --source, because there is no terminal"],
    ["no credentials", [...FROM_MUX, "--yes"], {}, "Set MUX_TOKEN_ID and MUX_TOKEN_SECRET, or give --credential ID"],
    ["no bucket", ["import", "--source", "s3", "--no-credentials", "--yes"], {}, "Give --bucket, because"],
    ["an unknown option", ["import", "--sorce", "mux"], {}, "did you mean --source?"],
    [
      "a refused credential",
      [...FROM_MUX, "--yes"],
      { ...TOKEN_ENV, MUX_TOKEN_SECRET: "x" },
      "Mux refused the credentials",
    ],
    [
      "a cancellation without --yes",
      ["import", "cancel", crypto.randomUUID()],
      {},
      "Give --yes, because there is no terminal",
    ],
    ["an unknown batch", ["import", "attach", crypto.randomUUID()], {}, "no import has this id"],
  ];
  test.each(cases)("%s", async (_, args, env, text) => {
    const { status, output } = await sluice(args, env);
    expect([status, output]).toEqual([1, expect.stringContaining(text)]);
    expect(output).not.toContain("    at "); // no stack
    expect(await credentials()).toEqual([]);
  });

  test("an empty selection starts nothing, and leaves neither a batch that waits nor credentials", async () => {
    const { status, output } = await sluice([...FROM_MUX, "--yes"], TOKEN_ENV);
    expect([status, output]).toEqual([1, expect.stringContaining("No video was found: check the source and the sel")]);
    const [batch] = (await platform.api<{ status: string }[]>("GET", "/v1/imports?limit=1")).body.data;
    expect(batch).toMatchObject({ status: "cancelled" });
    await expect.poll(credentials, { timeout: 20_000 }).toEqual([]);
  });

  test("a permission that is missing is named in the source's words", async () => {
    addVideo();
    const env = { MUX_TOKEN_ID: MUX_READ_TOKEN.tokenId, MUX_TOKEN_SECRET: MUX_READ_TOKEN.tokenSecret };
    const { output } = await sluice([...FROM_MUX, "--dry-run"], env);
    expect(output).toContain("Mux Video Write is missing.");
  });
});
