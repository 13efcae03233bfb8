/** The rows of the media contract's table of resumable uploads, each with the clients of its columns. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { sha256Hex } from "../../../../src/platform/crypto/hash.ts";
import { pieceKey } from "../../../../src/platform/storage/keys.ts";
import { beginChunk } from "../../../../src/library/upload-machine/begin-chunk.ts";
import { openStoredSource } from "../../../../src/library/sources/stored-source.ts";
import { newWorkspace, send, type TestWorkspace } from "../../workspace.ts";
import { A_FILE, CLIENTS, upload } from "./upload-clients.ts";
import { call, elapse, machineOf, newUpload, probe, putRange, someBytes, storedKeys } from "./upload-helpers.ts";

const CHUNK = 65_536;
const FILE = A_FILE.slice(0, 10_000);
let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

async function storedFile(uploadId: string): Promise<Uint8Array | null> {
  const source = await openStoredSource(env, uploadId);
  return source && new Uint8Array(await new Response(await source.open(0, source.size)).arrayBuffer());
}
/** `toEqual` takes seconds for a megabyte. */
async function isStored(uploadId: string, file: Uint8Array): Promise<boolean> {
  const stored = await storedFile(uploadId);
  return stored !== null && (await sha256Hex(stored)) === (await sha256Hex(file));
}
const rangeOf = (response: Response) => [response.status, response.headers.get("range")];
const errorOf = async (response: Response) => {
  const { error } = await response.json<{ error: { code: number; description: string } }>();
  expect(error.code).toBe(response.status);
  return [response.status, error.description];
};

describe.each(CLIENTS)("$name", (kind) => {
  test("sends a file in chunks", async () => {
    const { uploadId, url } = await newUpload(workspace);
    const { outcome } = await upload(kind, url, A_FILE, { chunkBytes: CHUNK, send: call });
    expect(outcome).toBe(200);
    expect(await isStored(uploadId, A_FILE)).toBe(true);
  });

  test("sends the whole file although answers get lost, and R2 fails for a chunk", async () => {
    const { uploadId, url } = await newUpload(workspace);
    let requests = 0;
    const { outcome, statuses } = await upload(kind, url, A_FILE, {
      chunkBytes: CHUNK,
      send: async (...request) => {
        requests += 1;
        if (requests === 4) return await onBrokenBucket(...request);
        const answer = await call(...request);
        return requests === 2 || requests === 6 ? null : answer;
      },
    });
    expect(outcome).toBe(200);
    expect(statuses.filter((status) => status !== 308 && status !== 503)).toEqual([200]);
    expect(await isStored(uploadId, A_FILE)).toBe(true);
  });

  test("continues after the app was closed", async () => {
    const { uploadId, url } = await newUpload(workspace);
    await putRange(url, A_FILE, 0, CHUNK);
    await putRange(url, A_FILE, CHUNK, 2 * CHUNK);
    // The clients that cannot ask begin at their own record of what was stored, which may be behind.
    const { outcome } = await upload(kind, url, A_FILE, { chunkBytes: CHUNK, offset: CHUNK, send: call });
    expect(outcome).toBe(200);
    expect(await isStored(uploadId, A_FILE)).toBe(true);
  });
});

/** A request while R2 refuses writes. */
function onBrokenBucket(
  method: string,
  url: string,
  headers = {},
  body: Uint8Array<ArrayBuffer> | ReadableStream | null = null,
) {
  const bucket = Object.create(env.MEDIA) as R2Bucket;
  const MEDIA = Object.assign(bucket, {
    put: async (_: string, readable: ReadableStream) => {
      await readable.cancel();
      throw new Error("put: We encountered an internal error. Please try again. (10001)");
    },
    delete: (keys: string[]) => env.MEDIA.delete(keys),
  });
  const length = body instanceof Uint8Array ? { "content-length": String(body.byteLength) } : {};
  return send(new Request(url, { method, headers: { ...length, ...headers }, body }), { MEDIA });
}

describe("an answer", () => {
  test("to a question before the first byte is 308 without Range, afterwards 308 with it, at the end 200", async () => {
    const { url } = await newUpload(workspace);
    expect(rangeOf(await probe(url, FILE.byteLength))).toEqual([308, null]);
    expect(rangeOf(await probe(url, "*"))).toEqual([308, null]);
    expect(rangeOf(await putRange(url, FILE, 0, 5000))).toEqual([308, "bytes=0-4999"]);
    expect(rangeOf(await probe(url, FILE.byteLength))).toEqual([308, "bytes=0-4999"]);
    expect(rangeOf(await putRange(url, FILE, 5000, FILE.byteLength))).toEqual([200, null]);
    expect(rangeOf(await probe(url, FILE.byteLength))).toEqual([200, null]);
    expect(rangeOf(await probe(url, "*"))).toEqual([200, null]);
  });

  test("of 308 has no Location, which browsers would follow", async () => {
    const { url } = await newUpload(workspace);
    expect((await putRange(url, FILE, 0, 10)).headers.has("location")).toBe(false);
  });

  test("to a session start is 201 with the URL of the chunks, also when chunks are stored", async () => {
    const { url } = await newUpload(workspace);
    for (let times = 0; times < 2; times += 1) {
      const started = await call("POST", url, { "x-goog-resumable": "start", "content-type": "video/mp4" });
      expect([started.status, started.headers.get("location")]).toEqual([201, url]);
      await putRange(url, FILE, 0, 100);
    }
    expect(rangeOf(await probe(url, FILE.byteLength))).toEqual([308, "bytes=0-99"]);
  });

  test("to a chunk that R2 could not store is 503 with Retry-After, and nothing of it counts", async () => {
    const { url, uploadId } = await newUpload(workspace);
    await putRange(url, FILE, 0, 100);
    const headers = { "content-range": `bytes 100-199/${FILE.byteLength}` };
    const failed = await onBrokenBucket("PUT", url, headers, FILE.slice(100, 200));
    expect([failed.status, failed.headers.get("retry-after"), failed.headers.get("range")]).toEqual([503, "2", null]);
    expect(rangeOf(await probe(url, FILE.byteLength))).toEqual([308, "bytes=0-99"]);
    await elapse(uploadId, 0);
    expect(await storedKeys(uploadId)).toEqual(["pieces/1"]);
  });

  test("is 503 while the upload's machine cannot be called, as iOS stops at 500", async () => {
    const { url } = await newUpload(workspace);
    const UPLOAD_MACHINE = {
      idFromName: (name: string) => name,
      get: () => ({ beginChunk: () => Promise.reject(new Error("Network connection lost.")) }),
    } as unknown as typeof env.UPLOAD_MACHINE;
    const headers = { "content-range": `bytes 0-99/${FILE.byteLength}`, "content-length": "100" };
    const request = new Request(url, { method: "PUT", headers, body: FILE.slice(0, 100) });
    const failed = await send(request, { UPLOAD_MACHINE });
    expect([failed.status, failed.headers.get("access-control-allow-origin")]).toEqual([503, "*"]);
  });

  test("to a chunk whose connection broke off is no 500, and nothing of it counts", async () => {
    const { url, uploadId } = await newUpload(workspace);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(FILE.slice(0, 50));
        controller.error(new Error("the client has left"));
      },
    });
    const headers = { "content-range": `bytes 0-99/${FILE.byteLength}`, "content-length": "100" };
    expect((await call("PUT", url, headers, body)).status).toBe(503);
    expect(rangeOf(await probe(url, FILE.byteLength))).toEqual([308, null]);
    await elapse(uploadId, 0);
    expect(await storedKeys(uploadId)).toEqual([]);
  });

  test("to a chunk that is stored already, in whole or in part, is the stored end", async () => {
    const { url, uploadId } = await newUpload(workspace);
    const file = FILE.slice(0, 1000);
    await putRange(url, file, 0, 400);
    expect(rangeOf(await putRange(url, file, 0, 400))).toEqual([308, "bytes=0-399"]);
    expect(rangeOf(await putRange(url, file, 100, 300))).toEqual([308, "bytes=0-399"]);
    expect(rangeOf(await putRange(url, file, 200, 700))).toEqual([308, "bytes=0-699"]);
    expect(rangeOf(await putRange(url, file, 0, 1000))).toEqual([200, null]);
    expect(await isStored(uploadId, file)).toBe(true);
    expect(rangeOf(await putRange(url, file, 700, 1000))).toEqual([200, null]); // its answer was lost
  });

  test.each<[string, (url: string, file: Uint8Array<ArrayBuffer>) => Promise<Response>]>([
    ["a whole file", (url, file) => call("PUT", url, {}, file)],
    ["a repeated chunk", (url, file) => putRange(url, file, 0, 300)],
    ["a chunk inside what is stored", (url, file) => putRange(url, file, 250, 350)],
    ["a chunk that overlaps the stored end", (url, file) => putRange(url, file, 200, 700)],
  ])("to %s with other bytes than those stored is 400, and mixes no files", async (_, sendOther) => {
    const { url, uploadId } = await newUpload(workspace);
    const file = FILE.slice(0, 1000);
    const other = file.slice();
    other[260]! ^= 1;
    await putRange(url, file, 0, 120);
    await putRange(url, file, 120, 400);
    const refusal = [400, expect.stringMatching(/^byte 260 differs from what is stored/)];
    expect(await errorOf(await sendOther(url, other))).toEqual(refusal);
    expect(rangeOf(await probe(url, 1000))).toEqual([308, "bytes=0-399"]);
    expect(rangeOf(await call("PUT", url, {}, file))).toEqual([200, null]);
    expect(await errorOf(await sendOther(url, other))).toEqual(refusal);
    expect(rangeOf(await call("PUT", url, {}, file))).toEqual([200, null]); // its answer was lost
    expect(await isStored(uploadId, file)).toBe(true);
    await elapse(uploadId, 0);
    expect((await storedKeys(uploadId)).filter((key) => key.startsWith("pieces/"))).toHaveLength(3);
  });

  test("to a repeat of more than 32 chunks is 400, and tells where to continue", async () => {
    const { url, uploadId } = await newUpload(workspace);
    await putRange(url, FILE, 0, 1, 34);
    await runInDurableObject(machineOf(uploadId), ({ components }) => {
      for (let start = 1; start < 33; start += 1) components.pieces.keep(components.pieces.open(start, 1, Date.now()));
      components.documents.put("storedBytes", 33);
    });
    const answer = await putRange(url, FILE, 0, 34, 34);
    expect(await errorOf(answer)).toEqual([400, "33 bytes are stored already; continue after them"]);
    expect(rangeOf(await putRange(url, FILE, 33, 34, 34))).toEqual([200, null]);
  });

  test("to one of two files that are sent at the same time is 400", async () => {
    const { url, uploadId } = await newUpload(workspace);
    const file = FILE.slice(0, 1000);
    const other = file.map((byte) => byte ^ 1);
    const answers = await Promise.all([file, file, other, other].map((one) => call("PUT", url, {}, one)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 400, 400]);
    expect(await isStored(uploadId, statuses[0] === 200 ? file : other)).toBe(true);
  });

  test("to a chunk after a gap is the stored end", async () => {
    const { url } = await newUpload(workspace);
    expect(rangeOf(await putRange(url, FILE, 100, 200))).toEqual([308, null]);
    await putRange(url, FILE, 0, 100);
    expect(rangeOf(await putRange(url, FILE, 101, 200))).toEqual([308, "bytes=0-99"]);
  });

  test("to a PUT of the whole file, without Content-Range, is 200", async () => {
    const { url, uploadId } = await newUpload(workspace);
    expect(rangeOf(await call("PUT", url, { "content-type": "video/mp4" }, FILE))).toEqual([200, null]);
    expect(await isStored(uploadId, FILE)).toBe(true);
  });

  test("to a client that learns the file's length at its end is 308, then 200", async () => {
    const { url, uploadId } = await newUpload(workspace);
    const file = FILE.slice(0, 900);
    expect(rangeOf(await putRange(url, file, 0, 500, "*"))).toEqual([308, "bytes=0-499"]);
    expect(rangeOf(await putRange(url, file, 500, 900, "*"))).toEqual([308, "bytes=0-899"]);
    expect(rangeOf(await probe(url, 900))).toEqual([200, null]);
    expect(await isStored(uploadId, file)).toBe(true);
  });
});

describe("a script", () => {
  const PREFLIGHT = {
    origin: "https://app.example.com",
    "access-control-request-method": "PUT",
    "access-control-request-headers": "content-type,content-range,x-goog-resumable",
  };
  test.each(["*", "https://app.example.com", "capacitor://localhost"])(
    "of corsOrigin %s may send, and read the answers",
    async (corsOrigin) => {
      const { url } = await newUpload(workspace, { corsOrigin });
      const preflight = await call("OPTIONS", url, PREFLIGHT);
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe(corsOrigin);
      const [methods, headers] = ["methods", "headers"].map((name) =>
        preflight.headers.get(`access-control-allow-${name}`)!.toLowerCase().split(", "),
      );
      expect(methods).toEqual(expect.arrayContaining(["post", "put"]));
      expect(headers).toEqual(expect.arrayContaining(["content-type", "content-range", "x-goog-resumable"]));
      for (const answer of [
        await call("POST", url, { "x-goog-resumable": "start" }),
        await putRange(url, FILE, 0, 100),
        await putRange(url, FILE, 0, 100, 5), // refused
        await call("PUT", url, { "content-range": "nonsense" }, FILE),
      ]) {
        expect(answer.headers.get("access-control-allow-origin")).toBe(corsOrigin);
        expect(answer.headers.get("access-control-expose-headers")).toMatch(/^Location, Range,/);
      }
    },
  );

  test("that asks for the URL of a cancelled upload gets the answer that it is over", async () => {
    const { url, uploadId } = await newUpload(workspace);
    expect((await call("POST", url, { "x-goog-resumable": "start" })).status).toBe(201);
    await workspace.request("PUT", `/v1/on-demand/upload/${uploadId}/cancel`);
    expect((await call("POST", url, { "x-goog-resumable": "start" })).status).toBe(410);
  });

  test("gets 422 at the creation for a corsOrigin that no browser sends", async () => {
    for (const corsOrigin of [
      "app.example.com",
      "https://app.example.com/page",
      "https://*.example.com",
      "ftp://a.test",
      "",
      "null",
      1,
    ]) {
      const refused = await workspace.request("POST", "/v1/on-demand/upload", { corsOrigin });
      expect(refused.status).toBe(422);
    }
    const { data } = await (
      await workspace.request("POST", "/v1/on-demand/upload", { corsOrigin: "https://App.Example.com:443/" })
    ).json<{ data: { corsOrigin: string } }>();
    expect(data.corsOrigin).toBe("https://app.example.com");
  });
});

describe("the URL", () => {
  test("is bound to the upload, its workspace, its corsOrigin and its time", async () => {
    const { url, uploadId } = await newUpload(workspace, { corsOrigin: "https://app.example.com" });
    const other = await newUpload(workspace);
    for (const forged of [
      url.replace(uploadId, other.uploadId),
      url.replace(workspace.id, crypto.randomUUID()),
      url.replace(/cors_origin=[^&]*/, "cors_origin=*"),
      url.replace(/expires=\d+/, "expires=9999999999"),
      url.replace(/signature=[^&]*/, ""),
      url.slice(0, url.indexOf("?")),
    ]) {
      const refused = await putRange(forged, FILE, 0, 100);
      expect(await errorOf(refused)).toEqual([403, "this is not an upload URL, or it was changed"]);
    }
    expect(rangeOf(await probe(url, FILE.byteLength))).toEqual([308, null]);
  });

  test("begins an upload for 4 hours, and continues one until it expires", async () => {
    const [begun, unused] = [await newUpload(workspace), await newUpload(workspace)];
    expect(Number(new URL(unused.url).searchParams.get("expires"))).toBeCloseTo(Date.now() / 1000 + 14_400, -1);
    await putRange(begun.url, FILE, 0, 100);
    const inFiveHours = Date.now() + 5 * 3600_000;
    const now = vi.spyOn(Date, "now").mockReturnValue(inFiveHours);
    try {
      expect((await putRange(unused.url, FILE, 0, 100)).status).toBe(410);
      expect(rangeOf(await putRange(begun.url, FILE, 100, 200))).toEqual([308, "bytes=0-199"]);
    } finally {
      now.mockRestore();
    }
  });
});

describe("a request that contradicts itself or the upload is refused, and changes nothing", () => {
  const refused: [string, (url: string) => Promise<Response>, number, RegExp][] = [
    ["another total", (url) => putRange(url, FILE, 100, 200, 999), 400, /begun with a file of 1000 bytes/],
    ["another total in a question", (url) => probe(url, 999), 400, /begun with a file of 1000 bytes/],
    ["a total below the stored end", (url) => probe(url, 50), 400, /begun with/],
    [
      "more than the total",
      (url) => call("PUT", url, { "content-range": "bytes 100-1099/1000" }, FILE.slice(0, 1000)),
      400,
      /must be/,
    ],
    ["the file by POST", (url) => call("POST", url, {}, FILE.slice(0, 100)), 400, /with PUT/],
    [
      "a form",
      (url) => call("PUT", url, { "content-type": "multipart/form-data; boundary=x" }, FILE),
      400,
      /not a form/,
    ],
    ["a GET", (url) => call("GET", url), 405, /with PUT/],
    ["the whole file of another length", (url) => call("PUT", url, {}, FILE), 400, /begun with/],
    [
      "a body longer than its range",
      (url) => call("PUT", url, { "content-range": "bytes 100-199/1000" }, FILE.slice(0, 300)),
      400,
      /300 bytes, Content-Range announces 100/,
    ],
    [
      "a body shorter than its range",
      (url) => call("PUT", url, { "content-range": "bytes 100-199/1000" }, FILE.slice(0, 30)),
      400,
      /30 bytes/,
    ],
    [
      "a range that ends before it begins",
      (url) => call("PUT", url, { "content-range": "bytes 200-100/1000" }, FILE.slice(0, 10)),
      400,
      /must be/,
    ],
    [
      "a negative range",
      (url) => call("PUT", url, { "content-range": "bytes -100-199/1000" }, FILE.slice(0, 10)),
      400,
      /must be/,
    ],
    [
      "another unit",
      (url) => call("PUT", url, { "content-range": "items 100-199/1000" }, FILE.slice(0, 100)),
      400,
      /must be/,
    ],
    [
      "a number beyond any file",
      (url) => call("PUT", url, { "content-range": `bytes 100-199/${"9".repeat(30)}` }, FILE.slice(0, 100)),
      400,
      /must be/,
    ],
    [
      "a question with a body",
      (url) => call("PUT", url, { "content-range": "bytes */1000" }, FILE.slice(0, 10)),
      400,
      /no body/,
    ],
    ["an empty chunk", (url) => call("PUT", url, { "content-range": "bytes 100-199/1000" }), 400, /empty/],
    ["an empty file", (url) => call("PUT", url, {}), 400, /empty/],
    [
      "a body of unknown length",
      (url) => call("PUT", url, { "content-range": "bytes 100-199/1000" }, new Blob([FILE.slice(0, 100)]).stream()),
      411,
      /Content-Length/,
    ],
    [
      "a file beyond the limit",
      async (url) => putRange((await newUpload(workspace)).url, FILE, 0, 100, 107_374_182_401).finally(() => url),
      413,
      /larger than/,
    ],
  ];
  test.each(refused)("%s", async (_, attempt, status, description) => {
    const { url } = await newUpload(workspace);
    await putRange(url, FILE, 0, 100, 1000);
    const [answered, text] = await errorOf(await attempt(url));
    expect([answered, text]).toEqual([status, expect.stringMatching(description)]);
    expect(rangeOf(await probe(url, 1000))).toEqual([308, "bytes=0-99"]);
  });

  test("a body that ends before its Content-Length does not count", async () => {
    const { url } = await newUpload(workspace);
    const headers = { "content-range": "bytes 0-99/1000", "content-length": "100" };
    const short = await call("PUT", url, headers, new Blob([FILE.slice(0, 60)]).stream());
    expect(short.status).toBe(503);
    expect(rangeOf(await probe(url, 1000))).toEqual([308, null]);
  });

  test("before its first byte an upload may get another total: the user has chosen another file", async () => {
    const { url } = await newUpload(workspace);
    await probe(url, 500);
    expect(rangeOf(await putRange(url, FILE, 0, 100, 1000))).toEqual([308, "bytes=0-99"]);
  });
});

describe("two clients on one URL", () => {
  const one = someBytes(4000, 1);
  const other = someBytes(4000, 2);

  test("store each byte once: of chunks at the same place the first to be whole counts, and the others are deleted, or refused when they differ", async () => {
    const { url, uploadId } = await newUpload(workspace);
    const answers = await Promise.all([
      putRange(url, one, 0, 2000),
      putRange(url, other, 0, 2000),
      putRange(url, one, 0, 2000),
    ]);
    const isOther = answers.map(({ status }) => status).indexOf(400) !== 1;
    const taken = [308, "bytes=0-1999"];
    const refused = [400, null];
    expect(answers.map(rangeOf)).toEqual(isOther ? [refused, taken, refused] : [taken, refused, taken]);
    const file = isOther ? other : one;
    await Promise.all([putRange(url, file, 2000, 4000), putRange(url, file, 2000, 4000)]);
    expect(rangeOf(await probe(url, 4000))).toEqual([200, null]);
    expect(await isStored(uploadId, file)).toBe(true);
    await elapse(uploadId, 0);
    const keys = (await storedKeys(uploadId)).filter((key) => key.startsWith("pieces/"));
    expect(keys).toHaveLength(2);
  });
});

describe("an upload that is over", () => {
  test("by its cancellation: its bytes are deleted, and its URL answers 410", async () => {
    const { url, uploadId } = await newUpload(workspace);
    await putRange(url, FILE, 0, 3000);
    const path = `/v1/on-demand/upload/${uploadId}`;
    const cancelled = await workspace.request("PUT", `${path}/cancel`);
    expect(await cancelled.json()).toMatchObject({ success: true, data: { uploadId, status: "cancelled" } });
    expect((await putRange(url, FILE, 3000, 4000)).status).toBe(410);
    expect((await probe(url, FILE.byteLength)).status).toBe(410);
    await elapse(uploadId, 0);
    expect(await storedKeys(uploadId)).toEqual([]);
    expect((await workspace.request("PUT", `${path}/cancel`)).status).toBe(200); // the answer was lost
    const { data } = await (await workspace.request("GET", path)).json<{ data: object }>();
    expect(data).toMatchObject({ status: "cancelled" });
    expect((await workspace.request("GET", `/v1/on-demand/${uploadId}`)).status).toBe(404);
  });

  test("by its cancellation while a chunk is on its way: the chunk is deleted too", async () => {
    const { url, uploadId } = await newUpload(workspace);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const headers = { "content-range": "bytes 0-99/1000", "content-length": "100" };
    const sending = call("PUT", url, headers, readable);
    const writer = writable.getWriter();
    await writer.write(FILE.slice(0, 50));
    await workspace.request("PUT", `/v1/on-demand/upload/${uploadId}/cancel`);
    await writer.write(FILE.slice(50, 100));
    await writer.close();
    expect((await sending).status).toBe(410);
    expect(await storedKeys(uploadId)).toEqual([]);
  });

  test("by its completion: it cannot be cancelled, and takes no more bytes", async () => {
    const { url, uploadId } = await newUpload(workspace);
    const file = FILE.slice(0, 1000);
    await call("PUT", url, {}, file);
    expect((await workspace.request("PUT", `/v1/on-demand/upload/${uploadId}/cancel`)).status).toBe(400);
    expect((await putRange(url, FILE, 1000, 1100, 1100)).status).toBe(400);
    expect(await isStored(uploadId, file)).toBe(true);
  });

  test("after 24 hours: its bytes are deleted, and its URL answers 410", async () => {
    const { url, uploadId } = await newUpload(workspace);
    await putRange(url, FILE, 0, 3000);
    await elapse(uploadId, 23 * 3600_000);
    expect(rangeOf(await probe(url, "*"))).toEqual([308, "bytes=0-2999"]);
    await elapse(uploadId, 3600_000);
    await elapse(uploadId, 0);
    expect((await putRange(url, FILE, 3000, 4000)).status).toBe(410);
    expect(await storedKeys(uploadId)).toEqual([]);
    expect((await workspace.request("PUT", `/v1/on-demand/upload/${uploadId}/cancel`)).status).toBe(400);
    const { data } = await (
      await workspace.request("GET", "/v1/on-demand/uploads?limit=50")
    ).json<{
      data: { uploadId: string }[];
    }>();
    expect(data.map((one) => one.uploadId)).not.toContain(uploadId);
  });
});

test("a Worker that dies between the storing and the counting of a chunk leaves an object that is deleted within the hour", async () => {
  const { url, uploadId } = await newUpload(workspace);
  await putRange(url, FILE, 0, 100);
  const verdict = await runInDurableObject(machineOf(uploadId), ({ components }) =>
    beginChunk(components, { offset: 100, length: 100, totalBytes: FILE.byteLength }),
  );
  expect(verdict).toEqual({ kind: "write", piece: 2, skip: 0, length: 100 });
  await env.MEDIA.put(pieceKey(uploadId, 2), FILE.slice(100, 200));
  expect(rangeOf(await putRange(url, FILE, 100, 200))).toEqual([308, "bytes=0-199"]); // by the next Worker
  await elapse(uploadId, 3_599_000);
  expect(await storedKeys(uploadId)).toEqual(["pieces/1", "pieces/2", "pieces/3"]);
  await elapse(uploadId, 2000);
  expect(await storedKeys(uploadId)).toEqual(["pieces/1", "pieces/3"]);
});
