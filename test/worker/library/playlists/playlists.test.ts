import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { assets } from "../../../../src/library/assets/index.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { type ErrorBody, newWorkspace, type TestWorkspace, videoFrom } from "../../workspace.ts";

const PATH = "/v1/on-demand/playlists";
const UNKNOWN = "4f649eaa-7940-4b89-9c64-81be638246ab";

interface Playlist {
  id: string;
  type: string;
  mediaCount: number;
  mediaList: { id: string; title?: string; status: string; createdAt: string }[];
  updatedAt: string;
}

let workspace: TestWorkspace;
let references = 0;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await workspace.request(method, `${PATH}${path}`, body);
  return { status: answer.status, body: await answer.json<{ data: Playlist } & ErrorBody>() };
};
const create = async (more: object = {}) => {
  const body = { name: "Trailers", referenceId: `trailers-${++references}`, type: "manual", ...more };
  const answer = await call("POST", "", body);
  expect(answer.status).toBe(201);
  return answer.body.data;
};
const newMedia = async (title: string) => {
  const answer = await workspace.request("POST", "/v1/on-demand", { ...videoFrom("https://cdn.test/a.mp4"), title });
  return (await answer.json<{ data: { id: string } }>()).data.id;
};
const idsOf = ({ mediaList }: Playlist) => mediaList.map(({ id }) => id);
const fieldsOf = ({ error }: ErrorBody) => error.fields!.map(({ field }) => field);

describe("a manual playlist", () => {
  test("is created, read, renamed, listed and deleted; type is always present", async () => {
    const created = await create({ description: "short ones" });
    expect(created).toMatchObject({ type: "manual", description: "short ones", mediaCount: 0, mediaList: [] });
    expect((await call("GET", `/${created.id}`)).body.data).toEqual(created);
    const renamed = await call("PUT", `/${created.id.toUpperCase()}`, { name: "Films", description: "" });
    expect(renamed.body.data).toMatchObject({ id: created.id, type: "manual", name: "Films", description: "" });

    const listed = await workspace.request("GET", `${PATH}?limit=1`);
    const { data, pagination } = await listed.json<{ data: object[]; pagination: { totalRecords: number } }>();
    expect(Object.keys(data[0]!).toSorted()).toEqual(["createdAt", "id", "mediaCount", "name", "referenceId", "type"]);
    expect(pagination.totalRecords).toBeGreaterThan(0);

    expect(await call("DELETE", `/${created.id}`)).toEqual({ status: 200, body: { success: true } });
    for (const [method, body] of [["GET"], ["DELETE"], ["PUT", { name: "a", description: "a" }]] as const) {
      const gone = await call(method, `/${created.id}`, body);
      expect([gone.status, gone.body.error.message]).toEqual([404, "playlist not found"]);
    }
  });

  test("lists media in the order in which they were added, reordered and taken out", async () => {
    const [a, b, c] = (await Promise.all(["a", "b", "c"].map(newMedia))) as [string, string, string];
    const { id } = await create();
    const media = `/${id}/media`;
    expect(idsOf((await call("PATCH", media, { mediaIds: [b, a.toUpperCase(), b] })).body.data)).toEqual([b, a]);
    const added = await call("PATCH", media, { mediaIds: [a, c] });
    expect([added.status, idsOf(added.body.data), added.body.data.mediaCount]).toEqual([200, [b, a, c], 3]);
    expect(added.body.data.mediaList[2]).toEqual({
      thumbnail: expect.stringMatching(/^http.*\/[0-9a-f-]{36}\/thumbnail\.png$/),
      id: c,
      title: "c",
      status: expect.any(String),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(idsOf((await call("PUT", media, { mediaIds: [c, b, a] })).body.data)).toEqual([c, b, a]);
    expect(idsOf((await call("DELETE", media, { mediaIds: [b] })).body.data)).toEqual([c, a]);
    expect(idsOf((await call("GET", `/${id}`)).body.data)).toEqual([c, a]);

    await workspace.request("DELETE", `/v1/on-demand/${c}`);
    expect((await call("GET", `/${id}`)).body.data).toMatchObject({ mediaCount: 1, mediaList: [{ id: a }] });
    const orderOfDeleted = await call("PUT", media, { mediaIds: [c, a] });
    expect([orderOfDeleted.status, orderOfDeleted.body.error.message]).toEqual([
      404,
      "media workspace relation not found",
    ]);
  });

  test("refuses unknown media, an incomplete order, more than its limit and malformed ids, and stays as it was", async () => {
    const [a, b] = (await Promise.all(["a", "b"].map(newMedia))) as [string, string];
    const { id } = await create({ limit: 1 });
    const media = `/${id}/media`;
    const { updatedAt } = (await call("PATCH", media, { mediaIds: [a] })).body.data;
    for (const method of ["PATCH", "PUT", "DELETE"])
      expect((await call(method, media, { mediaIds: [a, UNKNOWN] })).body.error).toEqual({
        code: 404,
        message: "media workspace relation not found",
        description: "the workspace has no media of mediaIds[1]",
      });
    const many = Array.from({ length: 22 }, () => crypto.randomUUID());
    const { description } = (await call("PATCH", media, { mediaIds: many })).body.error;
    expect(description).toMatch(/mediaIds\[19\] and 2 more$/);
    for (const [method, mediaIds] of [
      ["PATCH", [b]],
      ["PUT", [b]],
      ["PUT", [a, b]],
      ["PATCH", []],
      ["DELETE", Array.from({ length: 1001 }, () => a)],
    ] as const) {
      const refused = await call(method, media, { mediaIds });
      expect([refused.status, fieldsOf(refused.body)]).toEqual([422, ["mediaIds"]]);
    }
    expect(fieldsOf((await call("PATCH", media, { mediaIds: ["a"] })).body)).toEqual(["mediaIds[0]"]);
    expect((await call("GET", `/${id}`)).body.data).toMatchObject({ updatedAt, mediaList: [{ id: a }] });
  });

  test("takes a thousand media at once, within the limits of D1", async () => {
    const own = await newWorkspace();
    const db = openDatabase(env.DB);
    const one = await own.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/a.mp4"));
    const { data } = await one.json<{ data: { id: string } }>();
    const [row] = await db.select().from(assets).where(eq(assets.id, data.id));
    const ids = Array.from({ length: 1000 }, () => crypto.randomUUID());
    const atOnce = Math.floor(100 / Object.keys(row!).length);
    for (let at = 0; at < ids.length; at += atOnce)
      await db.insert(assets).values(ids.slice(at, at + atOnce).map((id) => ({ ...row!, id })));
    const body = { name: "All", referenceId: "all", type: "manual" };
    const created = await (await own.request("POST", PATH, body)).json<{ data: Playlist }>();
    const added = await own.request("PATCH", `${PATH}/${created.data.id}/media`, { mediaIds: ids });
    expect(idsOf((await added.json<{ data: Playlist }>()).data)).toEqual(ids);
  });
});

describe("a smart playlist", () => {
  test("lists the media that its days match, in its order, up to its limit", async () => {
    const own = await newWorkspace();
    const db = openDatabase(env.DB);
    const days = ["2026-03-01T00:00:00Z", "2026-03-02T23:59:59.999Z", "2026-03-03T00:00:00Z"];
    const ids: string[] = [];
    for (const day of days) {
      const made = await own.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/a.mp4"));
      const { data } = await made.json<{ data: { id: string } }>();
      await db
        .update(assets)
        .set({ createdAt: new Date(day) })
        .where(eq(assets.id, data.id));
      ids.push(data.id);
    }
    const smart = async (referenceId: string, more: object) => {
      const body = { name: "March", referenceId, type: "smart", playOrder: "createdDate ASC", ...more };
      const answer = await own.request("POST", PATH, body);
      expect(answer.status).toBe(201);
      return (await answer.json<{ data: Playlist }>()).data;
    };
    const reversed = { createdDate: { startDate: "2026-03-02", endDate: "2026-03-01" } };
    const body = { name: "x", referenceId: "x", type: "smart", playOrder: "createdDate ASC", metadata: reversed };
    const refused = await (await own.request("POST", PATH, body)).json<{ error: { hints: { message: string }[] } }>();
    expect(refused.error.hints[0]!.message).toBe("must have a `startDate` that is not after `endDate`");
    const range = { createdDate: { startDate: "2026-03-01", endDate: "2026-03-02" } };
    const march = await smart("march", { metadata: range });
    expect([march, idsOf(march)]).toEqual([
      expect.objectContaining({ type: "smart", metadata: range }),
      ids.slice(0, 2),
    ]);
    const newest = await smart("newest", { playOrder: "createdDate DESC", limit: 1, metadata: {} });
    expect([newest.mediaCount, idsOf(newest)]).toEqual([1, [ids[2]]]);
    const none = await smart("none", { metadata: { updatedDate: { endDate: "2026-03-02" } } });
    expect(none.mediaList).toEqual([]);
    const listed = await (await own.request("GET", PATH)).json<{ data: { mediaCount: number }[] }>();
    expect(listed.data.map(({ mediaCount }) => mediaCount)).toEqual([0, 1, 2]);

    const added = await own.request("PATCH", `${PATH}/${march.id}/media`, { mediaIds: [ids[2]] });
    expect([added.status, fieldsOf(await added.json())]).toEqual([422, ["mediaIds"]]);
  });
});

describe("a creation is refused", () => {
  test("with 409 when another playlist of the workspace has the referenceId, also when both come at once", async () => {
    const body = { name: "a", referenceId: "taken", type: "manual" };
    const answers = await Promise.all([1, 2, 3].map(() => call("POST", "", body)));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["201", "409", "409"]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.body.error.message).toBe("playlist create failed");
    const elsewhere = await (await newWorkspace()).request("POST", PATH, body);
    expect(elsewhere.status).toBe(201);
  });

  const smart = { name: "a", referenceId: "a", type: "smart", playOrder: "createdDate ASC", metadata: {} };
  test.each([
    ["type", { name: "a", referenceId: "a" }],
    ["type", { name: "a", referenceId: "a", type: "other" }],
    ["name", { referenceId: "a", type: "manual" }],
    ["name", { name: "", referenceId: "a", type: "manual" }],
    ["referenceId", { name: "a", referenceId: "r".repeat(256), type: "manual" }],
    ["limit", { name: "a", referenceId: "a", type: "manual", limit: 0 }],
    ["limit", { name: "a", referenceId: "a", type: "manual", limit: 1001 }],
    ["playOrder", { ...smart, playOrder: "createdDate" }],
    ["metadata", { ...smart, metadata: undefined }],
    ["metadata.createdDate.startDate", { ...smart, metadata: { createdDate: { startDate: "2026-02-30" } } }],
    [
      "metadata.createdDate",
      { ...smart, metadata: { createdDate: { startDate: "2026-03-02", endDate: "2026-03-01" } } },
    ],
  ])("with 422 that names %s", async (field, body) => {
    const { status, body: answer } = await call("POST", "", body);
    expect([status, fieldsOf(answer)]).toEqual([422, [field]]);
  });
});
