import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../../src/platform/database.ts";
import { requestLogs } from "../../../../src/events/request-log/tables.ts";
import {
  type ErrorBody,
  type MediaAnswer,
  newWorkspace,
  send,
  type TestWorkspace,
  videoFrom,
} from "../../workspace.ts";

const db = openDatabase(env.DB);
const VIDEO = videoFrom("http://127.0.0.1:9/a.mp4");

type Row = typeof requestLogs.$inferSelect;
const rowsOf = (workspace: TestWorkspace): Promise<Row[]> =>
  db.select().from(requestLogs).where(eq(requestLogs.workspaceId, workspace.id));

/** The only row of a request. */
async function lineOf(workspace: TestWorkspace, response: Response): Promise<Row> {
  const rows = (await rowsOf(workspace)).filter(({ requestId }) => requestId === response.headers.get("x-request-id"));
  expect(rows).toHaveLength(1);
  return rows[0]!;
}

const idOf = async (response: Response): Promise<string> => (await response.json<MediaAnswer>()).data.id;

describe("one row is stored for a request", () => {
  const unknownId = crypto.randomUUID();
  test.each([
    ["GET", "/v1/on-demand", undefined, 200, "/v1/on-demand", []],
    ["HEAD", "/v1/on-demand", undefined, 200, "/v1/on-demand", []],
    ["GET", `/v1/on-demand/${unknownId}`, undefined, 404, "/v1/on-demand/{mediaId}", [unknownId]],
    ["PATCH", `/v1/on-demand/${unknownId}`, { title: 7 }, 422, "/v1/on-demand/{mediaId}", [unknownId]],
    ["GET", "/v1/on-demand/not-a-uuid", undefined, 422, "/v1/on-demand/{mediaId}", ["not-a-uuid"]],
    ["POST", "/v1/on-demand", "{", 422, "/v1/on-demand", []],
    ["POST", "/v1/on-demand", JSON.stringify({ x: "x".repeat(300_000) }), 413, "/v1/on-demand", []],
    ["POST", `/v1/events/${unknownId}/redeliver`, {}, 404, "/v1/events/{eventId}/redeliver", [unknownId]],
    ["GET", `/v1/webhooks/${unknownId}/deliveries`, undefined, 404, "/v1/webhooks/{webhookId}/deliveries", [unknownId]],
    ["GET", "/v1/no-such-thing/secret-looking-text", undefined, 404, "unknown", []],
    ["PUT", `/v1/on-demand/${unknownId}`, {}, 405, "unknown", []],
  ])("%s %s with its route and ids", async (method, path, body, status, route, resourceIds) => {
    const workspace = await newWorkspace();
    const response = await workspace.request(method, `${path}?limit=2&note=private`, body);
    expect(response.status).toBe(status);
    const line = await lineOf(workspace, response);
    expect(line).toMatchObject({ method, status, route, resourceIds, resourceId: resourceIds[0] ?? null });
    expect(line.credentialId).toBe(atob(workspace.authorization.slice(6)).split(":")[0]);
    expect(line.durationMs).toBeGreaterThanOrEqual(0);
    expect(Math.abs(Date.now() - line.at.getTime())).toBeLessThan(60_000);
  });

  test("also when it fails with a server error", async () => {
    const workspace = await newWorkspace({ DB: failing((text) => text.includes('from "assets"')) });
    const response = await workspace.request("GET", `/v1/on-demand/${unknownId}`);
    expect(response.status).toBe(500);
    expect(await lineOf(workspace, response)).toMatchObject({ status: 500, resourceIds: [unknownId] });
  });

  test("with the id of what it created, also for a repeat with the same idempotency key", async () => {
    const workspace = await newWorkspace();
    const key = { "idempotency-key": crypto.randomUUID() };
    const first = await workspace.request("POST", "/v1/on-demand", VIDEO, key);
    const second = await workspace.request("POST", "/v1/on-demand", VIDEO, key);
    const id = await idOf(first);
    expect(await lineOf(workspace, first)).toMatchObject({ status: 201, resourceIds: [id], resourceId: id });
    expect(await lineOf(workspace, second)).toMatchObject({ status: 201, resourceIds: [id], resourceId: id });
    const webhook = await workspace.request("POST", "/v1/webhooks", {
      url: "http://127.0.0.1:9000/",
      skipVerification: true,
    });
    expect(await lineOf(workspace, webhook)).toMatchObject({ status: 201, resourceIds: [await idOf(webhook)] });
  });

  test("with the id in the case that the API returns, whatever the case in the request", async () => {
    const workspace = await newWorkspace();
    const id = await idOf(await workspace.request("POST", "/v1/on-demand", VIDEO));
    const response = await workspace.request("GET", `/v1/on-demand/${id.toUpperCase()}`);
    expect(await lineOf(workspace, response)).toMatchObject({ status: 200, resourceId: id });
  });

  test("each, when fifty end at the same time", async () => {
    const workspace = await newWorkspace();
    const sent = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        n % 5 === 0
          ? workspace.request("POST", "/v1/on-demand", VIDEO)
          : workspace.request("GET", `/v1/on-demand/${crypto.randomUUID()}`),
      ),
    );
    const rows = await rowsOf(workspace);
    const idsSent = sent.map(({ headers }) => String(headers.get("x-request-id")));
    expect(rows.map(({ requestId }) => requestId).sort()).toEqual(idsSent.sort());
    expect(rows.filter(({ status }) => status === 201)).toHaveLength(10);
  });

  test.each([
    ["did not happen", false],
    ["succeeded although it reported an error", true],
  ])("once, when the first write of it %s", async (_name, happens) => {
    let failures = 0;
    const isFirst = (text: string) => text.includes("request_logs") && (failures += 1) === 1;
    const workspace = await newWorkspace({ DB: failing(isFirst, happens) });
    const response = await workspace.request("GET", "/v1/on-demand");
    expect(response.status).toBe(200);
    expect(await lineOf(workspace, response)).toMatchObject({ route: "/v1/on-demand" });
    expect(failures).toBe(2);
  });

  test("and when no row can be written its response is unaffected, and the next request is stored", async () => {
    let isDown = true;
    const workspace = await newWorkspace({ DB: failing((text) => isDown && text.includes("request_logs")) });
    expect((await workspace.request("GET", "/v1/on-demand")).status).toBe(200);
    expect(await rowsOf(workspace)).toEqual([]);
    isDown = false;
    await lineOf(workspace, await workspace.request("GET", "/v1/on-demand"));
  });
});

describe("no row is stored", () => {
  test("for a request without valid credentials, which belongs to no workspace", async () => {
    const before = await db.$count(requestLogs);
    const headers = { authorization: `Basic ${btoa("nobody:nothing")}` };
    expect((await send(new Request("http://sluice.test/v1/on-demand", { headers }))).status).toBe(401);
    expect((await send(new Request("http://sluice.test/v1/openapi.json"))).status).toBe(200);
    expect(await db.$count(requestLogs)).toBe(before);
  });
});

test("no secret is stored: no body, query, credential's secret or header", async () => {
  const workspace = await newWorkspace();
  await workspace.request("POST", "/v1/on-demand?token=in-the-query", {
    ...VIDEO,
    title: "in-the-body",
    metadata: { k: "in-the-metadata" },
  });
  const created = await workspace.request(
    "POST",
    "/v1/webhooks",
    { url: "http://127.0.0.1:9000/in-the-url", skipVerification: true },
    { "x-private": "in-a-header" },
  );
  const { data } = await created.json<{ data: { id: string; secret: string } }>();
  const revealed = await workspace.request("POST", `/v1/webhooks/${data.id}/secret/reveal`);
  expect(await revealed.text()).toContain(data.secret);
  const rows = await rowsOf(workspace);
  expect(rows).toHaveLength(3);
  const kept = JSON.stringify(rows);
  const password = atob(workspace.authorization.slice(6)).split(":")[1]!;
  for (const secret of ["in-the-", "in-a-header", data.secret, password, workspace.authorization])
    expect(kept).not.toContain(secret);
});

test("a long request id header is cut", async () => {
  const workspace = await newWorkspace();
  await workspace.request("GET", "/v1/on-demand", undefined, { "cf-ray": "r".repeat(4000) });
  expect((await rowsOf(workspace)).map(({ requestId }) => requestId)).toEqual(["r".repeat(64)]);
});

test("an idempotency key reused with another body is stored as a conflict without created ids", async () => {
  const workspace = await newWorkspace();
  const key = { "idempotency-key": "one" };
  await workspace.request("POST", "/v1/on-demand", VIDEO, key);
  const conflict = await workspace.request("POST", "/v1/on-demand", { ...VIDEO, title: "other" }, key);
  expect((await conflict.json<ErrorBody>()).error.code).toBe(409);
  expect(await lineOf(workspace, conflict)).toMatchObject({ status: 409, resourceIds: [] });
});

/** The database, with one kind of statement that reports a failure. @param happens it is executed nevertheless */
function failing(isMeant: (text: string) => boolean, happens = false): D1Database {
  const meant = new WeakSet<D1PreparedStatement>();
  const fail = () => Promise.reject(new Error("D1_ERROR: made up by the test"));
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        return async () => {
          if (happens) await target.run();
          return fail();
        };
      },
    });
    meant.add(wrapped);
    return wrapped;
  };
  return new Proxy(env.DB, {
    get(target, name) {
      if (name === "batch")
        return (statements: D1PreparedStatement[]) =>
          statements.some((statement) => meant.has(statement)) ? fail() : target.batch(statements);
      return (text: string) => (isMeant(text) ? wrap(target.prepare(text)) : target.prepare(text));
    },
  });
}
