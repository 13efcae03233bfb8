import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { passthroughKey, renditionKey } from "../../../src/platform/storage/keys.ts";
import { assets, renditions, tracks } from "../../../src/library/assets/tables.ts";
import { playbackIds } from "../../../src/tenancy/access/index.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { SampleColumns } from "../../../src/media/mp4/fragment.ts";
import { IndexWriter } from "../../../src/media/mp4/index-file.ts";
import { answerPlayback, playbackRoutes } from "../../../src/playback/index.ts";

type NewAsset = typeof assets.$inferInsert;

/** An asset in the catalogue without renditions. @param change columns that differ from the defaults @param access the same, of its playback ID */
export async function newAsset(
  change: Partial<NewAsset> = {},
  access: Partial<typeof playbackIds.$inferInsert> = {},
): Promise<{ assetId: string; playbackId: string }> {
  const assetId = change.id ?? crypto.randomUUID();
  const playbackId = crypto.randomUUID();
  const now = new Date();
  const db = openDatabase(env.DB);
  await db.batch([
    db.insert(assets).values({
      id: assetId,
      workspaceId: "w",
      metadata: {},
      accessPolicy: "public",
      maxResolution: "1080p",
      mediaQuality: "standard",
      sourceUrl: "http://127.0.0.1:9/film.mp4",
      clipStartMs: 0,
      publicUrl: "http://sluice.test",
      status: "processing",
      stage: "encoding",
      createdAt: now,
      updatedAt: now,
      ...change,
    }),
    db.insert(playbackIds).values({
      id: playbackId,
      targetId: assetId,
      workspaceId: change.workspaceId ?? "w",
      accessPolicy: "public",
      createdAt: now,
      ...access,
    }),
    db.insert(tracks).values({ id: crypto.randomUUID(), assetId, position: 0, kind: "video" }),
  ]);
  return { assetId, playbackId };
}

/** A whole rung of two segments, with its objects in the store. Every byte of segment n is n + 1. */
export async function addRung(assetId: string, name = "v720", change: Partial<typeof renditions.$inferInsert> = {}) {
  const sizes = [5000, 3000];
  await openDatabase(env.DB)
    .insert(renditions)
    .values({
      assetId,
      name,
      kind: "video",
      origin: "ladder",
      isWhole: true,
      codec: "avc1.64001f",
      widthPx: 1280,
      heightPx: 720,
      frameRateNum: 25,
      frameRateDen: 1,
      timescale: 25,
      initBytes: 700,
      segments: { durationTicks: [100, 50], bytes: sizes, keyframes: [[[0, 100]], [[0, 100]]] },
      ...change,
    });
  await env.MEDIA.put(renditionKey(assetId, name, "init.mp4"), new Uint8Array(700));
  for (const [n, size] of sizes.entries())
    await env.MEDIA.put(renditionKey(assetId, name, `${n}.m4s`), new Uint8Array(size).fill(n + 1));
}

/** A passthrough rendition. Each segment is a list of byte ranges of the source. */
export async function addPassthrough(assetId: string, segments: { offset: number; length: number }[][]) {
  const writer = new IndexWriter(new Uint8Array(600));
  const samples = new SampleColumns();
  for (const [n, runs] of segments.entries()) {
    samples.count = 0;
    for (const [position, { offset, length }] of runs.entries()) {
      samples.add({ size: length, duration: 25, compositionOffset: 0, isKey: position === 0, offset });
    }
    writer.addSegment(n * 100, samples);
  }
  const bytes = writer.segmentBytes;
  await env.MEDIA.put(passthroughKey(assetId, "source-v"), await new Blob(writer.finish()).arrayBuffer());
  await addRung(assetId, "source-v", {
    origin: "passthrough",
    initBytes: 600,
    segments: { durationTicks: bytes.map(() => 100), bytes, keyframes: [] },
  });
}

/** The answer of the Worker's playback routes. */
export async function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> {
  const context = createExecutionContext();
  const request = new Request(`https://stream.sluice.test${path}`, { method, headers });
  const answer = await (answerPlayback(request, env, context) ?? playbackRoutes.fetch(request, env, context));
  await waitOnExecutionContext(context);
  return answer;
}
