import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { s3Source } from "../../../src/imports/sources/s3.ts";
import type { ListedVideo } from "../../../src/imports/sources/source.ts";
import { plainHttp } from "../../support/imports/plain-http.ts";
import { ownOf, type S3Own } from "../../support/imports/s3-object.ts";
import { S3_BUCKET, S3_KEY, S3_REGION, startS3StandIn } from "../../support/imports/s3-stand-in.ts";
import type { StandIn } from "../../support/imports/stand-in.ts";
import { standInVideo } from "../../support/imports/stand-in-library.ts";
import { CLIP, CLIP_BYTES, failureOf, listAll } from "./suite-kit.ts";

const NOW_MS = Date.parse("2026-11-20T12:00:00Z");
let standIn: StandIn;
beforeEach(async () => {
  standIn = await startS3StandIn({ nowMs: () => NOW_MS });
});
afterEach(() => standIn.close());

const open = (over: Record<string, unknown> = {}) =>
  s3Source.open(
    {
      options: s3Source.options.parse({ bucket: S3_BUCKET, region: S3_REGION, ...over }),
      credentials: S3_KEY,
      nowMs: () => NOW_MS,
    },
    plainHttp(standIn.url),
  );

const put = (key: string, own: Partial<S3Own> = {}) => standIn.add(standInVideo(1, key, CLIP, { own: { ...own } }));

async function onlyListed(): Promise<ListedVideo> {
  const [video, another] = (await listAll(open())).videos;
  if (video === undefined || another !== undefined) throw new Error("the list has not one video");
  return video;
}

describe("keys", () => {
  const odd = [
    "two words.mp4",
    "a+b%20c%2Bd.mp4",
    "日本/ünï — 🏡.mov",
    "/leading/slash.mp4",
    "empty//part.mp4",
    "../up.mp4",
    "a/../../b/./c.mp4",
    "quotes'\"(1)!*~.mp4",
    "amp&<tag>;#hash?query=1&x.mp4",
    "back\\slash.mp4",
    "tab\tand\u0001control.mp4",
  ];
  test.for(odd)("%j is listed, described and fetched", async (key) => {
    put(key);
    const video = await onlyListed();
    expect(video).toMatchObject({ id: key, playbackIds: [{ id: key, policy: "private" }] });
    expect(await open().describe(key)).toMatchObject({ id: key, bytes: CLIP_BYTES.length });
    const resolution = await open().resolve(video, null);
    if (resolution.status !== "ready") throw new Error("not ready");
    const answer = await fetch(resolution.url);
    expect(answer.status).toBe(200);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(CLIP_BYTES);
  });

  test("title and folder are parts of the key", async () => {
    put("shows/season 1/Pilot.final.MP4");
    expect(await onlyListed()).toMatchObject({ title: "Pilot.final", folder: "shows/season 1" });
  });

  test("that are no media are left out, and the extensions can be chosen", async () => {
    for (const key of ["a.mp4", "b.txt", "folder/", "c.FLAC", "mp4", "d.mp4.part", "e.braw"]) put(key);
    expect((await listAll(open())).videos.map(({ id }) => id)).toEqual(["a.mp4", "c.FLAC"]);
    expect((await listAll(open({ extensions: ["braw"] }))).videos.map(({ id }) => id)).toEqual(["e.braw"]);
    expect(await open().describe("b.txt")).toBeNull();
  });

  test("with a prefix", async () => {
    for (const key of ["shows/a b.mp4", "trailers/c.mp4"]) put(key);
    expect((await listAll(open({ prefix: "shows/a b" }))).videos.map(({ id }) => id)).toEqual(["shows/a b.mp4"]);
  });
});

describe("archives", () => {
  const archived = { code: "archived" };
  test.for(["GLACIER", "DEEP_ARCHIVE"])("%s cannot be fetched", async (storageClass) => {
    put("a.mp4", { storageClass });
    const video = await onlyListed();
    expect(video.obstacle).toMatchObject(archived);
    expect((await open().describe("a.mp4"))?.obstacle).toMatchObject(archived);
    expect((await failureOf(open().resolve(video, null))).code).toBe("archived");
  });

  test("a restored copy can, until it goes", async () => {
    put("a.mp4", { storageClass: "GLACIER", restoredUntil: "2026-11-22T00:00:00.000Z" });
    const video = await onlyListed();
    expect(video.obstacle).toBeNull();
    expect((await open().describe("a.mp4"))?.obstacle).toBeNull();
    expect((await open().resolve(video, null)).status).toBe("ready");

    put("a.mp4", { storageClass: "GLACIER", restoredUntil: "2026-11-19T00:00:00.000Z" });
    expect((await onlyListed()).obstacle).toMatchObject(archived);
  });

  test("of Intelligent-Tiering are found before the file is fetched", async () => {
    put("a.mp4", { storageClass: "INTELLIGENT_TIERING", archiveStatus: "DEEP_ARCHIVE_ACCESS" });
    const video = await onlyListed();
    expect(video.obstacle).toBeNull(); // A list does not say.
    expect((await open().describe("a.mp4"))?.obstacle).toMatchObject(archived);
    expect((await failureOf(open().resolve(video, null))).code).toBe("archived");
  });
});

test("an empty object has no file", async () => {
  put("a.mp4", { isEmpty: true });
  const video = await onlyListed();
  expect(video.obstacle).toEqual({ code: "no_file", message: expect.stringContaining("0 bytes") });
  expect((await failureOf(open().resolve(video, null))).code).toBe("no_file");
});

test("etag in the list; the user's metadata and tags in a description", async () => {
  put("a.mp4", {
    userMetadata: { author: "Ada", city: "=?UTF-8?B?TcO8bmNoZW4=?=", street: "=?UTF-8?Q?Stra=C3=9Fe_1?=" },
    tags: { project: "alpha & omega", reviewed: "" },
  });
  expect(Object.keys((await onlyListed()).metadata)).toEqual(["etag"]);
  expect(await open().describe("a.mp4")).toMatchObject({
    metadata: { etag: expect.stringMatching(/^[0-9a-f]{32}$/), author: "Ada", city: "München", street: "Straße 1" },
    tags: ["project=alpha & omega", "reviewed"],
  });
});

test("lists ask for no object, whatever it has", async () => {
  put("a.mp4", { tags: { a: "b" }, storageClass: "INTELLIGENT_TIERING" });
  expect(ownOf([...standIn.videos.values()][0]!).tags).toEqual({ a: "b" });
  standIn.calls.length = 0;
  await onlyListed();
  expect(standIn.calls).toHaveLength(1);
});

test("a download goes on where it broke, as long as the object is the same", async () => {
  put("a.mp4");
  const resolution = await open().resolve(await onlyListed(), null);
  if (resolution.status !== "ready") throw new Error("not ready");
  const partIf = (same: string) => fetch(resolution.url, { headers: { range: "bytes=1000-1999", "if-range": same } });
  const whole = await fetch(resolution.url);
  await whole.body?.cancel();
  for (const name of ["etag", "last-modified"]) {
    const part = await partIf(whole.headers.get(name)!);
    expect([part.status, new Uint8Array(await part.arrayBuffer())]).toEqual([206, CLIP_BYTES.subarray(1000, 2000)]);
  }
  const another = await partIf('"another"');
  await another.body?.cancel();
  expect(another.status).toBe(200);
});
