import ApiVideoClient from "@api.video/nodejs-client";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  API_VIDEO_KEY,
  startApiVideoStandIn,
  type ApiVideoStandIn,
} from "../../../support/imports/api-video-stand-in.ts";
import { CLIP, CLIP_BYTES } from "../suite-kit.ts";

/** The vendor's own client reads the stand-in, so the stand-in speaks as the vendor does. */
let standIn: ApiVideoStandIn;
let client: ApiVideoClient;
beforeEach(async () => {
  standIn = await startApiVideoStandIn({ pageSize: 4 });
  client = new ApiVideoClient({ apiKey: API_VIDEO_KEY, baseUri: standIn.url });
});
afterEach(() => standIn.close());

test("asks for an access token", async () => {
  expect(await client.getAccessToken()).toMatchObject({
    tokenType: "Bearer",
    expiresIn: 3600,
    accessToken: expect.any(String),
  });
});

test("lists all pages, sorted", async () => {
  const ids = standIn.addMany(10, CLIP);
  const listed: string[] = [];
  for (let currentPage = 1, pagesTotal = 1; currentPage <= pagesTotal; currentPage++) {
    const page = await client.videos.list({ sortBy: "createdAt", sortOrder: "asc", currentPage, pageSize: 4 });
    listed.push(...page.data.map(({ videoId }) => videoId));
    expect(page.pagination).toMatchObject({ itemsTotal: 10, pageSize: 4, currentPage });
    pagesTotal = page.pagination.pagesTotal ?? 0;
  }
  expect(listed).toEqual(ids);
});

test("reads a video, its status and its file", async () => {
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ own: { metadata: [{ key: "course", value: "Physics" }] } }));
  const video = await client.videos.get(id);
  expect(video).toMatchObject({
    videoId: id,
    title: "Video 1",
    _public: true,
    mp4Support: true,
    createdAt: expect.any(Date),
  });
  expect(video.metadata).toEqual([expect.objectContaining({ key: "course", value: "Physics" })]);
  const answer = await fetch(video.assets?.mp4 ?? "");
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(CLIP_BYTES);

  const status = await client.videos.getStatus(id);
  expect(status.encoding).toMatchObject({ playable: true, metadata: { duration: 5, width: 640, height: 360 } });
  expect(status.ingest?.filesize).toBe(CLIP_BYTES.length);
});

test("reads captions and chapters", async () => {
  const captions = [{ languageCode: "de", name: "Deutsch", text: "WEBVTT\n" }];
  const own = { chapters: { de: "WEBVTT\n" } };
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ captions, own }));
  const found = await client.captions.list({ videoId: id });
  expect(found.data).toEqual([expect.objectContaining({ srclang: "de", languageName: "Deutsch", _default: true })]);
  expect((await client.chapters.list({ videoId: id })).data).toEqual([expect.objectContaining({ language: "de" })]);
});

test("has the vendor's errors", async () => {
  await expect(client.videos.get("viNone")).rejects.toMatchObject({ code: 404, problemDetails: { status: 404 } });
  const wrong = new ApiVideoClient({ apiKey: "wrong", baseUri: standIn.url });
  await expect(wrong.getAccessToken()).rejects.toMatchObject({ response: { status: 400 } });
  standIn.plant({ kind: "rateLimited", retryAfterSeconds: 5 });
  await expect(client.videos.list()).rejects.toMatchObject({
    code: 429,
    problemDetails: { title: "Too many requests." },
  });
});
