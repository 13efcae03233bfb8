/** What a new media keeps of its video, and what is said of the rest. */
import { expect, test } from "vitest";
import type { BatchOrder, Difference } from "../../../src/imports/batches/batch-calls.ts";
import type { ListedVideo } from "../../../src/imports/sources/source.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { newBatch } from "./batch-bench.ts";
import { FakeSource, video } from "./fake-source.ts";

interface Media {
  title?: string;
  creatorId?: string;
  metadata: Record<string, string>;
  playbackIds: {
    id: string;
    accessPolicy: string;
    accessRestrictions: { domains: { defaultPolicy: string; allow: string[] } };
  }[];
}

const read = async (workspace: TestWorkspace, id: string | null) =>
  (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<{ data: Media }>()).data;

/** The media of one video, and what is said of it. */
async function migrated(given: Partial<ListedVideo>, settings: Partial<BatchOrder["settings"]> = {}) {
  const workspace = await newWorkspace();
  const batch = await newBatch({ workspace, source: new FakeSource([video("v", given)]), settings });
  const view = await batch.finish();
  const { mediaId, differences, error, status } = await batch.item("v");
  expect([view.state, status, error]).toEqual(["done", "ready", null]);
  return { media: await read(workspace, mediaId), differences, batch, workspace };
}

const said = (differences: Difference[], field: string) =>
  differences.filter((one) => one.field === field).map(({ message }) => message);

test.each([
  ["10,000 characters", "x".repeat(10_000), "x".repeat(255), ["it is cut to 255 characters"]],
  ["an emoji at the cut", `${"x".repeat(254)}😀 and more`, "x".repeat(254), ["it is cut to 255 characters"]],
  ["an emoji before the cut", `${"x".repeat(253)}😀`, `${"x".repeat(253)}😀`, []],
  ["control characters", "One\u0000\nTwo\u007f", "One Two", ["control characters are replaced by spaces"]],
  ["half of a character", "One \ud83d", "One \ufffd", []],
  ["nothing but spaces", "  \t ", undefined, ["control characters are replaced by spaces"]],
  ["no title", null, undefined, []],
] as const)("a title with %s", async (_, title, kept, words) => {
  const { media, differences } = await migrated({ title });
  expect(media.title).toBe(kept);
  expect(said(differences, "title")).toEqual(words);
});

test("of 30 pairs of metadata ten are kept, the id at the source first, and it is said", async () => {
  const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`key ${n}`, `value ${n}`]));
  const { media, differences } = await migrated({ metadata });
  expect(Object.keys(media.metadata)).toEqual([
    "originPlaformVideoId",
    ...Array.from({ length: 9 }, (_, n) => `key ${n}`),
  ]);
  expect(media.metadata["originPlaformVideoId"]).toBe("v");
  expect(said(differences, "metadata")).toEqual(["a media has at most 10 pairs: the others are left out"]);
});

test("tags, folder, creator and the time of creation are kept", async () => {
  const { media, differences } = await migrated({
    tags: ["a", "b"],
    folder: "films/2019",
    creatorId: "user 7",
    createdAt: "2019-05-06T07:08:09.000Z",
    metadata: { sku: "7" },
  });
  expect(media).toMatchObject({
    creatorId: "user 7",
    metadata: {
      originPlaformVideoId: "v",
      sku: "7",
      originCreatedAt: "2019-05-06T07:08:09.000Z",
      originFolder: "films/2019",
      originTags: '["a","b"]',
    },
  });
  expect(differences).toEqual([]);
});

test("a map of names chooses and renames metadata", async () => {
  const metadata = { external_id: "7", colour: "red", originCreatedAt: "mine" };
  const { media } = await migrated(
    { metadata, folder: "f" },
    { metadata: { external_id: "sku", originFolder: "folder" } },
  );
  expect(media.metadata).toEqual({ originPlaformVideoId: "v", sku: "7", folder: "f" });
});

test("names that a source has twice, or that mean something in JavaScript, are pairs like others", async () => {
  const long = "n".repeat(300);
  const metadata = JSON.parse(
    `{"__proto__":"x","originPlaformVideoId":"of an earlier migration","${long}1":"one","${long}2":"two"}`,
  ) as Record<string, string>;
  const { media, differences } = await migrated({ metadata, createdAt: null });
  expect(Object.entries(media.metadata)).toEqual([
    ["originPlaformVideoId", "v"],
    ["__proto__", "x"],
    [long.slice(0, 255), "one"],
  ]);
  expect(said(differences, "metadata")).toEqual([
    "of pairs with the same name only the first is kept",
    "it is cut to 255 characters",
  ]);
});

test.each<[ListedVideo["policy"], BatchOrder["settings"]["accessPolicy"], string, string[]]>([
  ["public", "asSource", "public", []],
  ["private", "asSource", "private", []],
  ["drm", "asSource", "private", ["the source's DRM is not carried over: it needs tokens here, and no licences"]],
  ["public", "private", "private", []],
  ["private", "public", "public", ["it is private at the source, and public here, as the settings say"]],
  ["drm", "public", "public", ["it is drm at the source, and public here, as the settings say"]],
])("a %s video with the policy %s is %s here", async (policy, accessPolicy, kept, words) => {
  const { media, differences } = await migrated({ policy }, { accessPolicy });
  expect(media.playbackIds.map((one) => one.accessPolicy)).toEqual([kept]);
  expect(said(differences, "accessPolicy")).toEqual(words);
});

const OPEN = { defaultPolicy: "allow", allow: [] as string[] };
const TO_ALL = "only pages of certain domains may show it at the source, and every page here, as the settings say";

test.each<[string[], BatchOrder["settings"]["accessPolicy"], string, typeof OPEN, string[]]>([
  [[], "asSource", "public", OPEN, []],
  [
    ["Example.com", "*.example.org", "https://example.net/", "example.com"],
    "asSource",
    "public",
    { defaultPolicy: "deny", allow: ["example.com", "*.example.org", "example.net"] },
    [],
  ],
  [
    ["example.com", "localhost", "example.com:8080"],
    "asSource",
    "public",
    { defaultPolicy: "deny", allow: ["example.com"] },
    ["2 of the domains that may show it at the source cannot be rules here"],
  ],
  [
    ["localhost:8080"],
    "asSource",
    "private",
    OPEN,
    ["the domains that may show it at the source cannot be rules here: it is private instead"],
  ],
  [["example.com"], "private", "private", { defaultPolicy: "deny", allow: ["example.com"] }, []],
  [["example.com"], "public", "public", OPEN, [TO_ALL]],
])("a video that %j may show is, with the policy %s, %s here", async (origins, accessPolicy, kept, domains, words) => {
  const { media, differences } = await migrated({ origins }, { accessPolicy });
  expect(media.playbackIds).toMatchObject([{ accessPolicy: kept, accessRestrictions: { domains } }]);
  expect(said(differences, "accessPolicy")).toEqual(words);
});

test("of 60 domains the 50 that a playback ID may have are kept", async () => {
  const { media, differences } = await migrated({ origins: Array.from({ length: 60 }, (_, n) => `d${n}.example.com`) });
  expect(media.playbackIds[0]!.accessRestrictions.domains.allow).toHaveLength(50);
  expect(said(differences, "accessPolicy")).toHaveLength(1);
});

test("what does not fit is whole in the item and counted in the report", async () => {
  const { batch, workspace } = await migrated({ title: "x".repeat(10_000) });
  const [item] = (
    await (await workspace.request("GET", `/v1/imports/${batch.id}/items`)).json<{ data: { title: string }[] }>()
  ).data;
  expect(item!.title).toHaveLength(10_000);
  const { data } = await (
    await workspace.request("GET", `/v1/imports/${batch.id}/report`)
  ).json<{ data: { lost: unknown[]; differences: unknown[] } }>();
  expect(data.lost).toContainEqual({ what: "title: it is cut to 255 characters", videos: 1 });
  expect(data.differences).toContainEqual({
    field: "title",
    message: "it is cut to 255 characters",
    items: 1,
    examples: ["v"],
  });
});

test("a video of megabytes of text is an item all the same", async () => {
  const source = new FakeSource([]);
  const huge = video("v", {
    title: "😀".repeat(1_000_000),
    metadata: Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`k${n}`, "v".repeat(30_000)])),
    chapters: Array.from({ length: 5000 }, (_, n) => ({ startMs: n * 10, title: "c".repeat(5000) })),
  });
  source.videos = [huge];
  source.listIsPartial = true; // it is described anew before it is submitted
  const batch = await newBatch({ workspace: await newWorkspace(), source });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect((await batch.item("v")).title!.length).toBeLessThanOrEqual(20_000);
});

test.each(["http://10.0.0.1/a.mp4", "http://localhost/a.mp4", "https://[::1]/a.mp4", "file:///etc/passwd"])(
  "a source that leads to %s fails the item, and no media is made",
  async (url) => {
    const workspace = await newWorkspace();
    const source = new FakeSource([video("private"), video("public")]);
    const { file } = source;
    source.file = (one, state) =>
      one.id === "private" ? { status: "ready", url, expiresAtMs: null } : file(one, state);
    const batch = await newBatch({ workspace, source, env: { ALLOW_PRIVATE_NETWORK: "false" } });
    expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1, failed: 1 } });
    const { error, mediaId } = await batch.item("private");
    expect([error?.code, mediaId]).toEqual(["not_accepted", null]);
    expect(error?.message).toContain("The API refused the media.");
  },
);

test("a file of zero bytes fails its item with the reason of the media", async () => {
  const batch = await newBatch({ workspace: await newWorkspace(), source: new FakeSource([video("empty")]) });
  await batch.until(({ counts }) => counts.submitted === 1);
  await batch.failAll("unreadable_source", "The file is empty.");
  expect(await batch.until()).toMatchObject({ state: "done", counts: { failed: 1 } });
  expect(await batch.item("empty")).toMatchObject({
    error: { code: "unreadable_source", message: "The file is empty." },
  });
});
