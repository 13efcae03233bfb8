/** Migrations on the whole platform: real media, real playback, and a stand-in of Mux at the other end. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MuxStandIn, MUX_READ_TOKEN, MUX_TOKEN, startMuxStandIn } from "../support/imports/mux-stand-in.ts";
import { fileClip, standInVideo } from "../support/imports/stand-in-library.ts";
import { startTestPlatform, type TestPlatform } from "../support/platform.ts";

interface Import {
  id: string;
  status: string;
  counts: Record<"total" | "pending" | "submitted" | "ready" | "failed" | "skipped", number>;
  problem?: { code: string; message: string };
  credentialId?: string;
}
interface Item {
  sourceId: string;
  status: string;
  mediaId?: string;
  playbackId?: string;
  oldPlaybackIds: string[];
  error?: { code: string; message: string };
  differences: { field: string; message: string }[];
}

const LIMIT_MS = 120_000;
const VTT = "WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nA flower.\n";

let mux: MuxStandIn;
let platform: TestPlatform;

beforeAll(async () => {
  mux = await startMuxStandIn();
  const clip = await fileClip("test/fixtures/flower.mp4", { durationMs: 5000, widthPx: 960, heightPx: 540 });
  const caption = { languageCode: "en", name: "English", text: VTT };
  mux.add(
    standInVideo(1, "asset-public", clip, { title: "A flower", captions: [caption], creatorId: "ada" }),
    standInVideo(2, "asset-signed", clip, { policy: "private" }),
    standInVideo(3, "asset-broken", clip, { state: "errored" }),
  );
  const vars = { IMPORT_BASE_URLS: JSON.stringify({ mux: mux.url }) };
  platform = await startTestPlatform({ vars });
}, LIMIT_MS);

afterAll(async () => {
  await Promise.all([platform?.stop(), mux?.close()]);
  await platform?.removeHome();
});

async function until(id: string, isIt: (batch: Import) => boolean): Promise<Import> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const { body } = await platform.api<Import>("GET", `/v1/imports/${id}`);
    if (isIt(body.data)) return body.data;
    if (Date.now() > deadline) throw new Error(`waited in vain: ${JSON.stringify(body.data)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

const itemsOf = async (id: string): Promise<Item[]> =>
  (await platform.api<Item[]>("GET", `/v1/imports/${id}/items?limit=100`)).body.data;

describe("from Mux", () => {
  test(
    "a dry run changes nothing, then every video is ready once with what it had",
    async () => {
      const created = await platform.api<Import & { statusWebhook?: unknown }>("POST", "/v1/imports", {
        source: { type: "mux" },
        credentials: MUX_TOKEN,
        dryRun: true,
      });
      expect([created.status, created.body]).toMatchObject([201, { data: { status: "scanning" } }]);
      const { id } = created.body.data;
      const scanned = await until(id, ({ status }) => status === "scanned");
      expect(scanned.counts).toMatchObject({ total: 3, pending: 2, failed: 1 });
      expect(mux.calls.filter(({ method }) => method !== "GET")).toEqual([]);

      const { data: report } = (await platform.api<Record<string, unknown>>("GET", `/v1/imports/${id}/report`)).body;
      expect(report).toMatchObject({
        found: { videos: 2, policies: { public: 1, private: 1 }, playbackIds: 2 },
        obstacles: [{ sourceId: "asset-broken" }],
      });

      expect((await platform.api("POST", `/v1/imports/${id}/start`, {})).status).toBe(200);
      const done = await until(id, ({ status }) => status === "done");
      expect(done.counts).toEqual({ total: 3, pending: 0, submitted: 0, ready: 2, failed: 1, skipped: 0 });
      const items = await itemsOf(id);
      const of = (sourceId: string) => items.find((item) => item.sourceId === sourceId)!;
      const media = (await platform.api("GET", `/v1/on-demand/${of("asset-public").mediaId}`)).body.data;
      expect(media).toMatchObject({
        title: "A flower",
        creatorId: "ada",
        metadata: { originPlaformVideoId: "asset-public" },
        playbackIds: [{ accessPolicy: "public" }],
      });
      expect(media.tracks.filter(({ type }) => type === "subtitle")).toMatchObject([
        { status: "available", languageCode: "en" },
      ]);
      const signed = (await platform.api("GET", `/v1/on-demand/${of("asset-signed").mediaId}`)).body.data;
      expect(signed.playbackIds).toMatchObject([{ accessPolicy: "private" }]);
      expect(mux.switched()).toEqual([]);
    },
    LIMIT_MS,
  );

  test("credentials that may only read are named before anything is tried", async () => {
    const created = await platform.api<{ credentialId: string }>("POST", "/v1/imports/credentials", {
      source: "mux",
      credentials: MUX_READ_TOKEN,
    });
    expect(created.status).toBe(201);
    const { credentialId } = created.body.data;
    const checked = await platform.api("POST", `/v1/imports/credentials/${credentialId}/check`, {});
    expect(checked.body.data).toMatchObject({ lastCheck: { missing: [{ isRequired: expect.any(Boolean) }] } });
  });
});
