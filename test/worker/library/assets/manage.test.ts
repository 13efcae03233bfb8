import { describe, expect, test } from "vitest";
import { type ErrorBody, type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../../workspace.ts";

async function create(workspace: TestWorkspace, more: object = {}): Promise<string> {
  const response = await workspace.request("POST", "/v1/on-demand", {
    ...videoFrom("https://cdn.test/a.mp4"),
    ...more,
  });
  return (await response.json<MediaAnswer>()).data.id;
}

interface Page {
  data: { id: string }[];
  pagination: { totalRecords: number; currentOffset: number; offsetCount: number };
}

describe("a page of media", () => {
  test("is empty with no pages in a new workspace", async () => {
    const workspace = await newWorkspace();
    const page = await (await workspace.request("GET", "/v1/on-demand")).json<Page>();
    expect(page).toMatchObject({ data: [], pagination: { totalRecords: 0, currentOffset: 1, offsetCount: 0 } });
  });

  test("has an offset in pages, not rows, and either order", async () => {
    const workspace = await newWorkspace();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await create(workspace));
    const page = async (query: string) => await (await workspace.request("GET", `/v1/on-demand?${query}`)).json<Page>();
    const [first, second, third] = [
      await page("limit=2&offset=1"),
      await page("limit=2&offset=2"),
      await page("limit=2&offset=3"),
    ];
    expect([...first.data, ...second.data, ...third.data].map(({ id }) => id).sort()).toEqual(ids.toSorted());
    expect(third.pagination).toEqual({ totalRecords: 5, currentOffset: 3, offsetCount: 3 });
    const ascending = await page("limit=50&orderBy=asc");
    const descending = await page("limit=50");
    expect(ascending.data.map(({ id }) => id)).toEqual(descending.data.map(({ id }) => id).toReversed());
  });

  test.each(["limit=0", "limit=51", "offset=0", "limit=x", "orderBy=up"])("is refused for %s", async (query) => {
    const workspace = await newWorkspace();
    const response = await workspace.request("GET", `/v1/on-demand?${query}`);
    expect(response.status).toBe(422);
    expect((await response.json<ErrorBody>()).error.fields).toEqual([
      { field: query.split("=")[0], message: "is invalid" },
    ]);
  });
});

describe("a change of a media", () => {
  test("replaces metadata as a whole and leaves the rest", async () => {
    const workspace = await newWorkspace();
    const id = await create(workspace, { title: "Old", metadata: { a: "1", b: "2" } });
    const response = await workspace.request("PATCH", `/v1/on-demand/${id}`, { metadata: { c: "3" } });
    expect(response.status).toBe(200);
    expect((await response.json<MediaAnswer>()).data).toMatchObject({ title: "Old", metadata: { c: "3" } });
  });

  test.each([{}, { titel: "New" }])(
    "that names no known field changes nothing and sends no event: %j",
    async (body) => {
      const workspace = await newWorkspace();
      const id = await create(workspace, { title: "Old" });
      const read = async () =>
        (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<{ data: Record<string, unknown> }>()).data;
      const before = await read();
      const response = await workspace.request("PATCH", `/v1/on-demand/${id}`, body);
      expect(response.status).toBe(200);
      expect((await response.json<{ data: { updatedAt: string } }>()).data.updatedAt).toBe(before["updatedAt"]);
      expect((await read())["updatedAt"]).toBe(before["updatedAt"]);
      const events = await (await workspace.request("GET", "/v1/events")).json<{ data: { type: string }[] }>();
      expect(events.data.map(({ type }) => type)).toEqual(["asset.created"]);
    },
  );
});

describe("a media of another workspace answers like one that never existed", () => {
  test.each(["GET", "PATCH", "DELETE"])("%s", async (method) => {
    const [owner, stranger] = [await newWorkspace(), await newWorkspace()];
    const id = await create(owner);
    const body = method === "PATCH" ? { title: "mine" } : undefined;
    const [foreign, unknown] = [
      await stranger.request(method, `/v1/on-demand/${id}`, body),
      await stranger.request(method, `/v1/on-demand/${crypto.randomUUID()}`, body),
    ];
    expect(foreign.status).toBe(404);
    expect(await foreign.text()).toBe(await unknown.text());
    expect((await owner.request("GET", `/v1/on-demand/${id}`)).status).toBe(200);
  });
});

test("an id that is not a UUID is refused with 422", async () => {
  const workspace = await newWorkspace();
  const response = await workspace.request("GET", "/v1/on-demand/not-a-uuid");
  expect(response.status).toBe(422);
  expect((await response.json<ErrorBody>()).error.fields).toEqual([{ field: "mediaId", message: "is invalid" }]);
});

test("a deleted media is in no answer immediately after its deletion", async () => {
  const workspace = await newWorkspace();
  const id = await create(workspace);
  const deleted = await workspace.request("DELETE", `/v1/on-demand/${id}`);
  expect([deleted.status, await deleted.json()]).toEqual([200, { success: true }]);
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["GET", "/input-info"],
  ] as const) {
    expect((await workspace.request(method, `/v1/on-demand/${id}${path}`)).status).toBe(404);
  }
  expect((await (await workspace.request("GET", "/v1/on-demand")).json<Page>()).data).toEqual([]);
});

test("input-info has the source's URL and tracks", async () => {
  const workspace = await newWorkspace();
  const id = await create(workspace);
  const response = await workspace.request("GET", `/v1/on-demand/${id}/input-info`);
  expect(await response.json()).toEqual({
    success: true,
    data: { configuration: { url: "https://cdn.test/a.mp4" }, file: { tracks: [] } },
  });
});

test("the OpenAPI document has every media route, and the reference page shows them", async () => {
  const workspace = await newWorkspace();
  const document = await (
    await workspace.request("GET", "/v1/openapi.json")
  ).json<{ openapi: string; paths: Record<string, object> }>();
  expect(document.openapi).toBe("3.1.0");
  expect(Object.keys(document.paths["/v1/on-demand"] ?? {}).sort()).toEqual(["get", "post"]);
  expect(Object.keys(document.paths["/v1/on-demand/{mediaId}"] ?? {}).sort()).toEqual(["delete", "get", "patch"]);
});

test("the OpenAPI document describes the inputs of a creation, of which only `inputs` is required", async () => {
  const workspace = await newWorkspace();
  const { components } = await (
    await workspace.request("GET", "/v1/openapi.json")
  ).json<{
    components: {
      schemas: Record<string, { required?: string[]; properties: Record<string, { items?: { oneOf?: unknown[] } }> }>;
    };
  }>();
  const { CreateMedia, VideoInput } = components.schemas;
  expect(CreateMedia?.required).toEqual(["inputs"]);
  expect(CreateMedia?.properties["inputs"]?.items?.oneOf).toEqual([
    { $ref: "#/components/schemas/VideoInput" },
    { $ref: "#/components/schemas/AudioInput" },
    { $ref: "#/components/schemas/SubtitleInput" },
    { $ref: "#/components/schemas/WatermarkInput" },
  ]);
  expect(VideoInput?.required).toEqual(["type", "url"]);
  expect(Object.keys(VideoInput?.properties ?? {})).toEqual(expect.arrayContaining(["url", "startTime", "endTime"]));
});

test("an unknown route is a 404 in the contract's envelope", async () => {
  const workspace = await newWorkspace();
  const response = await workspace.request("GET", "/v1/nothing-here");
  expect(response.status).toBe(404);
  expect(await response.json<ErrorBody>()).toMatchObject({ success: false, error: { code: 404 } });
});
