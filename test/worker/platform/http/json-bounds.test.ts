/** Small bodies that are costly to process are refused before they are parsed, on every route. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { gatewayCredential } from "../../../../protocol/gateway-credential.ts";
import { signJobGrant } from "../../../../src/library/encoding/job-token.ts";
import { API_JSON, CALLBACK_JSON, type JsonBounds } from "../../../../src/platform/http/json-bounds.ts";
import { type ErrorBody, newWorkspace, send, type TestWorkspace } from "../../workspace.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const nested = (levels: number, inner = "1") => "[".repeat(levels) + inner + "]".repeat(levels);
const creation = (field: string, value: string) =>
  `{"inputs":[{"type":"video","url":"https://cdn.test/a.mp4"}],"accessPolicy":"public","${field}":${value}}`;

async function callBack(text: string): Promise<Response> {
  const [jobId, assetId] = ["j", crypto.randomUUID()];
  const grant = { jobId, assetId, attempt: 1, renditions: [], segments: [0, 0] as [number, number] };
  const token = await signJobGrant(env.JOB_SECRET, { ...grant, expiresAt: Date.now() + 60_000 });
  const headers = { authorization: `Bearer ${token}` };
  return await send(new Request(`http://sluice.test/internal/jobs/j/fail`, { method: "POST", headers, body: text }));
}
const register = (text: string) =>
  send(
    new Request("http://sluice.test/internal/ingest/register", {
      method: "POST",
      headers: { authorization: `Bearer ${gatewayCredential(env.ENCODER_SECRET, "gateway-1")}` },
      body: text,
    }),
  );

describe.each<[string, (text: string) => Promise<Response>, JsonBounds]>([
  ["POST /v1/on-demand", (text) => workspace.request("POST", "/v1/on-demand", text), API_JSON],
  ["POST /v1/live/streams", (text) => workspace.request("POST", "/v1/live/streams", text), API_JSON],
  ["POST /v1/webhooks", (text) => workspace.request("POST", "/v1/webhooks", text), API_JSON],
  ["a callback of an encoder", callBack, CALLBACK_JSON],
  ["a callback of a gateway", register, CALLBACK_JSON],
])("%s", (_, post, bounds) => {
  const costly: [string, string][] = [
    ["40,000 levels", creation("subtitles", nested(40_000))],
    ["one level too many", creation("subtitles", nested(bounds.maxDepth))],
    ["one value too many", creation("subtitles", `[${"1,".repeat(bounds.maxValues)}1]`)],
    ["a key that is too long", creation("metadata", `{"${"k".repeat(bounds.maxKeyLength + 1)}" : "v"}`)],
  ];
  test.each(costly)("answers 422 to %s", async (_, text) => {
    const response = await post(text);
    const body = await response.json<ErrorBody>();
    expect([response.status, body]).toMatchObject([422, { success: false, error: { fields: [{ field: "body" }] } }]);
    expect(body.error.fields![0]!.message).toMatch(/levels|values|key/);
  });

  test("answers 413 to a body that is too long, with and without Content-Length", async () => {
    expect((await post(`"${"a".repeat(bounds.maxBytes)}"`)).status).toBe(413);
  });
});

test("a body at every bound is parsed", async () => {
  const atDepth = creation("somethingNew", nested(API_JSON.maxDepth - 1));
  expect((await workspace.request("POST", "/v1/on-demand", atDepth)).status).toBe(201);
  const atKey = creation("somethingNew", `{"${"k".repeat(API_JSON.maxKeyLength)}":"${"v".repeat(2000)}"}`);
  expect((await workspace.request("POST", "/v1/on-demand", atKey)).status).toBe(201);
  const brackets = creation("title", JSON.stringify('[{"'.repeat(50)));
  expect((await workspace.request("POST", "/v1/on-demand", brackets)).status).toBe(201);
});

test("a callback's body without Content-Length is read no further than the bound", async () => {
  let pulled = 0;
  const long = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 100_000;
      if (pulled > 10 * CALLBACK_JSON.maxBytes) return controller.close();
      controller.enqueue(new Uint8Array(100_000).fill(0x20));
    },
  });
  const headers = { authorization: `Bearer ${gatewayCredential(env.ENCODER_SECRET, "gateway-1")}` };
  const request = new Request("http://sluice.test/internal/ingest/register", {
    method: "POST",
    headers,
    body: long,
    duplex: "half",
  } as RequestInit);
  expect((await send(request)).status).toBe(413);
  expect(pulled / CALLBACK_JSON.maxBytes).toBeLessThan(1.5);
});
