import { afterEach, expect, test } from "vitest";
import type { Source } from "../../../src/imports/sources/source.ts";
import { vimeoSource } from "../../../src/imports/sources/vimeo.ts";
import { plainHttp } from "../../support/imports/plain-http.ts";
import type { StandIn } from "../../support/imports/stand-in.ts";
import {
  startVimeoStandIn,
  VIMEO_HALF_TOKEN,
  VIMEO_TOKEN,
  type VimeoStandInOptions,
} from "../../support/imports/vimeo-stand-in.ts";
import { CLIP, CLIP_BYTES, failureOf, firstListed, listAll, PAGE_SIZE, resolved } from "./suite-kit.ts";

let standIn: StandIn;
afterEach(() => standIn.close());

async function opened(options: VimeoStandInOptions = {}, accessToken = VIMEO_TOKEN): Promise<Source> {
  standIn = await startVimeoStandIn(options);
  return vimeoSource.open({ options: {}, credentials: { accessToken }, nowMs: Date.now }, plainHttp(standIn.url));
}

test("fields that a scope or a plan hides are an obstacle of each video, and named by the check", async () => {
  const without = await opened({}, VIMEO_HALF_TOKEN);
  standIn.addMany(1, CLIP);
  const video = await firstListed(without);
  expect(video.obstacle).toEqual({ code: "permission_missing", message: expect.stringContaining("video_files") });
  expect((await failureOf(without.resolve(video, null))).code).toBe("permission_missing");
  await standIn.close();

  const free = await opened({ plan: "free" });
  standIn.addMany(1, CLIP);
  expect((await firstListed(free)).obstacle?.code).toBe("permission_missing");
  expect((await free.check()).missing).toEqual([
    expect.objectContaining({ permission: expect.stringContaining("paid"), isRequired: true }),
  ]);
});

test.for([
  ["anybody", "public"],
  ["unlisted", "private"],
  ["nobody", "private"],
  ["password", "private"],
  ["disable", "private"],
  ["contacts", "private"],
  ["users", "private"],
] as const)("who may view: %s is %s", async ([view, policy]) => {
  const source = await opened();
  standIn.addMany(1, CLIP, () => ({ own: { privacy: { view, embed: "public" } } }));
  expect(await firstListed(source)).toMatchObject({ policy, playbackIds: [{ policy }] });
});

test("an unlisted video keeps the hash of its addresses", async () => {
  const source = await opened();
  standIn.addMany(2, CLIP, (number) => ({ policy: number === 1 ? "private" : "public" }));
  const hashes = (await listAll(source)).videos.map(({ metadata }) => metadata["hash"]);
  expect(hashes).toEqual(["8272103f6e", undefined]);
});

test("what the owner gave a video", async () => {
  const source = await opened();
  const own = {
    description: "About it",
    license: "by",
    tags: [{ name: "alps" }, { name: "snow" }],
    categories: [{ name: "Travel" }, { name: "Sports" }],
    parent_folder: {
      name: "2026",
      metadata: { connections: { ancestor_path: [{ name: "Clients" }, { name: "Work" }] } },
    },
    privacy: { view: "password", embed: "whitelist" },
    chapters: [
      { title: "Start", timecode: 0 },
      { title: "Summit", timecode: 61 },
    ],
  };
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ own }));
  const video = await source.describe(id);
  expect(video).toMatchObject({
    folder: "Work/Clients/2026",
    tags: ["alps", "snow"],
    metadata: { description: "About it", license: "by", categories: "Travel, Sports" },
    chapters: [
      { startMs: 0, title: "Start" },
      { startMs: 61_000, title: "Summit" },
    ],
    bytes: CLIP_BYTES.length,
    captions: [],
  });
  expect(video?.left).toEqual([expect.stringContaining("password"), expect.stringContaining("domains")]);
});

test.for([
  ["public", "public"],
  ["whitelist", "private"],
  ["private", "private"],
  ["of tomorrow", "private"],
])("a video that anybody may view, and whose embedding is %s, is %s", async ([embed, policy]) => {
  const source = await opened();
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ own: { privacy: { view: "anybody", embed } } }));
  expect(await source.describe(id)).toMatchObject({ policy });
});

const file = (quality: string, height: number, size: number, type = "video/mp4") => ({
  quality,
  height,
  size,
  type,
  link: `https://player.vimeo.test/${quality}-${height}`,
});
test.for([
  ["the original", { download: [file("hd", 1080, 9), file("source", 2160, 8)], files: [] }, "source-2160"],
  [
    "else the largest download",
    { download: [file("sd", 360, 9), file("hd", 1080, 5)], files: [file("hd", 2160, 9)] },
    "hd-1080",
  ],
  [
    "else the largest file that is no playlist",
    { download: [], files: [file("hls", 2160, 9), file("sd", 360, 1), file("hd", 720, 2)] },
    "hd-720",
  ],
] as const)("the file is %s", async ([, own, link]) => {
  const source = await opened();
  standIn.addMany(1, CLIP, () => ({ own: { ...own } }));
  const { resolution } = await resolved(source, await firstListed(source));
  expect(resolution.url).toBe(`https://player.vimeo.test/${link}`);
  expect(resolution.expiresAtMs).toBeGreaterThan(Date.now());
});

test.for([
  ["preparing", "video_not_ready"],
  ["errored", "no_file"],
  ["live", "no_file"],
] as const)("a video that is %s", async ([state, code]) => {
  const source = await opened();
  standIn.addMany(1, CLIP, () => ({ state }));
  const video = await firstListed(source);
  expect(video.obstacle?.code).toBe(code);
  expect((await failureOf(source.resolve(video, null))).code).toBe(code);
});

test("the end of a link is the vendor's", async () => {
  const nowMs = Date.parse("2026-11-20T12:00:00Z");
  const source = await opened({ nowMs: () => nowMs });
  standIn.addMany(1, CLIP);
  const { resolution } = await resolved(source, await firstListed(source));
  expect(resolution.expiresAtMs).toBe(nowMs + 24 * 3_600_000);
});

test("a selection by time reads no more pages than it needs", async () => {
  const source = await opened({ pageSize: PAGE_SIZE });
  const ids = standIn.addMany(10 * PAGE_SIZE, CLIP);
  const timeOf = (index: number) => standIn.videos.get(ids[index] ?? "")?.createdAtMs ?? 0;
  expect((await listAll(source, { createdBeforeMs: timeOf(2) })).pages).toBe(1);
  const late = await listAll(source, { createdAfterMs: timeOf(37) });
  expect(late.pages).toBe(1);
  expect(late.videos.map(({ id }) => id)).toEqual(expect.arrayContaining(ids.slice(37)));
});

test("many deletions between two pages cost no video that is left", async () => {
  const source = await opened({ pageSize: PAGE_SIZE });
  const ids = standIn.addMany(5 * PAGE_SIZE, CLIP);
  const first = await source.listPage(null, {});
  const second = await source.listPage(first.next, {});
  for (const id of ids.slice(0, 2 * PAGE_SIZE - 1)) standIn.remove(id);
  const seen = [...first.videos, ...second.videos].map(({ id }) => id);
  for (let next = second.next; next !== null;) {
    const page = await source.listPage(next, {});
    seen.push(...page.videos.map(({ id }) => id));
    next = page.next;
  }
  expect([...new Set(seen)].sort()).toEqual(ids.toSorted());
});
