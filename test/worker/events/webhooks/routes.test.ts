import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { type ErrorBody, newWorkspace } from "../../workspace.ts";
import { receivers } from "./receivers.ts";
import {
  ask,
  createWebhook,
  insertDeliveryRow,
  receiverUrl,
  refusal,
  seenAt,
  type Webhook,
} from "./webhook-helpers.ts";

const { nobody, tls } = receivers();
const closedOut = { ALLOW_PRIVATE_NETWORK: "" };

describe("a creation", () => {
  test("verifies the URL with an unsigned {} and returns the webhook with its secret", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl("/status/204");
    const response = await workspace.request("POST", "/v1/webhooks", {
      url: `${url}#fragment`,
      description: "Grüße",
      eventTypes: ["asset.ready", "video.media.*"],
      naming: "video",
    });
    expect(response.status).toBe(201);
    const { data } = await response.json<{ data: Webhook }>();
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url,
      description: "Grüße",
      eventTypes: ["asset.ready", "video.media.*"],
      naming: "video",
      events: { secrets: false },
      enabled: true,
      status: "active",
      secret: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updatedAt: data.createdAt,
    });
    const requests = await seenAt(url);
    expect(requests.map(({ method, body }) => [method, body])).toEqual([["POST", "{}"]]);
    expect(Object.keys(requests[0]!.headers).filter((name) => /signature|webhook/.test(name))).toEqual([]);
  });

  test("has defaults for everything but the URL", async () => {
    const workspace = await newWorkspace();
    const webhook = await ask<Webhook>(workspace, "POST", "/v1/webhooks", { url: receiverUrl() });
    expect(webhook).toMatchObject({ eventTypes: ["*"], naming: "service", enabled: true, status: "active" });
    expect("description" in webhook).toBe(false);
  });

  test("sends nothing with skipVerification", async () => {
    const webhook = await createWebhook(await newWorkspace(), { url: `${nobody}/` });
    expect(webhook.status).toBe("active");
  });

  test.each([
    [() => receiverUrl("/status/404"), "it answered 404"],
    [() => receiverUrl("/status/410"), "it answered 410"],
    [() => receiverUrl("/status/302?header=location:%20/elsewhere"), "it answered 302, a redirect"],
    [() => receiverUrl("/hang-up"), "the connection failed, or closed before an HTTP response"],
    [() => receiverUrl("/garbage"), "the connection failed, or closed before an HTTP response"],
    [() => receiverUrl("/torrent"), "its response is longer than 64 KB"],
    [() => receiverUrl("/short"), "its response ended early"],
    [() => `${nobody}/`, "the connection failed, or closed"],
    [() => `${tls}/status/200`, "the TLS connection failed, or the certificate is not valid"],
    [() => "https://nobody.invalid/", "its host name has no address"],
  ])(
    "whose URL does not accept the verification request reports the reason and stores nothing: %#",
    async (url, words) => {
      const workspace = await newWorkspace();
      const answer = await refusal(await workspace.request("POST", "/v1/webhooks", { url: url() }));
      expect(answer).toMatchObject({ status: 422, fields: [{ field: "url" }] });
      expect(answer.fields![0]!.message).toContain(words);
      expect(await ask(workspace, "GET", "/v1/webhooks")).toEqual([]);
    },
  );

  test.each([
    ["http://example.com/hook", "must be an https URL"],
    ["https://user:secret@example.com/hook", "must not carry a user name or password"],
    ["https://example.com:25/hook", "must use port 80, 443 or one above 1024"],
    ["https://example.com:1024/hook", "must use port 80, 443 or one above 1024"],
    ["https://10.0.0.1/hook", "must not point to a private or local address"],
    ["https://127.0.0.1/hook", "must not point to a private or local address"],
    ["https://[::1]/hook", "must not point to a private or local address"],
    ["https://[::ffff:192.168.0.1]/hook", "must not point to a private or local address"],
    ["https://169.254.169.254/latest/meta-data", "must not point to a private or local address"],
    ["https://0x7f000001/hook", "must not point to a private or local address"],
    ["https://localhost/hook", "must not point to a private or local address"],
    ["ftp://example.com/hook", "must be an http or https URL"],
    ["/hook", "must be an absolute URL"],
    [`https://example.com/${"a".repeat(2030)}`, "must be at most 2048 characters long"],
  ])("is refused in production for the URL %s, also without verification", async (url, message) => {
    const workspace = await newWorkspace(closedOut);
    const response = await workspace.request("POST", "/v1/webhooks", { url, skipVerification: true });
    const hint = message.includes("private")
      ? `${message}, unless the platform runs with ALLOW_PRIVATE_NETWORK=true`
      : message;
    expect(await refusal(response)).toMatchObject({
      status: 422,
      fields: [{ field: "url", message }],
      hints: [{ field: "url", message: hint }],
    });
  });

  test.each([
    [{}, [["url", "must not be null"]]],
    [{ url: null }, [["url", "must not be null"]]],
    [{ url: 7 }, [["url", "is invalid"]]],
    [{ url: "" }, [["url", "is invalid"]]],
    [{ description: "x".repeat(256) }, [["description", "is invalid"]]],
    [{ description: 1 }, [["description", "is invalid"]]],
    [{ naming: "both" }, [["naming", "is invalid"]]],
    [{ enabled: "yes" }, [["enabled", "is invalid"]]],
    [{ enabled: null }, [["enabled", "must not be null"]]],
    [{ skipVerification: 1 }, [["skipVerification", "is invalid"]]],
    [{ eventTypes: "asset.ready" }, [["eventTypes", "is invalid"]]],
    [{ eventTypes: [] }, [["eventTypes", "is invalid"]]],
    [{ eventTypes: ["asset.ready", "asset.unheard"] }, [["eventTypes[1]", "is not a kind of event"]]],
    [{ eventTypes: ["nothing.*"] }, [["eventTypes[0]", "matches no kind of event"]]],
    [{ eventTypes: [1] }, [["eventTypes[0]", "is invalid"]]],
    [{ eventTypes: Array.from({ length: 201 }, () => "asset.ready") }, [["eventTypes", "is invalid"]]],
  ])("names the invalid field: %j", async (body, fields) => {
    const workspace = await newWorkspace();
    const whole = "url" in body || Object.keys(body).length === 0 ? body : { url: receiverUrl(), ...body };
    const answer = await refusal(await workspace.request("POST", "/v1/webhooks", whole));
    expect(answer).toMatchObject({ status: 422, message: "payload validation failed" });
    expect(answer.fields).toEqual(fields.map(([field, message]) => ({ field, message })));
  });

  test("names all invalid fields at once, including the URL", async () => {
    const workspace = await newWorkspace(closedOut);
    const body = { url: "http://u:p@10.0.0.1:22/", description: 1, eventTypes: ["x"], naming: 1, enabled: 0 };
    const { fields } = await refusal(await workspace.request("POST", "/v1/webhooks", body));
    expect(fields!.map(({ field }) => field).sort()).toEqual([
      "description",
      "enabled",
      "eventTypes[0]",
      "naming",
      "url",
    ]);
  });

  test.each(["null", "[]", "7", '"text"'])("is refused with the body %s", async (body) => {
    const workspace = await newWorkspace();
    expect(await refusal(await workspace.request("POST", "/v1/webhooks", body))).toMatchObject({
      status: 422,
      fields: [{ field: "body" }],
    });
  });

  test("is refused with a body that is not JSON", async () => {
    const workspace = await newWorkspace();
    const answer = await refusal(await workspace.request("POST", "/v1/webhooks", "{"));
    expect(answer).toMatchObject({ status: 422, fields: [{ field: "body", message: "is not JSON" }] });
  });

  test("beyond the 50th is refused, also for concurrent requests, until one is deleted", async () => {
    const workspace = await newWorkspace();
    const answers = await Promise.all(
      Array.from({ length: 54 }, () =>
        workspace.request("POST", "/v1/webhooks", { url: receiverUrl(), skipVerification: true }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).toBe(50);
    expect((await refused[0]!.json<ErrorBody>()).error).toMatchObject({ code: 400, message: "webhook limit reached" });
    const url = receiverUrl();
    expect((await workspace.request("POST", "/v1/webhooks", { url })).status).toBe(400);
    expect(await seenAt(url)).toEqual([]);
    const [first] = await ask<Webhook[]>(workspace, "GET", "/v1/webhooks?limit=50");
    await workspace.request("DELETE", `/v1/webhooks/${first!.id}`);
    expect((await workspace.request("POST", "/v1/webhooks", { url })).status).toBe(201);
  });
});

describe("the list", () => {
  test("pages through the workspace's webhooks, newest first, without secrets", async () => {
    const [workspace, other] = [await newWorkspace(), await newWorkspace()];
    await createWebhook(other);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await createWebhook(workspace)).id);
    const response = await workspace.request("GET", "/v1/webhooks?limit=2&offset=2");
    const page = await response.json<{ data: Webhook[]; pagination: object }>();
    expect(page.pagination).toEqual({ totalRecords: 3, currentOffset: 2, offsetCount: 2 });
    const all = await (await workspace.request("GET", "/v1/webhooks")).text();
    expect((JSON.parse(all) as { data: Webhook[] }).data.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    expect(all.replaceAll('"events":{"secrets":false}', "")).not.toMatch(/secret/i);
  });
});

describe("a change", () => {
  test("of a few fields leaves the others", async () => {
    const workspace = await newWorkspace();
    const {
      id,
      secret: _,
      ...before
    } = await createWebhook(workspace, { description: "Old", eventTypes: ["asset.ready"] });
    const after = await ask<Webhook>(workspace, "PATCH", `/v1/webhooks/${id}`, { naming: "video", eventTypes: ["*"] });
    expect(after).toEqual({ ...before, id, naming: "video", eventTypes: ["*"], updatedAt: after.updatedAt });
    expect(await ask(workspace, "GET", `/v1/webhooks/${id}`)).toEqual(after);
    const bare = await ask<Webhook>(workspace, "PATCH", `/v1/webhooks/${id}`, { description: null });
    expect("description" in bare).toBe(false);
  });

  test.each([{}, { events: {} }])("to nothing (%j) changes nothing", async (nothing) => {
    const workspace = await newWorkspace();
    const { id, updatedAt } = await createWebhook(workspace, { events: { secrets: true } });
    const after = await ask<Webhook>(workspace, "PATCH", `/v1/webhooks/${id}`, nothing);
    expect(after).toMatchObject({ updatedAt, events: { secrets: true } });
  });

  test("of the URL verifies a new one first, and only a new one", async () => {
    const workspace = await newWorkspace();
    const { id, url } = await createWebhook(workspace, { url: receiverUrl("/status/404") });
    const same = await workspace.request("PATCH", `/v1/webhooks/${id}`, { url });
    expect([same.status, await seenAt(url)]).toEqual([200, []]);
    const bad = receiverUrl("/status/503");
    const answer = await refusal(await workspace.request("PATCH", `/v1/webhooks/${id}`, { url: bad }));
    expect(answer.fields![0]!.message).toContain("it answered 503");
    expect((await ask<Webhook>(workspace, "GET", `/v1/webhooks/${id}`)).url).toBe(url);
    const good = receiverUrl();
    expect((await ask<Webhook>(workspace, "PATCH", `/v1/webhooks/${id}`, { url: good })).url).toBe(good);
    expect((await seenAt(good)).map(({ body }) => body)).toEqual(["{}"]);
    const unasked = await ask<Webhook>(workspace, "PATCH", `/v1/webhooks/${id}`, { url: bad, skipVerification: true });
    expect(unasked.url).toBe(bad);
  });

  test.each([
    [{ url: "https://user:secret@example.com/" }, "url", "must not carry a user name or password"],
    [{ url: null }, "url", "must not be null"],
    [{ eventTypes: [] }, "eventTypes", "is invalid"],
    [{ eventType: ["asset.ready"] }, "eventType", "is invalid"],
    [{ eventTypes: ["asset.ready", "*.ready"] }, "eventTypes[1]", expect.stringContaining("*")],
    [{ enabled: 1 }, "enabled", "is invalid"],
    [{ description: "x".repeat(256) }, "description", "is invalid"],
  ])("names the invalid field: %j", async (body, field, message) => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    const answer = await refusal(await workspace.request("PATCH", `/v1/webhooks/${id}`, body));
    expect(answer).toMatchObject({ status: 422, fields: [{ field, message }] });
  });

  test("pauses and enables a webhook, also one that was disabled", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    expect((await ask<Webhook>(workspace, "PATCH", `/v1/webhooks/${id}`, { enabled: false })).status).toBe("paused");
    await env.DB.prepare(
      "UPDATE webhooks SET failing_since = 1, disabled_reason = 'gone', disabled_at = 2 WHERE id = ?",
    )
      .bind(id)
      .run();
    expect(await ask(workspace, "GET", `/v1/webhooks/${id}`)).toMatchObject({
      enabled: false,
      status: "disabled",
      failingSince: "1970-01-01T00:00:00.001000Z",
      disabledAt: "1970-01-01T00:00:00.002000Z",
      disabledReason: { code: "gone", message: expect.stringContaining("410") },
    });
    const enabled = await ask<Webhook>(workspace, "PATCH", `/v1/webhooks/${id}`, { enabled: true });
    expect(enabled).toMatchObject({ status: "active", enabled: true });
    expect(Object.keys(enabled)).not.toEqual(expect.arrayContaining(["disabledReason"]));
    expect(Object.keys(enabled)).not.toEqual(expect.arrayContaining(["failingSince"]));
  });
});

test("`enabled` is true exactly while events are delivered, whoever has switched the webhook off", async () => {
  const workspace = await newWorkspace();
  const { id } = await createWebhook(workspace);
  const shown = async (change?: object) => {
    const { enabled, status } = await ask<Webhook>(workspace, change ? "PATCH" : "GET", `/v1/webhooks/${id}`, change);
    return [enabled, status];
  };
  const disable = () =>
    env.DB.prepare("UPDATE webhooks SET disabled_reason = 'gone', disabled_at = 2 WHERE id = ?").bind(id).run();
  expect(await shown()).toEqual([true, "active"]);
  await env.DB.prepare("UPDATE webhooks SET failing_since = 1 WHERE id = ?").bind(id).run();
  expect(await shown()).toEqual([true, "failing"]);
  await disable();
  expect(await shown()).toEqual([false, "disabled"]);
  expect(await shown({ description: "x" })).toEqual([false, "disabled"]);
  expect(await shown({ enabled: false })).toEqual([false, "paused"]); // the owner's switch replaces the service's
  await disable();
  expect(await shown({ enabled: true })).toEqual([true, "active"]);
});

test('a webhook of an earlier release, which stored [] for all kinds, has ["*"], and a change of another field keeps it', async () => {
  const workspace = await newWorkspace();
  const { id } = await createWebhook(workspace);
  await env.DB.prepare("UPDATE webhooks SET event_types = '[]' WHERE id = ?").bind(id).run();
  expect(await ask(workspace, "GET", `/v1/webhooks/${id}`)).toMatchObject({ eventTypes: ["*"] });
  expect(await ask(workspace, "PATCH", `/v1/webhooks/${id}`, { naming: "video" })).toMatchObject({ eventTypes: ["*"] });
});

test("an unknown field is refused, with the name that was probably meant", async () => {
  const workspace = await newWorkspace();
  const body = { url: receiverUrl(), eventType: ["asset.ready"], events: { secret: true } };
  const response = await workspace.request("POST", "/v1/webhooks", body);
  const { error } = await response.json<ErrorBody>();
  expect([response.status, error.hints]).toEqual([
    422,
    [
      { field: "events.secret", message: "unknown field `secret`; did you mean `secrets`?" },
      { field: "eventType", message: "unknown field `eventType`; did you mean `eventTypes`?" },
    ],
  ]);
  expect(await ask(workspace, "GET", "/v1/webhooks")).toEqual([]);
});

test("a webhook has its status and the outcome of its last delivery", async () => {
  const workspace = await newWorkspace();
  const { id } = await createWebhook(workspace);
  await env.DB.prepare(
    "UPDATE webhooks SET failing_since = 5, last_attempt_at = 7, last_status = 500, last_failure = 'bad_status' WHERE id = ?",
  )
    .bind(id)
    .run();
  expect(await ask(workspace, "GET", `/v1/webhooks/${id}`)).toMatchObject({
    status: "failing",
    lastDelivery: { at: "1970-01-01T00:00:00.007000Z", status: 500, failure: { code: "bad_status" } },
  });
});

test("a deleted webhook is in no response, and its pending deliveries are cancelled", async () => {
  const workspace = await newWorkspace();
  const { id } = await createWebhook(workspace, { enabled: false });
  const [waiting, done] = [
    await insertDeliveryRow(workspace, id, { status: "pending" }),
    await insertDeliveryRow(workspace, id, { status: "delivered" }),
  ];
  const response = await workspace.request("DELETE", `/v1/webhooks/${id}`);
  expect([response.status, await response.json()]).toEqual([200, { success: true }]);
  const { results } = await env.DB.prepare("SELECT event_id AS id, status FROM deliveries WHERE webhook_id = ?")
    .bind(id)
    .all();
  expect(results).toEqual(
    expect.arrayContaining([
      { id: waiting, status: "cancelled" },
      { id: done, status: "delivered" },
    ]),
  );
  expect(await ask(workspace, "GET", "/v1/webhooks")).toEqual([]);
  expect((await workspace.request("DELETE", `/v1/webhooks/${id}`)).status).toBe(404);
});

const ROUTES: [string, string, object?][] = [
  ["GET", ""],
  ["PATCH", "", { description: "mine" }],
  ["DELETE", ""],
  ["POST", "/secret/reveal"],
  ["POST", "/secret/rotate"],
  ["POST", "/test", { type: "asset.ready" }],
  ["POST", "/recover", { since: new Date().toISOString() }],
  ["GET", "/deliveries"],
];

describe("a webhook of another workspace answers like one that never existed, and like a deleted one", () => {
  test.each(ROUTES)("%s %s", async (method, path, body) => {
    const [owner, stranger] = [await newWorkspace(), await newWorkspace()];
    const url = receiverUrl();
    const [mine, deleted] = [await createWebhook(owner, { url }), await createWebhook(stranger)];
    await stranger.request("DELETE", `/v1/webhooks/${deleted.id}`);
    const texts: string[] = [];
    for (const id of [mine.id, crypto.randomUUID(), deleted.id]) {
      const response = await stranger.request(method, `/v1/webhooks/${id}${path}`, body);
      expect(response.status).toBe(404);
      texts.push(await response.text());
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('"message":"webhook not found"');
    const { secret: _, ...before } = mine;
    expect(await ask(owner, "GET", `/v1/webhooks/${mine.id}`)).toEqual(before);
    expect(await seenAt(url)).toEqual([]);
  });

  test.each(ROUTES)("%s %s: an id that is not a UUID is refused", async (method, path, body) => {
    const workspace = await newWorkspace();
    const answer = await refusal(await workspace.request(method, `/v1/webhooks/first${path}`, body));
    expect(answer).toMatchObject({ status: 422, fields: [{ field: "webhookId", message: "is invalid" }] });
  });
});

test("the OpenAPI document has every route of webhooks", async () => {
  const workspace = await newWorkspace();
  const { paths } = await (
    await workspace.request("GET", "/v1/openapi.json")
  ).json<{ paths: Record<string, object> }>();
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(routes.filter((route) => /webhooks|redeliver/.test(route)).sort()).toEqual([
    "delete /v1/webhooks/{webhookId}",
    "get /v1/webhooks",
    "get /v1/webhooks/{webhookId}",
    "get /v1/webhooks/{webhookId}/deliveries",
    "patch /v1/webhooks/{webhookId}",
    "post /v1/events/{eventId}/redeliver",
    "post /v1/webhooks",
    "post /v1/webhooks/{webhookId}/recover",
    "post /v1/webhooks/{webhookId}/secret/reveal",
    "post /v1/webhooks/{webhookId}/secret/rotate",
    "post /v1/webhooks/{webhookId}/test",
  ]);
});
