/** `/mcp` on the wire: what the official client does not send, or does not show. */
import { env } from "cloudflare:test";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { API_JSON } from "../../../src/platform/http/json-bounds.ts";
import { type ErrorBody, newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { post, request, toolCall } from "./mcp-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});
afterEach(() => vi.restoreAllMocks());

interface RpcAnswer {
  jsonrpc: "2.0";
  id?: number | string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}
const NOTIFICATION = { jsonrpc: "2.0", method: "notifications/initialized" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const STATELESS = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
const errorOf = async (response: Response) => {
  const { id, error } = await response.json<RpcAnswer>();
  return [response.status, error?.code, id];
};

describe("the transport", () => {
  test.each(["GET", "DELETE", "PUT", "OPTIONS"])(
    "%s is refused: there are no streams and no sessions",
    async (method) => {
      const { authorization } = workspace;
      const response = await send(new Request("http://sluice.test/mcp", { method, headers: { authorization } }));
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    },
  );

  test("without a credential the answer is 401, with the challenge of the API", async () => {
    for (const authorization of ["", `Basic ${btoa("a:b")}`, "Bearer abc"]) {
      const response = await post({ authorization }, request("tools/list"));
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe('Basic realm="sluice", charset="UTF-8"');
      expect((await response.json<ErrorBody>()).error.message).toBe("unauthorized");
    }
  });

  test("notifications and responses are accepted without an answer", async () => {
    for (const message of [NOTIFICATION, { jsonrpc: "2.0", id: 1, result: {} }, [NOTIFICATION, NOTIFICATION]]) {
      const response = await post(workspace, message);
      expect([response.status, await response.text()]).toEqual([202, ""]);
    }
  });

  test("an answer is JSON that no cache stores", async () => {
    const { headers } = await post(workspace, request("ping"));
    expect([headers.get("content-type"), headers.get("cache-control")]).toEqual(["application/json", "no-store"]);
    expect(headers.get("mcp-session-id")).toBeNull();
  });

  test.each([
    ["http://attacker.test", 403],
    ["null", 403],
    ["http://sluice.test.attacker.test", 403],
    ["http://sluice.test", 200],
  ])("a page of the origin %s gets %i", async (origin, status) => {
    const response = await post(workspace, request("ping"), { origin });
    expect(response.status).toBe(status);
  });

  test("a page whose name was pointed at this machine is refused, although its origin is that of the request", async () => {
    const headers = { origin: "http://rebound.test:8787", "content-type": "application/json" };
    const body = JSON.stringify(request("ping"));
    const rebound = new Request("http://rebound.test:8787/mcp", { method: "POST", headers, body });
    expect((await send(rebound, { PUBLIC_URL: "" })).status).toBe(403);
  });

  test("size and number of messages are bounded before D1 is asked for the credential", async () => {
    const prepare = vi.spyOn(env.DB, "prepare");
    const stranger = { authorization: `Basic ${btoa(`${crypto.randomUUID()}:x`)}` };
    expect((await post(stranger, " ".repeat(API_JSON.maxBytes + 1))).status).toBe(413);
    const deep = `${"[".repeat(API_JSON.maxDepth + 1)}1${"]".repeat(API_JSON.maxDepth + 1)}`;
    expect(await errorOf(await post(stranger, deep))).toEqual([400, -32700, undefined]);
    expect(
      await errorOf(
        await post(
          stranger,
          Array.from({ length: 11 }, () => NOTIFICATION),
        ),
      ),
    ).toEqual([400, -32600, undefined]);
    expect(prepare).not.toHaveBeenCalled();
    expect((await post(stranger, request("ping"))).status).toBe(401);
    expect(prepare).toHaveBeenCalled();
  });

  test.each([
    ["{", -32700],
    ["", -32700],
    ["[]", -32600],
    ['"text"', -32600],
    ['{"jsonrpc":"1.0","method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
  ])("the body %s is refused with %i", async (body, code) => {
    const [status, found] = await errorOf(await post(workspace, body));
    expect([status, found]).toEqual([400, code]);
  });

  test("a body that is not announced as JSON is refused", async () => {
    const response = await post(workspace, request("ping"), { "content-type": "text/plain" });
    expect(response.status).toBe(422);
    expect((await response.json<ErrorBody>()).error.fields?.[0]?.field).toBe("content-type");
  });
});

describe("revisions with a handshake", () => {
  test.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
    [undefined, "2025-11-25"],
  ])("a client that asks for %s gets %s", async (protocolVersion, agreed) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const { result } = await (await post(workspace, request("initialize", params))).json<RpcAnswer>();
    expect(result).toMatchObject({ protocolVersion: agreed, capabilities: { tools: {} } });
  });

  test("an unknown method is an error with status 200, and names of object prototypes are unknown methods", async () => {
    for (const method of ["resources/list", "server/discover", "constructor", "__proto__"])
      expect(await errorOf(await post(workspace, request(method, {}, "a")))).toEqual([200, -32601, "a"]);
  });

  test("names of object prototypes are unknown tools and arguments", async () => {
    expect(await errorOf(await post(workspace, toolCall("constructor")))).toEqual([200, -32602, 1]);
    const response = await post(workspace, toolCall("get_limits", { constructor: "x" }));
    expect((await response.json<RpcAnswer>()).result).toMatchObject({ isError: true });
  });

  test.each([{ name: 1 }, {}, { name: "get_limits", arguments: [] }, { name: "get_limits", arguments: "x" }])(
    "the call %j is refused",
    async (params) => {
      expect(await errorOf(await post(workspace, request("tools/call", params)))).toEqual([200, -32602, 1]);
    },
  );

  test("an unsupported revision in the header is refused with those that are supported", async () => {
    const response = await post(workspace, request("ping"), { "mcp-protocol-version": "1900-01-01" });
    expect(response.status).toBe(400);
    expect((await response.json<RpcAnswer>()).error).toEqual({
      code: -32022,
      message: "Unsupported protocol version",
      data: { supported: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"], requested: "1900-01-01" },
    });
  });
});

describe("batches", () => {
  test("each request of a batch is answered, also beside wrong messages", async () => {
    const batch = [
      request("ping", {}, "a"),
      NOTIFICATION,
      { id: 3 },
      toolCall("get_limits", {}, 4),
      request("x", {}, 5),
    ];
    const answers = await (await post(workspace, batch)).json<RpcAnswer[]>();
    expect(answers.map(({ id, error, result }) => [id, error?.code ?? Object.keys(result!)])).toEqual([
      ["a", []],
      [3, -32600],
      [4, ["content", "structuredContent", "isError"]],
      [5, -32601],
    ]);
  });

  test("a batch neither begins nor leaves the handshake", async () => {
    const answers = await (await post(workspace, [request("initialize", {})])).json<RpcAnswer[]>();
    expect(answers[0]?.error?.code).toBe(-32600);
  });

  test("later revisions have none", async () => {
    for (const version of ["2025-06-18", "2025-11-25", "2026-07-28"])
      expect(await errorOf(await post(workspace, [request("ping")], { "mcp-protocol-version": version }))).toEqual([
        400,
        -32600,
        undefined,
      ]);
  });

  test("a batch beyond the rate limit keeps the answers that it has", async () => {
    let counted = 0;
    vi.spyOn(env.API_REQUESTS, "limit").mockImplementation(async () => ({ success: ++counted < 2 }));
    const answers = await (await post(workspace, [request("ping"), request("ping", {}, 2)])).json<RpcAnswer[]>();
    expect(answers.map(({ result, error }) => result ?? error?.code)).toEqual([{}, 429]);
  });
});

describe("the revision without a handshake", () => {
  const list = (meta: object = META) => request("tools/list", { _meta: meta });
  const call = (name: string) => request("tools/call", { name, arguments: {}, _meta: META });

  test("discovery and lists may be cached, and results say who answers", async () => {
    const headers = { ...STATELESS, "mcp-method": "server/discover" };
    const response = await post(workspace, request("server/discover", { _meta: META }), headers);
    const { result } = await response.json<RpcAnswer>();
    expect(result).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
      capabilities: { tools: {} },
      ttlMs: 300_000,
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "sluice" } },
    });
    const listed = (await (await post(workspace, list(), STATELESS)).json<RpcAnswer>()).result;
    expect(listed).toMatchObject({ resultType: "complete", ttlMs: 300_000, cacheScope: "public" });
  });

  test("methods of the handshake are unknown, with status 404", async () => {
    for (const method of ["initialize", "ping", "subscriptions/listen"]) {
      const headers = { ...STATELESS, "mcp-method": method };
      expect(await errorOf(await post(workspace, request(method, { _meta: META }), headers))).toEqual([404, -32601, 1]);
    }
  });

  test.each([
    ["no version header", list(), { "mcp-method": "tools/list" }, -32020],
    ["another version in the header", list(), { ...STATELESS, "mcp-protocol-version": "2025-11-25" }, -32020],
    ["no method header", list(), { "mcp-protocol-version": "2026-07-28" }, -32020],
    ["another method in the header", list(), { ...STATELESS, "mcp-method": "tools/call" }, -32020],
    ["no name header", call("get_limits"), { ...STATELESS, "mcp-method": "tools/call" }, -32020],
    [
      "another tool in the header",
      call("get_limits"),
      { ...STATELESS, "mcp-method": "tools/call", "mcp-name": "list_media" },
      -32020,
    ],
    ["a header without the body's version", request("tools/list", {}), STATELESS, -32602],
    ["no capabilities", list({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" }), STATELESS, -32602],
    [
      "a revision of the future",
      list({ ...META, "io.modelcontextprotocol/protocolVersion": "2999-01-01" }),
      { ...STATELESS, "mcp-protocol-version": "2999-01-01" },
      -32022,
    ],
  ])("a request with %s is refused", async (_, message, headers: Record<string, string>, code) => {
    expect(await errorOf(await post(workspace, message, headers))).toEqual([400, code, 1]);
  });

  test("the name of a tool may be in base64", async () => {
    const name = `=?base64?${btoa("get_limits")}?=`;
    const response = await post(workspace, call("get_limits"), {
      ...STATELESS,
      "mcp-method": "tools/call",
      "mcp-name": name,
    });
    expect((await response.json<RpcAnswer>()).result).toMatchObject({ resultType: "complete", isError: false });
  });
});

describe("limits of the credential", () => {
  test("each message counts once, whether it sends a request of the API or not", async () => {
    const limit = vi.spyOn(env.API_REQUESTS, "limit");
    const counts: [unknown, number][] = [
      [toolCall("list_media"), 1],
      [toolCall("get_media", { mediaId: crypto.randomUUID() }), 1],
      [toolCall("get_media", {}), 1],
      [toolCall("no_such_tool"), 1],
      [request("tools/list"), 1],
      [request("tools/list", { cursor: "x" }), 1],
      [{ jsonrpc: "1.0" }, 1],
      [NOTIFICATION, 1],
      [[toolCall("list_media"), request("ping"), NOTIFICATION], 3],
    ];
    for (const [message, count] of counts) {
      limit.mockClear();
      await post(workspace, message);
      expect(limit.mock.calls.map(([{ key }]) => key)).toEqual(Array.from({ length: count }, () => workspace.id));
    }
  });

  test("beyond the limit a list is refused with 429, and a call is an error of the tool", async () => {
    vi.spyOn(env.API_REQUESTS, "limit").mockImplementation(async () => ({ success: false }));
    const listed = await post(workspace, request("tools/list"));
    expect([listed.status, listed.headers.get("retry-after")]).toEqual([429, "60"]);
    const { result } = await (await post(workspace, toolCall("list_media"))).json<RpcAnswer>();
    expect(result).toMatchObject({ isError: true, structuredContent: { status: 429 } });
  });

  test("the request of a call has the id of its POST", async () => {
    const response = await post(workspace, toolCall("list_media"), { "cf-ray": "ray-of-this-call" });
    expect(response.headers.get("x-request-id")).toBe("ray-of-this-call");
    const logged = async () => {
      const { data } = await (
        await workspace.request("GET", "/v1/request-logs")
      ).json<{ data: { requestId: string }[] }>();
      return data.map(({ requestId }) => requestId);
    };
    await expect.poll(logged).toContain("ray-of-this-call");
  });
});
