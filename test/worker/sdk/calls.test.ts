/** The SDK's calls in workerd, against the API. */
import { beforeAll, describe, expect, test } from "vitest";
import { type ApiError, ConnectionError, SluiceError } from "../../../sdk/index.ts";
import { announce } from "../events/webhooks/webhook-helpers.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { BASE_URL, clientOf, networkOf } from "./network.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

async function recordsOf<T>(list: AsyncIterable<T>): Promise<T[]> {
  const records: T[] = [];
  for await (const record of list) records.push(record);
  return records;
}

const limited = (retryAfter: string) => new Response("{}", { status: 429, headers: { "retry-after": retryAfter } });
const unavailable = () => new Response("<html>", { status: 503 });
const newStream = { body: { inputMediaSettings: { metadata: { a: "b" } } } };

describe("a refusal is an ApiError", () => {
  const refused = (call: Promise<unknown>) =>
    call.then(
      () => Promise.reject(new Error("accepted")),
      (e: ApiError) => e,
    );

  test("with the invalid fields of a 422, and what would be right", async () => {
    const body = { inputs: [{ type: "video" as const, url: "film.mp4" }], title: "x".repeat(256) };
    const error = await refused(clientOf(workspace).post("/v1/on-demand", { body }));
    expect(error).toMatchObject({ name: "ApiError", status: 422, code: 422, requestId: expect.stringMatching(/./) });
    expect(error.fields.map(({ field }) => field).sort()).toEqual(["inputs[0].url", "title"]);
    expect(error.message).toContain("title must be a string of up to 255 characters");
  });

  test("with the description of another status", async () => {
    const params = { path: { mediaId: crypto.randomUUID() } };
    const error = await refused(clientOf(workspace).get("/v1/on-demand/{mediaId}", { params }));
    expect(error).toMatchObject({ status: 404, fields: [] });
    expect(error.message).toBe("media workspace relation not found: no media has this id");
  });

  test("of wrong credentials, which its message does not contain", async () => {
    const wrong = clientOf(workspace, networkOf(), { secretKey: "a wrong secret" });
    const error = await refused(wrong.get("/v1/on-demand"));
    expect(error.status).toBe(401);
    expect(JSON.stringify([error, error.message, error.stack])).not.toContain("a wrong secret");
  });

  test("when what answers is not the API", async () => {
    const client = clientOf(
      workspace,
      networkOf(() => new Response("<html>", { status: 404 })),
    );
    expect(await refused(client.get("/v1/on-demand"))).toMatchObject({ status: 404, code: 404, fields: [] });
  });
});

describe("a request", () => {
  test("is repeated after a 429, once its Retry-After has passed", async () => {
    const network = networkOf((number) => (number === 1 ? limited("1") : null));
    const startedAt = Date.now();
    const { success } = await clientOf(workspace, network).post("/v1/iam/auth/verify-basic");
    expect(success).toBe(true);
    expect(Date.now() - startedAt).toBeGreaterThan(950);
    expect(network.requests).toHaveLength(2);
  });

  test("is not repeated when Retry-After is longer than a minute", async () => {
    const network = networkOf(() => limited("61"));
    await expect(clientOf(workspace, network).get("/v1/on-demand")).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 61,
    });
    expect(network.requests).toHaveLength(1);
  });

  test("creates one object although the answer was lost", async () => {
    const network = networkOf((number) => (number === 1 ? "answer lost" : null));
    const { data } = await clientOf(workspace, network).post("/v1/live/streams", newStream);
    expect(network.requests).toHaveLength(2);
    const listed = await recordsOf(clientOf(workspace).list("/v1/live/streams"));
    expect(listed.map(({ streamId }) => streamId)).toEqual([data.streamId]);
  });

  test("that would take effect twice is not repeated after a 503 or a lost answer", async () => {
    const params = { path: { mediaId: crypto.randomUUID() } };
    for (const fault of [unavailable, () => "lost" as const]) {
      const network = networkOf(() => fault());
      const call = clientOf(workspace, network).patch("/v1/on-demand/{mediaId}", { params, body: { title: "A" } });
      await expect(call).rejects.toThrow(SluiceError);
      expect(network.requests).toHaveLength(1);
    }
  });

  test("that is never answered ends with a ConnectionError that names the platform", async () => {
    const network = networkOf(() => "lost");
    const call = clientOf(workspace, network, { retries: 1 }).get("/v1/on-demand");
    await expect(call).rejects.toThrow(new ConnectionError(`the platform at ${BASE_URL} cannot be reached`));
    expect(network.requests).toHaveLength(2);
  });

  test("ends with the reason of its signal, also between two attempts", async () => {
    const controller = new AbortController();
    const network = networkOf(() => {
      queueMicrotask(() => controller.abort(new Error("enough")));
      return limited("30");
    });
    const call = clientOf(workspace, network).get("/v1/on-demand", { signal: controller.signal });
    await expect(call).rejects.toThrow("enough");
    expect(network.requests).toHaveLength(1);
  });
});

test.each([
  [{ baseUrl: "ftp://video.example.com" }, "the base URL must be an http(s) URL"],
  [{ baseUrl: "video.example.com" }, "the base URL must be an http(s) URL"],
  [{ baseUrl: "https://a:b@video.example.com" }, "the base URL must have no credentials"],
  [{ baseUrl: undefined }, "the base URL must be an http(s) URL"],
  [{ accessToken: "" }, "the access token is empty"],
  [{ accessToken: undefined }, "the access token is undefined; is its environment variable set?"],
  [{ accessToken: "a:b" }, "the access token must be"],
  [{ secretKey: "" }, "the secret key is empty"],
  [{ secretKey: undefined }, "the secret key is undefined; is its environment variable set?"],
])("credentials with %j are refused before any request", (wrong, message) => {
  const open = () => clientOf(workspace, networkOf(), wrong as object);
  expect(open).toThrow(SluiceError);
  expect(open).toThrow(message);
});

test("a base URL may end with a slash or the version", async () => {
  for (const baseUrl of [`${BASE_URL}/`, `${BASE_URL}/v1`, `${BASE_URL}/v1/`])
    expect((await clientOf(workspace, networkOf(), { baseUrl }).get("/v1/limits")).data.trial).toBe(false);
});

describe("a list is read to its end", () => {
  test("page by page, by number", async () => {
    const of = await newWorkspace();
    const client = clientOf(of);
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.push((await client.post("/v1/live/streams", { body: {} })).stream_id);
    const network = networkOf();
    const query = { limit: 2, orderBy: "asc" as const };
    const listed = await recordsOf(clientOf(of, network).list("/v1/live/streams", { params: { query } }));
    expect(listed.map(({ streamId }) => streamId)).toEqual(made);
    expect(network.requests).toHaveLength(3);
  });

  test("page by page, by cursor", async () => {
    const of = await newWorkspace();
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.push(await announce(of, { occurredAtMs: Date.now() + n }));
    const query = { limit: 2 };
    const network = networkOf();
    const listed = await recordsOf(clientOf(of, network).list("/v1/events", { params: { query } }));
    expect(listed.map(({ id }) => id)).toEqual(made.toReversed());
    expect(network.requests).toHaveLength(3);
  });

  test("and an empty one has no records", async () => {
    expect(await recordsOf(clientOf(await newWorkspace()).list("/v1/on-demand"))).toEqual([]);
  });
});
