/** Migrations on the whole platform, from every source: real media, real playback, and stand-ins of the vendors at the other end. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FULL_TAG } from "../../scripts/suite/tiers.ts";
import { API_VIDEO_KEY, startApiVideoStandIn } from "../support/imports/api-video-stand-in.ts";
import {
  CLOUDFLARE_ACCOUNT,
  CLOUDFLARE_TOKEN,
  startCloudflareStandIn,
} from "../support/imports/cloudflare-stream-stand-in.ts";
import { createImport, type Import, type Item, itemsOf, untilImport } from "../support/imports/migrations.ts";
import { MUX_TOKEN, startMuxStandIn } from "../support/imports/mux-stand-in.ts";
import { S3_BUCKET, S3_KEY, S3_REGION, startS3StandIn } from "../support/imports/s3-stand-in.ts";
import type { StandIn } from "../support/imports/stand-in.ts";
import { fileClip, type StandInClip, standInVideo } from "../support/imports/stand-in-library.ts";
import { startVimeoStandIn, VIMEO_TOKEN } from "../support/imports/vimeo-stand-in.ts";
import { type Media, startTestPlatform, type TestPlatform } from "../support/platform.ts";
import { type SourceServer, startSourceServer } from "../support/source-server.ts";

const LIMIT_MS = 120_000;
const TEXT = "A flower.";
const CAPTION = { languageCode: "en", name: "English", text: `WEBVTT\n\n00:00:00.500 --> 00:00:02.000\n${TEXT}\n` };

let clip: StandInClip;
let server: SourceServer;
let platform: TestPlatform;
let standIns: Record<"mux" | "cloudflare_stream" | "api_video" | "vimeo" | "s3", StandIn>;

beforeAll(async () => {
  clip = await fileClip("test/fixtures/friday.mp4", { durationMs: 6_200, widthPx: 640, heightPx: 480 });
  const [mux, cloudflare_stream, api_video, vimeo, s3] = await Promise.all([
    startMuxStandIn({ readsUntilReady: 0 }),
    startCloudflareStandIn({ readsUntilReady: 0 }),
    startApiVideoStandIn(),
    startVimeoStandIn(),
    startS3StandIn(),
  ]);
  standIns = { mux, cloudflare_stream, api_video, vimeo, s3 };
  server = await startSourceServer();
  server.add("/friday.mp4", { kind: "content", content: clip.content });
  server.add("/friday.vtt", { kind: "content", content: new TextEncoder().encode(CAPTION.text) });
  const urls = Object.fromEntries(Object.entries(standIns).map(([kind, { url }]) => [kind, url]));
  platform = await startTestPlatform({ vars: { IMPORT_BASE_URLS: JSON.stringify(urls) } });
}, LIMIT_MS);

afterAll(async () => {
  await platform?.stop();
  await Promise.all(Object.values(standIns ?? {}).map((standIn) => standIn.close()));
  await server?.stop();
  await platform?.removeHome();
});

async function migrated(body: object): Promise<{ batch: Import; items: Item[] }> {
  const { id } = await createImport(platform, body);
  const batch = await untilImport(platform, id, ({ status }) => status === "done" || status === "paused", LIMIT_MS);
  const items = await itemsOf(platform, id);
  expect([batch.status, batch.problem, items.filter(({ status }) => status !== "ready")]).toEqual([
    "done",
    undefined,
    [],
  ]);
  return { batch, items };
}

type FullMedia = Media & { title?: string; creatorId?: string; metadata: Record<string, string> };
const mediaOf = async ({ mediaId }: Item): Promise<FullMedia> =>
  (await platform.api<FullMedia>("GET", `/v1/on-demand/${mediaId}`)).body.data;

/** The words of a media's captions, as players get them. */
async function wordsOf({ playbackId }: Item, media: FullMedia): Promise<string> {
  const track = media.tracks.find(({ type }) => type === "subtitle")!;
  return await (await fetch(`${platform.baseUrl}/${playbackId}/text/${track.id}.vtt`)).text();
}

const VENDORS = [
  { kind: "mux", credentials: MUX_TOKEN, source: {} },
  { kind: "cloudflare_stream", credentials: { apiToken: CLOUDFLARE_TOKEN, accountId: CLOUDFLARE_ACCOUNT }, source: {} },
  { kind: "api_video", credentials: { apiKey: API_VIDEO_KEY }, source: {} },
  { kind: "vimeo", credentials: { accessToken: VIMEO_TOKEN }, source: {} },
] as const;

/** Each vendor's answers are read by the tests in `test/pure/imports`; the default tier takes one of them through the platform. */
const tagsOf = (kind: string) => (kind === "mux" ? [] : [FULL_TAG]);

describe.each(VENDORS)("from $kind", ({ kind, credentials, source }) => {
  test(
    "a public and a private video play with what they had, and the source is as it was",
    { timeout: LIMIT_MS, tags: tagsOf(kind) },
    async () => {
      const standIn = standIns[kind];
      const [open = "", closed = ""] = standIn.addMany(2, clip, (number) => ({
        title: `Friday ${number}`,
        policy: number === 1 ? "public" : "private",
        captions: number === 1 ? [CAPTION] : [],
      }));
      const { items } = await migrated({ source: { type: kind, ...source }, credentials });
      const of = (id: string) => items.find(({ sourceId }) => sourceId === id)!;

      const media = await mediaOf(of(open));
      expect(media).toMatchObject({
        title: "Friday 1",
        metadata: { originPlaformVideoId: open },
        playbackIds: [{ accessPolicy: "public" }],
      });
      expect(await wordsOf(of(open), media)).toContain(TEXT);
      expect(await mediaOf(of(closed))).toMatchObject({ playbackIds: [{ accessPolicy: "private" }] });
      expect(of(open).differences).toEqual([]);
      expect(standIn.switched()).toEqual([]);

      const again = await createImport(platform, { source: { type: kind, ...source }, credentials });
      const repeated = await untilImport(platform, again.id, ({ status }) => status === "done", LIMIT_MS);
      expect(repeated.counts).toEqual({ total: 2, pending: 0, submitted: 0, ready: 0, failed: 0, skipped: 2 });
    },
  );
});

test(
  "from S3: a private bucket with an odd key",
  async () => {
    const key = "films/2019/Friday & night + 100%.mp4";
    standIns.s3.add(standInVideo(1, key, clip));
    const source = { type: "s3", bucket: S3_BUCKET, region: S3_REGION };
    const credentials = { accessKeyId: S3_KEY.accessKeyId, secretAccessKey: S3_KEY.secretAccessKey };
    const { items } = await migrated({ source, credentials });
    expect(await mediaOf(items[0]!)).toMatchObject({
      title: "Friday & night + 100%",
      metadata: { originPlaformVideoId: key, originFolder: "films/2019" },
    });
  },
  LIMIT_MS,
);

test(
  "from a list: old addresses lead to the new media, and the map has both",
  async () => {
    const item = {
      id: "friday-1",
      url: server.url("/friday.mp4"),
      title: "Friday",
      playbackId: "old-friday",
      accessPolicy: "public",
      chapters: [
        { startMs: 0, title: "First" },
        { startMs: 10_000_000, title: "Behind the end" },
      ],
      captions: [{ url: server.url("/friday.vtt"), languageCode: "en" }],
    };
    const { batch, items } = await migrated({ source: { type: "list", items: [item] } });
    const { playbackId, mediaId } = items[0]!;
    const found = await fetch(`${platform.baseUrl}/v1/imports/${batch.id}/map.csv`, {
      headers: { authorization: platform.authorization },
    });
    expect(await found.text()).toContain(`friday-1,old-friday,${mediaId},${playbackId},ready,`);

    const local = JSON.parse(await readFile(join(platform.home, "local.json"), "utf8")) as { workspaceId: string };
    const old = `${platform.baseUrl}/migrated/${local.workspaceId}/list/old-friday`;
    const moved = await fetch(`${old}.m3u8`, { redirect: "manual" });
    expect([moved.status, moved.headers.get("location")]).toEqual([
      302,
      expect.stringMatching(`/${playbackId}\\.m3u8$`),
    ]);
    expect(await (await fetch(`${old}.m3u8`)).text()).toContain("#EXTM3U");
    expect(await (await fetch(`${platform.baseUrl}/${playbackId}/chapters.vtt`)).text()).toContain("First");
  },
  LIMIT_MS,
);
