/** `npm run webhook:listen` as a user runs it: a process next to a running platform. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { startCommand } from "../../support/command.ts";
import { sharedPlatform, type SharedPlatform, startTestPlatform } from "../../support/platform.ts";

const SECRET = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

interface Said {
  kind: string;
  url?: string;
  webhookId?: string;
  type?: string;
  why?: string;
  [more: string]: unknown;
}

interface Listener {
  child: ChildProcess;
  exit: Promise<number | null>;
  output: () => string;
  said: () => Said[];
  /** Resolves with the first line of this kind. */
  until: (kind: string) => Promise<Said>;
}

let platform: SharedPlatform;
const listeners: Listener[] = [];

beforeAll(async () => {
  platform = await sharedPlatform();
});
afterEach(async () => {
  for (const { child, exit } of listeners.splice(0)) {
    child.kill("SIGKILL");
    await exit;
  }
});

function listen(args: string[], home = platform.home): Listener {
  const child = spawn(process.execPath, ["scripts/webhook-listen.ts", "--port", "0", ...args], {
    env: { ...process.env, SLUICE_HOME: home, XDG_CONFIG_HOME: home, WEBHOOK_SECRET: "", NO_COLOR: "1" },
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const exit = new Promise<number | null>((done) => child.once("close", done));
  const said = () =>
    output
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Said);
  const until = async (kind: string) => {
    await expect.poll(() => said().map((one) => one.kind), { timeout: 20_000 }).toContain(kind);
    return said().find((one) => one.kind === kind)!;
  };
  const listener = { child, exit, output: () => output, said, until };
  listeners.push(listener);
  return listener;
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers });

const event = (title: string) => ({
  type: "asset.ready",
  object: { type: "media", id: "7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205" },
  id: "9e60d4b8-37f1-4c25-8da9-1f54c7a2e063",
  event_id: "9e60d4b8-37f1-4c25-8da9-1f54c7a2e063",
  workspace: { id: "0d3b9f52-6c1e-4a87-9b40-7e2f5c81d6a3", name: "Main" },
  status: "ready",
  data: { title },
  createdAt: "2026-05-20T12:50:15.662000000Z",
  attempts: [],
});

/** With both signatures of docs/guides/webhooks.md. */
function signed(text: string, secret = SECRET, atMs = Date.now()) {
  const { id } = JSON.parse(text) as { id: string };
  const timestamp = String(Math.floor(atMs / 1000));
  const hmac = (content: string) =>
    createHmac("sha256", Buffer.from(secret, "base64")).update(content).digest("base64");
  const headers: Record<string, string> = {
    "service-signature": hmac(text),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${hmac(`${id}.${timestamp}.${text}`)}`,
  };
  return { body: text, headers };
}

describe("--register", () => {
  test("creates a webhook, shows events of API changes as verified, refuses a forged event with 401, and deletes the webhook", async () => {
    const listener = listen(["--register", "--json", "--verbose"]);
    const { webhookId } = await listener.until("registered");
    const { url } = await listener.until("listening");
    expect(listener.said().map(({ kind }) => kind)).toContain("check"); // of the creation

    const { assetId } = await platform.create("https://no-such-host.invalid/a.mp4", { title: "Grüße, 東京 🎬" });
    const arrived = await listener.until("event");
    expect(arrived).toMatchObject({
      type: "asset.created",
      objectId: assetId,
      status: "media_created",
      verified: true,
      isRepeat: false,
      answered: 200,
      event: { type: "asset.created", data: { title: "Grüße, 東京 🎬" } },
    });
    expect(arrived.afterChangeMs).toBeLessThan(5000);

    const forged = signed(JSON.stringify(arrived.event), SECRET);
    const refused = await post(url!, forged.body, forged.headers);
    expect(refused.status).toBe(401);
    expect(await listener.until("refused")).toMatchObject({ why: "a Service-Signature of another secret or body" });

    const redelivered = await platform.api("POST", `/v1/events/${String(arrived.eventId)}/redeliver`, {});
    expect(redelivered.status).toBe(200);
    await expect.poll(() => listener.said().filter(({ isRepeat }) => isRepeat).length, { timeout: 20_000 }).toBe(1);
    expect(listener.said().find(({ isRepeat }) => isRepeat)).toMatchObject({
      verified: true,
      eventId: arrived.eventId,
    });

    listener.child.kill("SIGINT");
    expect(await listener.exit).toBe(0);
    expect(listener.said().at(-1)).toEqual({ kind: "removed", webhookId, isRemoved: true });
    expect((await platform.api("GET", `/v1/webhooks/${webhookId}`)).status).toBe(404);
  });

  test("deletes the webhook when the npm that runs it gets a SIGTERM, which npm does not pass on", async () => {
    const words = ["npm", "run", "webhook:listen", "--", "--register", "--json", "--port", "0"];
    const { home } = platform;
    const listener = startCommand(words, { env: { HOME: home, SLUICE_HOME: home, XDG_CONFIG_HOME: home } });
    const { webhookId } = await listener.until("registered");
    listener.kill("SIGTERM");
    const status = async () => (await platform.api("GET", `/v1/webhooks/${String(webhookId)}`)).status;
    await expect.poll(status, { timeout: 20_000 }).toBe(404);
    await listener.exit;
  });

  test("replaces the webhook of a listener that was killed", async () => {
    const killed = listen(["--register", "--json"]);
    const { webhookId } = await killed.until("registered");
    const { url } = await killed.until("listening");
    killed.child.kill("SIGKILL");
    await killed.exit;
    const next = listen(["--register", "--json", "--port", new URL(url!).port]);
    await next.until("registered");
    expect((await platform.api("GET", `/v1/webhooks/${webhookId}`)).status).toBe(404);
  });

  test("explains how to use a platform that sends only to public addresses", async () => {
    const closed = await startTestPlatform({ allowPrivateNetwork: false });
    try {
      const { exit, output } = listen(["--register"], closed.home);
      expect(await exit).toBe(1);
      expect(output()).toContain("The platform refused the webhook (422): url ");
      expect(output()).toContain("ALLOW_PRIVATE_NETWORK=true npm start");
    } finally {
      await closed.stop();
      await closed.removeHome();
    }
  });

  test("explains what to do when no platform is running", async () => {
    const empty = await mkdtemp(join(tmpdir(), "sluice-no-platform-"));
    try {
      const { exit, output } = listen(["--register"], empty);
      expect(await exit).toBe(1);
      expect(output()).toContain("No platform runs here");
    } finally {
      await rm(empty, { recursive: true });
    }
  });
});

interface How {
  secret?: string;
  ageMs?: number;
  without?: string;
  replaced?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

test.each([
  ["an event with both signatures", 200, {}],
  ["one that was signed with another secret", 401, { secret: "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=" }],
  ["one that was signed an hour ago", 401, { ageMs: 3_600_000 }],
  ["one whose Standard Webhooks signature was taken off", 401, { without: "webhook-signature" }],
  ["one whose id header was replaced", 401, { replaced: { "webhook-id": "another" } }],
  ["one that is not signed", 401, { headers: {} }],
  ["a body that is not JSON", 400, { body: "not json" }],
  ["the unsigned {} of a creation", 200, { body: "{}", headers: {} }],
] as [string, number, How][])("%s is answered %i", { timeout: 30_000 }, async (_, status, how) => {
  const { secret, ageMs = 0, without = "", replaced = {}, headers: given, body: other } = how;
  const listener = listen(["--secret", SECRET, "--json"]);
  const { url } = await listener.until("listening");
  const { body, headers } = signed(JSON.stringify(event("A")), secret, Date.now() - ageMs);
  const sent = Object.entries({ ...headers, ...replaced }).filter(([name]) => name !== without);
  const response = await post(url!, other ?? body, given ?? Object.fromEntries(sent));
  expect(response.status).toBe(status);
});

test("a repeat is dropped and marked, also when its bytes differ; terminal codes in a title are removed", async () => {
  const listener = listen(["--secret", `ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=,${SECRET}`]);
  await expect.poll(listener.output, { timeout: 20_000 }).toContain("Each signature is verified.");
  const [, url] = /Webhooks · (\S+)/.exec(listener.output())!;
  const [first, other] = ["Fir\u001B[31mst", "Other"].map((title) => signed(JSON.stringify(event(title))));
  for (const { body, headers } of [first!, first!, other!]) expect((await post(url!, body, headers)).status).toBe(200);
  const out = listener.output();
  expect(out).toMatch(/✓ asset\.ready +ready +7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205\n +Fir�\[31mst · \d+ ms/);
  expect(out).toContain("dropped: it has come before");
  expect(out).toContain("OTHER BYTES");
  expect(out).not.toContain("\u001B[31m");
});

test("without a secret it states that nothing is verified, and marks nothing as verified", async () => {
  const listener = listen(["--json"]);
  const { url, verifies } = await listener.until("listening");
  expect(verifies).toBe(false);
  expect((await post(url!, JSON.stringify(event("A")))).status).toBe(200);
  expect(await listener.until("event")).toMatchObject({ verified: null });
  const plain = listen([]);
  await expect.poll(plain.output, { timeout: 20_000 }).toContain("NOTHING IS VERIFIED");
});

test("a taken port and an invalid option end with a clear message", async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  try {
    const taken = listen(["--port", String(typeof address === "object" ? address?.port : "")]);
    expect(await taken.exit).toBe(1);
    expect(taken.output()).toMatch(/Port \d+ is taken/);
  } finally {
    server.close();
  }
  const broken = listen(["--secret", "not base64!"]);
  expect(await broken.exit).toBe(2);
  expect(broken.output()).toContain("--secret is not a webhook's secret");
  expect(broken.output()).not.toContain("not base64!");
});
