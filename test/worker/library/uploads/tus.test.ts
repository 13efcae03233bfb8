/** tus 1.0 with `tus-js-client`, and by hand where that client sends no such request. */
import { env } from "cloudflare:test";
import { createHash } from "node:crypto";
import { type HttpStack, Upload, type UploadOptions } from "tus-js-client/lib.esm/browser/index.js";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { sha256Hex } from "../../../../src/platform/crypto/hash.ts";
import { openStoredSource } from "../../../../src/library/sources/stored-source.ts";
import { toBase64 } from "../../../../protocol/base64.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { A_FILE } from "./upload-clients.ts";
import { call, elapse, newUpload, probe, putRange, storedKeys } from "./upload-helpers.ts";

const ENDPOINT = "http://sluice.test/uploads/tus";
const TUS = { "tus-resumable": "1.0.0" };
const PATCH = { ...TUS, "content-type": "application/offset+octet-stream" };

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

/** Sends the client's requests to the Worker. @param fails the numbers of requests whose answers get lost */
function stackOf(fails: ReadonlySet<number> = new Set()): { stack: HttpStack; methods: string[] } {
  const methods: string[] = [];
  const stack = {
    getName: () => "the Worker of the tests",
    createRequest(method: string, url: string) {
      const headers: Record<string, string> = {};
      return {
        getMethod: () => method,
        getURL: () => url,
        setHeader: (name: string, value: string) => void (headers[name.toLowerCase()] = value),
        getHeader: (name: string) => headers[name.toLowerCase()],
        setProgressHandler: () => {},
        getUnderlyingObject: () => null,
        abort: () => Promise.resolve(),
        async send(body: Blob | null) {
          const bytes = body && new Uint8Array(await body.arrayBuffer());
          const answer = await call(method, url, headers, bytes);
          methods.push(method);
          if (fails.has(methods.length)) throw new Error("the answer is lost");
          const text = await answer.text();
          return {
            getStatus: () => answer.status,
            getHeader: (name: string) => answer.headers.get(name) ?? undefined,
            getBody: () => text,
            getUnderlyingObject: () => null,
          };
        },
      };
    },
  };
  return { stack: stack, methods };
}

const upload = (file: Uint8Array<ArrayBuffer>, options: Partial<UploadOptions>) =>
  new Promise<string>((resolve, reject) => {
    const sending: Upload = new Upload(new Blob([file]), {
      retryDelays: [0, 0, 0],
      chunkSize: 65_536,
      onSuccess: () => resolve(sending.url!),
      onError: reject,
      ...options,
    });
    sending.start();
  });

const idOf = (url: string) => new URL(url).pathname.split("/").at(-1)!;
async function isStored(uploadId: string, file: Uint8Array): Promise<boolean> {
  const source = await openStoredSource(env, uploadId);
  if (source === null) return false;
  const stored = new Uint8Array(await new Response(await source.open(0, source.size)).arrayBuffer());
  return (await sha256Hex(stored)) === (await sha256Hex(file));
}

async function created(length: number, headers: Record<string, string> = {}): Promise<string> {
  const { authorization } = workspace;
  const made = await call("POST", ENDPOINT, { ...TUS, authorization, "upload-length": String(length), ...headers });
  expect([made.status, await made.text()]).toEqual([201, ""]);
  return made.headers.get("location")!;
}
const patch = (url: string, offset: number, body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  call("PATCH", url, { ...PATCH, "upload-offset": String(offset), ...headers }, body);
const offsetAt = async (url: string) => (await call("HEAD", url, TUS)).headers.get("upload-offset");

describe("tus-js-client", () => {
  test("creates an upload with API credentials, and sends its file in chunks", async () => {
    const { stack, methods } = stackOf();
    const metadata = { filename: "Ferienvideo – 1.mp4", filetype: "video/mp4" };
    const headers = { authorization: workspace.authorization };
    const url = await upload(A_FILE, { endpoint: ENDPOINT, headers, metadata, httpStack: stack });
    expect(methods).toEqual(["POST", ...Array.from({ length: 5 }, () => "PATCH")]);
    expect(await isStored(idOf(url), A_FILE)).toBe(true);
    const { data } = await (await workspace.request("GET", `/v1/on-demand/${idOf(url)}`)).json<{ data: object }>();
    expect(data).toMatchObject({ title: metadata.filename });
  });

  test("sends a file to the upload URL of the REST API, without credentials", async () => {
    const { uploadId, url } = await newUpload(workspace);
    await probe(url, A_FILE.byteLength); // the client expects a length
    const { stack, methods } = stackOf();
    await upload(A_FILE, { uploadUrl: url, httpStack: stack });
    expect(methods[0]).toBe("HEAD");
    expect(await isStored(uploadId, A_FILE)).toBe(true);
  });

  test("continues after lost answers, and in a later session", async () => {
    const url = await created(A_FILE.byteLength);
    await patch(url, 0, A_FILE.slice(0, 100_000));
    const { stack, methods } = stackOf(new Set([2, 5]));
    await upload(A_FILE, { uploadUrl: url, httpStack: stack });
    expect(methods.filter((method) => method === "HEAD")).toHaveLength(3);
    expect(await isStored(idOf(url), A_FILE)).toBe(true);
  });

  test("terminates an upload, whose bytes are deleted", async () => {
    const url = await created(A_FILE.byteLength);
    await patch(url, 0, A_FILE.slice(0, 100_000));
    await Upload.terminate(url, { httpStack: stackOf().stack });
    expect((await call("HEAD", url, TUS)).status).toBe(410);
    expect((await patch(url, 100_000, A_FILE.slice(100_000, 200_000))).status).toBe(410);
    await elapse(idOf(url), 0);
    expect(await storedKeys(idOf(url))).toEqual([]);
  });
});

test("OPTIONS of every address names the version, the extensions, the checksums and the largest file", async () => {
  for (const url of [ENDPOINT, await created(1000), (await newUpload(workspace)).url]) {
    const offer = await call("OPTIONS", url);
    expect(offer.status).toBe(204);
    expect(Object.fromEntries(offer.headers)).toMatchObject({
      "tus-resumable": "1.0.0",
      "tus-version": "1.0.0",
      "tus-extension": "creation,creation-defer-length,termination,expiration,checksum",
      "tus-checksum-algorithm": "sha1,sha256,md5",
      "tus-max-size": "107374182400",
    });
  }
});

test.each(["partial", "final;/uploads/tus/a /uploads/tus/b"])(
  "a creation with Upload-Concat: %s is refused, because uploads are not joined",
  async (concat) => {
    const { authorization } = workspace;
    const total = async () => {
      const page = await workspace.request("GET", "/v1/on-demand/uploads");
      return (await page.json<{ pagination: { totalRecords: number } }>()).pagination.totalRecords;
    };
    const before = await total();
    const headers = { ...TUS, authorization, "upload-length": "1000", "upload-concat": concat };
    const refused = await call("POST", ENDPOINT, headers);
    expect([refused.status, refused.headers.get("tus-resumable")]).toEqual([400, "1.0.0"]);
    expect(await refused.text()).toContain("without Upload-Concat");
    expect(await total()).toBe(before);
  },
);

test("HEAD answers with offset, length and expiry, and is not cached", async () => {
  const url = await created(1000);
  await patch(url, 0, A_FILE.slice(0, 400));
  const head = await call("HEAD", url, TUS);
  expect(head.status).toBe(200);
  expect(Object.fromEntries(head.headers)).toMatchObject({
    "tus-resumable": "1.0.0",
    "upload-offset": "400",
    "upload-length": "1000",
    "cache-control": "no-store",
  });
  expect(Date.parse(head.headers.get("upload-expires")!) - Date.now()).toBeCloseTo(24 * 3600_000, -4);
});

test("the creation answers with the expiry, and HEAD with the metadata as they were sent", async () => {
  const { authorization } = workspace;
  const metadata = `filename ${btoa("a.mp4")},is_confidential`;
  const headers = { ...TUS, authorization, "upload-length": "1000", "upload-metadata": metadata };
  const made = await call("POST", ENDPOINT, headers);
  expect(Date.parse(made.headers.get("upload-expires")!) - Date.now()).toBeCloseTo(24 * 3600_000, -4);
  const head = await call("HEAD", made.headers.get("location")!, TUS);
  expect(head.headers.get("upload-metadata")).toBe(metadata);
  const without = await created(1000);
  expect((await call("HEAD", without, TUS)).headers.has("upload-metadata")).toBe(false);
  expect((await call("POST", ENDPOINT, { ...headers, "upload-metadata": "a".repeat(4097) })).status).toBe(400);
});

test("a client that can send only GET and POST names the method in X-HTTP-Method-Override", async () => {
  const url = await created(1000);
  const override = (method: string) => ({ "x-http-method-override": method });
  const patched = await call(
    "POST",
    url,
    { ...PATCH, ...override("PATCH"), "upload-offset": "0" },
    A_FILE.slice(0, 400),
  );
  expect([patched.status, patched.headers.get("upload-offset")]).toEqual([204, "400"]);
  expect((await call("POST", url, { ...TUS, ...override("HEAD") })).headers.get("upload-offset")).toBe("400");
  expect((await call("POST", url, { ...TUS, ...override("DELETE") })).status).toBe(204);
  expect((await call("HEAD", url, TUS)).status).toBe(410);
});

test("a version that is not spoken is refused with those that are", async () => {
  const answer = await call("HEAD", await created(1000), { "tus-resumable": "0.2.2" });
  expect([answer.status, answer.headers.get("tus-version")]).toEqual([412, "1.0.0"]);
});

test("a refusal of credentials has the protocol's version, and scripts can read it", async () => {
  const headers = { ...TUS, authorization: `Basic ${btoa("nobody:nothing")}`, "upload-length": "1000" };
  const answer = await call("POST", ENDPOINT, headers);
  expect([
    answer.status,
    answer.headers.get("tus-resumable"),
    answer.headers.get("access-control-allow-origin"),
  ]).toEqual([401, "1.0.0", "*"]);
});

test("the length may be stated later, with the first bytes", async () => {
  const { authorization } = workspace;
  const made = await call("POST", ENDPOINT, { ...TUS, authorization, "upload-defer-length": "1" });
  const url = made.headers.get("location")!;
  expect((await call("HEAD", url, TUS)).headers.get("upload-defer-length")).toBe("1");
  expect((await patch(url, 0, A_FILE.slice(0, 400), { "upload-length": "600" })).status).toBe(204);
  expect((await patch(url, 400, A_FILE.slice(400, 600))).headers.get("upload-offset")).toBe("600");
  expect(await isStored(idOf(url), A_FILE.slice(0, 600))).toBe(true);
});

test("both protocols continue one upload", async () => {
  const url = await created(1000);
  const restUrl = url.replace("/uploads/tus/", "/uploads/");
  await patch(url, 0, A_FILE.slice(0, 300));
  expect((await putRange(restUrl, A_FILE.slice(0, 1000), 300, 600)).headers.get("range")).toBe("bytes=0-599");
  await patch(restUrl, 600, A_FILE.slice(600, 1000));
  expect((await probe(restUrl, 1000)).status).toBe(200);
  expect(await isStored(idOf(url), A_FILE.slice(0, 1000))).toBe(true);
});

describe("a checksum", () => {
  const body = A_FILE.slice(0, 400);
  const digest = (name: string) => createHash(name).update(body).digest("base64");
  test.each(["sha1", "sha256", "md5"])("of %s that matches is accepted", async (name) => {
    const url = await created(1000);
    expect((await patch(url, 0, body, { "upload-checksum": `${name} ${digest(name)}` })).status).toBe(204);
    expect(await offsetAt(url)).toBe("400");
  });

  test("that does not match is 460, and the bytes are deleted", async () => {
    const url = await created(1000);
    const wrong = { "upload-checksum": `sha1 ${toBase64(new Uint8Array(20))}` };
    expect((await patch(url, 0, body, wrong)).status).toBe(460);
    expect(await offsetAt(url)).toBe("0");
    await elapse(idOf(url), 0);
    expect(await storedKeys(idOf(url))).toEqual([]);
  });

  test.each(["crc32", "constructor"])("of another algorithm, %s, is 400", async (name) => {
    const url = await created(1000);
    expect((await patch(url, 0, body, { "upload-checksum": `${name} AAAA` })).status).toBe(400);
  });
});

/** The first character is another one, whatever it was. */
const withOtherSignature = (url: string) => url.replace(/(?<=signature=)./, (first) => (first === "A" ? "B" : "A"));

describe("a request is refused, and changes nothing:", () => {
  const part = A_FILE.slice(0, 100);
  const refused: [string, (url: string) => Promise<Response>, number][] = [
    ["a PATCH at another offset", (url) => patch(url, 300, part), 409],
    ["a PATCH without an offset", (url) => call("PATCH", url, PATCH, part), 400],
    ["a PATCH of another content type", (url) => patch(url, 400, part, { "content-type": "video/mp4" }), 415],
    ["a PATCH beyond the length", (url) => patch(url, 400, A_FILE.slice(0, 601)), 400],
    ["a PATCH that states another length", (url) => patch(url, 400, part, { "upload-length": "900" }), 400],
    ["another version", (url) => patch(url, 400, part, { "tus-resumable": "0.2.2" }), 412],
    ["a HEAD without a version", (url) => call("HEAD", url), 412],
    ["a changed URL", (url) => patch(withOtherSignature(url), 400, part), 403],
  ];
  test.each(refused)("%s", async (_, attempt, status) => {
    const url = await created(1000);
    await patch(url, 0, A_FILE.slice(0, 400));
    expect((await attempt(url)).status).toBe(status);
    expect(await offsetAt(url)).toBe("400");
  });

  test.each([
    ["without credentials", {}, 401],
    ["without a length", { "upload-length": "" }, 400],
    ["of an empty file", { "upload-length": "0" }, 400],
    ["of a file beyond the limit", { "upload-length": "107374182401" }, 413],
    ["of a file beyond every limit", { "upload-length": String(2 ** 50) }, 413],
    ["with metadata that is not Base64", { "upload-metadata": "filename ü" }, 400],
    ["with a title of 256 characters", { "upload-metadata": `title ${btoa("x".repeat(256))}` }, 400],
  ])("a creation %s", async (name, headers, status) => {
    const authorization = name === "without credentials" ? "" : workspace.authorization;
    const answer = await call("POST", ENDPOINT, { ...TUS, "upload-length": "10", authorization, ...headers });
    expect(answer.status).toBe(status);
  });
});

test("a PATCH that is longer than the rest of the file is refused before any of it is stored", async () => {
  const length = 40 * 1024 * 1024;
  const url = await created(length - 1);
  expect((await patch(url, 0, new Uint8Array(length))).status).toBe(400);
  expect(await offsetAt(url)).toBe("0");
});

test("of a PATCH that breaks off, the pieces that are whole are kept", async () => {
  const length = 40 * 1024 * 1024;
  const url = await created(length);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= 30 * 1024 * 1024) return controller.error(new Error("the client has left"));
      sent += 1024 * 1024;
      controller.enqueue(new Uint8Array(1024 * 1024));
    },
  });
  const headers = { ...PATCH, "upload-offset": "0", "content-length": String(length) };
  expect((await call("PATCH", url, headers, body)).status).toBe(503);
  expect(await offsetAt(url)).toBe(String(Math.ceil(length / 3) * 2));
});

describe("a creation is a request to the API", () => {
  test("it is in the request log and in the activity of its media, also when it is refused", async () => {
    const by = await newWorkspace();
    const create = (headers: Record<string, string>) =>
      call("POST", ENDPOINT, { ...TUS, authorization: by.authorization, ...headers });
    const made = await create({ "upload-length": "9" });
    expect((await create({})).status).toBe(400);
    const logged = await by.request("GET", "/v1/request-logs?method=POST");
    const id = idOf(made.headers.get("location")!);
    expect((await logged.json<{ data: object[] }>()).data).toMatchObject([
      { method: "POST", route: "/uploads/tus", status: 400, resourceIds: [] },
      { method: "POST", route: "/uploads/tus", status: 201, resourceIds: [id] },
    ]);
    const activity = await (await by.request("GET", `/v1/on-demand/${id}/activity`)).text();
    expect(activity).toContain("/uploads/tus");
  });

  test("it counts for the limit of the workspace, and is refused beyond it", async () => {
    const by = await newWorkspace();
    const create = (authorization: string) => call("POST", ENDPOINT, { ...TUS, authorization, "upload-length": "9" });
    const limiter = vi.spyOn(env.API_REQUESTS, "limit");
    limiter.mockImplementation(({ key }) => Promise.resolve({ success: key !== by.id }));
    try {
      const refused = await create(by.authorization);
      expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("tus-resumable")]).toEqual([
        429,
        "60",
        "1.0.0",
      ]);
      expect((await create(workspace.authorization)).status).toBe(201);
    } finally {
      limiter.mockRestore();
    }
    const logged = await by.request("GET", "/v1/request-logs?method=POST");
    expect((await logged.json<{ data: object[] }>()).data).toMatchObject([{ route: "/uploads/tus", status: 429 }]);
    const waiting = await by.request("GET", "/v1/on-demand/uploads");
    expect((await waiting.json<{ data: object[] }>()).data).toEqual([]);
  });
});
