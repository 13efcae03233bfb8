import { env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { ask, bytesOf, createWebhook, hmac, receiverUrl, refusal, seenAt, type Webhook } from "./webhook-helpers.ts";

const DAY_MS = 24 * 3600_000;
const reveal = async (workspace: TestWorkspace, id: string) =>
  (await ask<{ secret: string }>(workspace, "POST", `/v1/webhooks/${id}/secret/reveal`)).secret;
const rotate = (workspace: TestWorkspace, id: string) => workspace.request("POST", `/v1/webhooks/${id}/secret/rotate`);

afterEach(() => vi.restoreAllMocks());

test("a secret is Base64 of 32 bytes, and reveal returns it again", async () => {
  const workspace = await newWorkspace();
  const { id, secret } = await createWebhook(workspace);
  expect(bytesOf(secret)).toHaveLength(32);
  expect(btoa(atob(secret))).toBe(secret);
  expect(await reveal(workspace, id)).toBe(secret);
});

test("a rotation returns the new secret; a secret is in no other response, in no log line and in no row of the database", async () => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  const workspace = await newWorkspace();
  const { id, secret } = await createWebhook(workspace);
  const rotation = await rotate(workspace, id);
  expect(rotation.headers.get("cache-control")).toBe("no-store");
  const { secret: second, ...rotated } = (await rotation.json<{ data: Webhook }>()).data;
  expect(second).toBe(await reveal(workspace, id));
  const answers = [JSON.stringify(rotated)];
  for (const [method, path, body] of [
    ["GET", ""],
    ["GET", "/deliveries"],
    ["PATCH", "", { description: "x" }],
    ["POST", "/test", { type: "asset.ready" }],
  ] as const)
    answers.push(await (await workspace.request(method, `/v1/webhooks/${id}${path}`, body)).text());
  answers.push(await (await workspace.request("GET", "/v1/webhooks")).text());
  const row = JSON.stringify(await env.DB.prepare("SELECT * FROM webhooks WHERE id = ?").bind(id).first());
  const logs = JSON.stringify((await env.DB.prepare("SELECT * FROM request_logs").all()).results);
  expect(lines.some((line) => line.includes("webhook.secret_rotated"))).toBe(true);
  for (const text of [...answers, ...lines, row, logs])
    for (const one of [secret, second!]) expect(text).not.toContain(one);
});

describe("a rotation", () => {
  test("signs with the new secret at once, beside the old one for 24 h", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const { id, secret } = await createWebhook(workspace, { url });
    const before = Date.now();
    const webhook = (await (await rotate(workspace, id)).json<{ data: Webhook }>()).data;
    const untilMs = Date.parse(webhook.previousSecretUntil!);
    expect(untilMs).toBeGreaterThanOrEqual(before + DAY_MS);
    expect(untilMs).toBeLessThanOrEqual(Date.now() + DAY_MS);
    const fresh = await reveal(workspace, id);
    expect(fresh).not.toBe(secret);
    await ask(workspace, "POST", `/v1/webhooks/${id}/test`, { type: "asset.ready" });
    const [request] = await seenAt(url);
    const { headers, body } = request!;
    expect(headers["service-signature"]).toBe(await hmac(fresh, body));
    const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    expect(headers["webhook-signature"]).toBe(`v1,${await hmac(fresh, content)} v1,${await hmac(secret, content)}`);
  });

  test("within the overlap is refused, also for concurrent requests", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    const answers = await Promise.all([rotate(workspace, id), rotate(workspace, id), rotate(workspace, id)]);
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(["200", "409", "409"]);
    const { data } = await answers.find(({ status }) => status === 200)!.json<{ data: Webhook }>();
    const answer = await refusal(await rotate(workspace, id));
    expect(answer).toMatchObject({ status: 409, message: "secret was rotated recently" });
    expect(answer.description).toContain(data.previousSecretUntil);
  });

  test("is possible after the overlap, and then the oldest secret no longer signs", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const { id, secret } = await createWebhook(workspace, { url });
    await rotate(workspace, id);
    const second = await reveal(workspace, id);
    await env.DB.prepare("UPDATE webhooks SET previous_secret_until = ? WHERE id = ?")
      .bind(Date.now() - 1, id)
      .run();
    expect("previousSecretUntil" in (await ask<Webhook>(workspace, "GET", `/v1/webhooks/${id}`))).toBe(false);
    await ask(workspace, "POST", `/v1/webhooks/${id}/test`, { type: "asset.ready" });
    expect((await rotate(workspace, id)).status).toBe(200);
    const third = await reveal(workspace, id);
    await ask(workspace, "POST", `/v1/webhooks/${id}/test`, { type: "asset.ready" });
    const signers: string[][] = [];
    for (const { headers, body } of await seenAt(url)) {
      const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
      const found = new Map<string, string>();
      for (const [name, one] of Object.entries({ first: secret, second, third }))
        found.set(`v1,${await hmac(one, content)}`, name);
      signers.push(headers["webhook-signature"]!.split(" ").map((signature) => found.get(signature) ?? "nobody"));
    }
    expect(signers).toEqual([["second"], ["third", "second"]]);
  });
});

describe("without usable keys", () => {
  const KEYS = [undefined, "", "k1", "k1:tooshort", "k1:c2x1aWNlIHRlc3RzLCAzMiBieXRlcyBvZiBrZXkuLi4=,k2:???"];

  test.each(KEYS)(
    "WEBHOOK_KEYS = %j: a creation answers 503 before anybody is asked, and the log says why",
    async (keys) => {
      const lines: string[] = [];
      vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
      const workspace = await newWorkspace({ WEBHOOK_KEYS: keys as string });
      const url = receiverUrl();
      const answer = await refusal(await workspace.request("POST", "/v1/webhooks", { url }));
      expect(answer).toMatchObject({ status: 503, message: "temporarily unavailable" });
      expect(await seenAt(url)).toEqual([]);
      expect(await ask(workspace, "GET", "/v1/webhooks")).toEqual([]);
      expect(
        lines.filter((line) => line.includes('"webhook.keys_unusable"') && line.includes("WEBHOOK_KEYS")),
      ).toHaveLength(1);
    },
  );

  test.each([
    ["/secret/reveal", undefined],
    ["/secret/rotate", undefined],
    ["/test", { type: "asset.ready" }],
  ])("POST …%s answers 503 without sending or changing anything", async (path, body) => {
    const broken: { WEBHOOK_KEYS?: string } = {};
    const workspace = await newWorkspace(broken);
    const url = receiverUrl();
    const { id } = await createWebhook(workspace, { url });
    const read = () => env.DB.prepare("SELECT * FROM webhooks WHERE id = ?").bind(id).first();
    const before = await read();
    broken.WEBHOOK_KEYS = "";
    // A sender caches the key after its first delivery; this webhook has had none.
    const answer = await refusal(await workspace.request("POST", `/v1/webhooks/${id}${path}`, body));
    expect(answer).toMatchObject({ status: 503, message: "temporarily unavailable" });
    expect([await seenAt(url), await read()]).toEqual([[], before]);
  });
});
