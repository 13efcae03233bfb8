/** The commands, receivers and checks of docs/guides/webhooks.md work with real deliveries. */
import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeBlocks, signatureVectors, theBlock } from "../../support/guide-blocks.ts";
import { hasPython, startGuideReceiver, writeReceivers } from "../../support/guide-receivers.ts";
import { freePort, sharedPlatform, type SharedPlatform } from "../../support/platform.ts";

const GUIDE = "docs/guides/webhooks.md";
const TITLE = "Grüße, 東京 🎬";
const blocks = codeBlocks(GUIDE);
const openssl = theBlock(blocks, "sh", "A signature by hand");

interface Delivery {
  eventId: string;
  type: string;
  status: string;
  attempts: { status: number }[];
}

let platform: SharedPlatform;
let folder: string;
let commands: Record<string, string[]>;

beforeAll(async () => {
  platform = await sharedPlatform();
  folder = await mkdtemp(join(tmpdir(), "sluice-guide-"));
  commands = await writeReceivers(blocks, folder);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const createMedia = () => platform.create("https://no-such-host.invalid/a.mp4", { title: TITLE });

async function deliveriesTo(webhookId: string): Promise<Delivery[]> {
  return (await platform.api<Delivery[]>("GET", `/v1/webhooks/${webhookId}/deliveries`)).body.data;
}

if (!hasPython()) console.warn(`python3 is not installed here: the Python of ${GUIDE} is not run.`);
describe.each(["Hono", "Express", ...(hasPython() ? ["Python"] : [])])("the receiver in %s", (name) => {
  test("answers the check at creation, accepts each event once and with either secret, and refuses forged requests", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hooks/video`;
    const start = (secrets: string[]) => startGuideReceiver(commands[name]!, { folder, port, secrets });
    const unarmed = await start([]);
    const created = await platform.api<{ id: string; secret: string }>("POST", "/v1/webhooks", {
      url,
      eventTypes: ["asset.created"],
    });
    expect(created.status).toBe(201);
    await unarmed.stop();

    const { id: webhookId, secret } = created.body.data;
    const receiver = await start([secret]);
    const { assetId } = await createMedia();
    const line = `asset.created ${assetId}\n`;
    await expect.poll(receiver.output, { timeout: 20_000 }).toContain(line);
    await expect.poll(async () => (await deliveriesTo(webhookId))[0]?.status, { timeout: 20_000 }).toBe("delivered");
    const [{ eventId } = { eventId: "" }] = await deliveriesTo(webhookId);
    await platform.api("POST", `/v1/events/${eventId}/redeliver`, { webhookId });
    await expect
      .poll(async () => (await deliveriesTo(webhookId))[0]?.attempts.map(({ status }) => status), { timeout: 20_000 })
      .toEqual([200, 200]);
    expect(receiver.output()).toBe(line); // once, although it was delivered twice

    const forged = async (signature: Record<string, string>) => {
      const headers = { "content-type": "application/json", ...signature };
      const body = JSON.stringify({ type: "asset.created", event_id: "forged", object: { id: "forged" } });
      return (await fetch(url, { method: "POST", headers, body })).status;
    };
    expect(await forged({})).toBe(401);
    expect(await forged({ "service-signature": "hiJ/6WcioiR9z+4SwH2JwbBWe7yapqjYBIOPZqPahD8=" })).toBe(401);
    expect(await forged({ "service-signature": "no signature at all" })).toBe(401);
    expect(receiver.output()).toBe(line);

    await platform.api("POST", `/v1/webhooks/${webhookId}/secret/rotate`);
    const sendSample = () =>
      platform.api<{ delivered: boolean }>("POST", `/v1/webhooks/${webhookId}/test`, { type: "asset.ready" });
    expect((await sendSample()).body.data.delivered).toBe(false);
    await receiver.stop();
    const revealed = await platform.api<{ secret: string }>("POST", `/v1/webhooks/${webhookId}/secret/reveal`);
    const rotated = await start([revealed.body.data.secret, secret]);
    expect((await sendSample()).body.data.delivered).toBe(true);
    await rotated.stop();
    await platform.api("DELETE", `/v1/webhooks/${webhookId}`);
  });
});

test("the guide's TypeScript type-checks unchanged", () => {
  const { stdout, status } = spawnSync(resolve("node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

describe("with a webhook made by the guide's own commands", () => {
  const seen: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
  let server: Server;
  let session: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        seen.push({ headers: request.headers, body: Buffer.concat(pieces) });
        response.end();
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    await createMedia(); // an event to send again
    session = join(folder, "session");
    await mkdir(session);
    await symlink(platform.home, join(session, ".sluice"));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** All commands in one shell, as a user runs them; `npm` starts processes that keep running, and `openssl` has a separate test. */
  const steps = blocks.filter(({ language, code }) => language === "sh" && !/^(npm|openssl) /.test(code));
  const END = "--- end of a step ---";

  test("every command succeeds, and prints the output that the guide shows", async () => {
    const script = steps.map(({ code }) => `${code}\necho; echo '${END}'`).join("\n");
    const run = await new Promise<{ status: number | null; stdout: string; stderr: string }>((done) => {
      const { port } = server.address() as AddressInfo;
      const env = { ...process.env, RECEIVER: `http://127.0.0.1:${port}/hooks/video` };
      const args = ["--norc", "-euo", "pipefail", "-c", script];
      const child = execFile("bash", args, { cwd: session, env }, (_, stdout, stderr) =>
        done({ status: child.exitCode, stdout, stderr }),
      );
    });
    expect([run.status, run.stderr]).toEqual([0, ""]);
    const outputs = run.stdout.split(END).map((output) => output.trim());
    expect(run.stdout).not.toContain('"success":false');
    expect(outputs.filter((output) => output.includes('"success":true')).length).toBeGreaterThan(5);

    const shown = blocks.flatMap(({ language, code }, index) => {
      const step = language === "json" ? steps.indexOf(blocks[index - 1]!) : -1;
      return step < 0 ? [] : [{ shown: JSON.parse(code) as unknown, answered: JSON.parse(outputs[step]!) as unknown }];
    });
    expect(shown).toHaveLength(3);
    for (const { shown: page, answered } of shown)
      expect(shapeOf(answered)).toEqual(expect.arrayContaining(shapeOf(page)));
  });

  test("openssl computes the same signature for a delivery", async () => {
    const { headers, body } = theSample();
    expect(await opensslSignature(body, await firstSecret())).toBe(headers["service-signature"]);
  });

  test("the check with a time window accepts a delivery now, and neither later nor with another body or secret", async () => {
    const isSignedLately = await importWindowCheck();
    const { headers, body } = theSample();
    const other = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const secret = await firstSecret();
    const minutesLater = (minutes: number) => Date.now() + minutes * 60_000;
    expect(isSignedLately(body, headers, [other, secret])).toBe(true);
    expect(isSignedLately(body, headers, [secret], minutesLater(6))).toBe(false);
    expect(isSignedLately(body, headers, [secret], minutesLater(-6))).toBe(false);
    expect(isSignedLately(body, headers, [other])).toBe(false);
    expect(isSignedLately(Buffer.concat([body, Buffer.from(" ")]), headers, [secret])).toBe(false);
    expect(isSignedLately(body, { ...headers, "webhook-timestamp": undefined }, [secret])).toBe(false);
    expect(isSignedLately(body, {}, [secret])).toBe(false);
  });

  test("a receiver with only the old secret passes the window check during a rotation, but not that of service-signature", async () => {
    const { port } = server.address() as AddressInfo;
    const created = await platform.api<{ id: string; secret: string }>("POST", "/v1/webhooks", {
      url: `http://127.0.0.1:${port}/hooks/rotated`,
      eventTypes: ["webhook.disabled"],
    });
    const { id, secret: old } = created.body.data;
    await platform.api("POST", `/v1/webhooks/${id}/secret/rotate`);
    const revealed = await platform.api<{ secret: string }>("POST", `/v1/webhooks/${id}/secret/reveal`);
    await platform.api("POST", `/v1/webhooks/${id}/test`, { type: "webhook.disabled" });
    const { headers, body } = seen.at(-1)!;
    const isSignedLately = await importWindowCheck();
    expect([isSignedLately(body, headers, [old]), isSignedLately(body, headers, [revealed.body.data.secret])]).toEqual([
      true,
      true,
    ]);
    expect(await opensslSignature(body, old)).not.toBe(headers["service-signature"]);
    expect(await opensslSignature(body, revealed.body.data.secret)).toBe(headers["service-signature"]);
  });

  async function importWindowCheck() {
    const { isSignedLately } = (await import(pathToFileURL(join(folder, "window.ts")).href)) as {
      isSignedLately: (body: Buffer, headers: IncomingHttpHeaders, secrets: string[], nowMs?: number) => boolean;
    };
    return isSignedLately;
  }

  /** The signed sample that the session requested. */
  function theSample() {
    const found = seen.find(({ headers }) => "service-signature" in headers);
    expect(found).toBeDefined();
    return found!;
  }

  /** The webhook's first secret, which the session has rotated. */
  async function firstSecret(): Promise<string> {
    const webhook = JSON.parse(await readFile(join(session, ".sluice/webhook.json"), "utf8")) as {
      data: { secret: string };
    };
    return webhook.data.secret;
  }
});

test("openssl reproduces the guide's vectors with the guide's command", async () => {
  const { secret, vectors } = signatureVectors(GUIDE);
  expect(vectors).toHaveLength(4);
  for (const [body, signature] of vectors) expect(await opensslSignature(Buffer.from(body), secret)).toBe(signature);
});

async function opensslSignature(body: Buffer, secret: string): Promise<string> {
  await writeFile(join(folder, "body.json"), body);
  const env = { ...process.env, SECRET: secret };
  return spawnSync("bash", ["--norc", "-euo", "pipefail", "-c", openssl], { cwd: folder, env, encoding: "utf8" })
    .stdout;
}

/** The paths of all fields, such as `data.attempt.status`; for lists, those of the first element. */
function shapeOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [path] : shapeOf(value[0], `${path}[]`);
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, inner]) => shapeOf(inner, `${path}.${name}`));
}
