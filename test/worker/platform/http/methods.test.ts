import { expect, test } from "vitest";
import { apiDocument } from "../../../../src/api-document.ts";
import { createApp } from "../../../../src/app.ts";
import { newUpload } from "../../library/uploads/upload-helpers.ts";
import { type ErrorBody, newWorkspace, send } from "../../workspace.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const paths = Object.entries(apiDocument(createApp(), "http://sluice.test").paths ?? {}) as [string, object][];

/** The methods of every documented path that this one matches: `/v1/on-demand/playlists` is one of `/v1/on-demand/{mediaId}` too. */
const methodsAt = (path: string) =>
  paths.flatMap(([template, operations]) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path)
      ? Object.keys(operations).map((method) => method.toUpperCase())
      : [],
  );

test("a method that a path of the API does not have is 405, and `Allow` names those it has", async () => {
  const workspace = await newWorkspace();
  let refused = 0;
  for (const [template] of paths.filter(([path]) => path.startsWith("/v1/"))) {
    const path = template.replaceAll(/\{\w+\}/g, crypto.randomUUID());
    const known = new Set(methodsAt(path));
    if (known.has("GET")) known.add("HEAD");
    if (path.includes("/drm/license/") || path.includes("/drm/cert/")) known.add("OPTIONS"); // from browsers
    for (const method of METHODS.filter((one) => !known.has(one))) {
      const answer = await workspace.request(method, path);
      expect([method, path, answer.status]).toEqual([method, path, 405]);
      expect(new Set(answer.headers.get("allow")?.split(", "))).toEqual(known);
      const { error } = await answer.json<ErrorBody>();
      expect([error.code, error.message]).toEqual([405, "method not allowed"]);
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(100);
});

test("a path that has no method is 404 with each of them", async () => {
  const workspace = await newWorkspace();
  for (const method of METHODS)
    for (const path of ["/v1/nothing", "/v1/on-demand/a/b/c", "/nothing.m3u8", "/player/x/y"])
      expect([method, path, (await workspace.request(method, path)).status]).toEqual([method, path, 404]);
});

test("a path with a slash too many is 404, and the error names the path that was probably meant", async () => {
  const workspace = await newWorkspace();
  const described = async (path: string) => {
    const answer = await workspace.request("GET", path);
    return [answer.status, (await answer.json<ErrorBody>()).error.description];
  };
  expect(await described("/v1/on-demand/")).toEqual([
    404,
    "there is no such route; did you mean /v1/on-demand without the slash?",
  ]);
  expect(await described("/v1/webhooks//test")).toEqual([
    404,
    "there is no such route; a part of the path is empty, perhaps an id that was not filled in",
  ]);
  expect(await described("/v1/nothing/")).toEqual([404, "there is no such route; /v1/reference lists them all"]);
});

test("a wrong method without credentials is 401, and 405 where none are needed", async () => {
  expect((await send(new Request("http://sluice.test/v1/on-demand", { method: "DELETE" }))).status).toBe(401);
  const health = await send(new Request("http://sluice.test/healthz", { method: "POST" }));
  expect([health.status, health.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const id = crypto.randomUUID();
  const cases = [
    ["GET", `/v1/on-demand/drm/license/clearkey/${id}`, "POST, OPTIONS"],
    ["PUT", `/v1/on-demand/drm/license/widevine/${id}`, "POST, OPTIONS"],
    ["GET", `/v1/live/drm/license/fairplay/${id}`, "POST, OPTIONS"],
    ["POST", `/v1/live/drm/cert/fairplay/${id}`, "GET, HEAD, OPTIONS"],
    ["GET", "/uploads/tus", "POST, OPTIONS"],
    ["PUT", `/uploads/tus/${id}/${id}`, "GET, HEAD, POST, PATCH, DELETE, OPTIONS"],
  ] as const;
  for (const [method, path, allow] of cases) {
    const answer = await send(new Request(`http://sluice.test${path}`, { method }));
    expect([method, path, answer.status, answer.headers.get("allow")]).toEqual([method, path, 405, allow]);
    expect((await answer.json<ErrorBody>()).error.code).toBe(405);
  }
});

test("an upload URL that is asked for with GET names its methods", async () => {
  const workspace = await newWorkspace();
  const { url } = await newUpload(workspace);
  const answer = await send(new Request(url));
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "HEAD, POST, PUT, PATCH, DELETE, OPTIONS"]);
});
