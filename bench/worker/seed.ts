import { imageKey, renditionKey } from "../../src/platform/storage/keys.ts";
import { findReadyRenditions } from "../../src/library/assets/repository.ts";
import { stillOrder } from "../../src/library/images/orders.ts";
import { addedTracks } from "../../src/library/tracks/store/tables.ts";
import { PLAIN_FIT } from "../../src/media/images/sizes.ts";
import { assets, renditions, tracks } from "../../src/library/assets/tables.ts";
import { playbackIds } from "../../src/tenancy/access/index.ts";
import { signingKeys } from "../../src/tenancy/signing-keys/tables.ts";
import { openDatabase } from "../../src/platform/database.ts";
import type { Env } from "../../src/platform/env.ts";

const SEGMENTS = 150;
const SEGMENT_BYTES = 500_000;
const INIT_BYTES = 800;

/** A ready asset of ten minutes of 720p with sound. All segments are listed; one of them is in R2. */
export async function seedReadyAsset(env: Env, languages = 0) {
  const [assetId, playbackId, now] = [crypto.randomUUID(), crypto.randomUUID(), new Date()];
  const db = openDatabase(env.DB);
  const whole = { assetId, origin: "ladder", isWhole: true, initBytes: INIT_BYTES } as const;
  await db.batch([
    db.insert(assets).values({
      id: assetId,
      workspaceId: "bench",
      metadata: {},
      accessPolicy: "public",
      maxResolution: "1080p",
      mediaQuality: "standard",
      sourceUrl: "http://127.0.0.1:9/film.mp4",
      clipStartMs: 0,
      publicUrl: "http://127.0.0.1",
      status: "ready",
      stage: "done",
      durationMs: SEGMENTS * 4000,
      createdAt: now,
      updatedAt: now,
      startedAt: now,
    }),
    db
      .insert(playbackIds)
      .values({ id: playbackId, targetId: assetId, workspaceId: "bench", accessPolicy: "public", createdAt: now }),
    ...Array.from({ length: languages }, (_, n) =>
      db.insert(addedTracks).values({
        id: crypto.randomUUID(),
        assetId,
        kind: "subtitle",
        languageCode: "en",
        languageName: `Language ${n}`,
        status: "available",
        captions: { cueCount: 100, skippedCues: 0, peakBps: 1000, averageBps: 500 },
        createdAt: new Date(now.getTime() + n),
      }),
    ),
    db.insert(tracks).values({ id: crypto.randomUUID(), assetId, position: 0, kind: "video" }),
    db.insert(tracks).values({ id: crypto.randomUUID(), assetId, position: 1, kind: "audio" }),
    ...(
      [
        ["v720", "avc1.64001f", 1280, 720],
        ["v480", "avc1.64001f", 854, 480],
      ] as const
    ).map(([name, codec, widthPx, heightPx]) =>
      db.insert(renditions).values({
        ...whole,
        name,
        kind: "video",
        codec,
        widthPx,
        heightPx,
        frameRateNum: 25,
        frameRateDen: 1,
        timescale: 25,
        segments: segmentsOf(100, SEGMENT_BYTES),
      }),
    ),
    db.insert(renditions).values({
      ...whole,
      name: "a1",
      kind: "audio",
      codec: "mp4a.40.2",
      channels: 2,
      isDefault: true,
      timescale: 48_000,
      segments: segmentsOf(192_000, 64_000),
    }),
  ]);
  const segmentKey = renditionKey(assetId, "v720", "0.m4s");
  const initKey = renditionKey(assetId, "v720", "init.mp4");
  await env.MEDIA.put(segmentKey, new Uint8Array(SEGMENT_BYTES));
  await env.MEDIA.put(initKey, new Uint8Array(INIT_BYTES));
  return { assetId, playbackId, rendition: "v720", segmentKey, initKey };
}

const IMAGE_BYTES = 20_000;

/** A ready asset with a thumbnail that has been made. */
export async function seedImage(env: Env) {
  const { assetId, playbackId } = await seedReadyAsset(env);
  const rows = await findReadyRenditions(env.DB, assetId);
  if (rows === "processing") throw new Error("the asset is ready");
  const rungs = rows.filter(({ kind }) => kind === "video");
  const fit = { ...PLAIN_FIT, widthPx: 320 };
  const order = stillOrder({ assetId, workspaceId: null, playbackId }, rungs, { seconds: 100, fit, format: "jpg" });
  const key = imageKey(assetId, order!.name);
  await env.MEDIA.put(key, new Uint8Array(IMAGE_BYTES), { httpMetadata: { contentType: "image/jpeg" } });
  return { path: `/${playbackId}/thumbnail.jpg?time=100&width=320`, key };
}

/** A ready asset with a public and a private playback ID. @param publicKey SPKI as PEM */
export async function seedPrivate(env: Env, publicKey: string) {
  const { assetId, ...asset } = await seedReadyAsset(env);
  const [privateId, keyId, createdAt] = [crypto.randomUUID(), crypto.randomUUID(), new Date()];
  const db = openDatabase(env.DB);
  await db.batch([
    db
      .insert(playbackIds)
      .values({ id: privateId, targetId: assetId, workspaceId: "bench", accessPolicy: "private", createdAt }),
    db.insert(signingKeys).values({ id: keyId, workspaceId: "bench", publicKey, createdAt }),
  ]);
  return { ...asset, privateId, keyId };
}

const segmentsOf = (durationTicks: number, bytes: number) => ({
  durationTicks: Array.from({ length: SEGMENTS }, () => durationTicks),
  bytes: Array.from({ length: SEGMENTS }, () => bytes),
  keyframes: Array.from({ length: SEGMENTS }, (): [number, number][] => [[0, 20_000]]),
});
