import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from "miniflare";
import { passthroughKey, sourceKey } from "../../../src/platform/storage/keys.ts";
import { indexSource } from "../../../src/media/mp4/index-source.ts";

const ROOT = new URL("../../../", import.meta.url);

/** No encoder runs beside this Worker, so the page gets no poster. */
export const isPoster = (url: string) => /\/thumbnail\.jpg/.test(url);

/** Only the playback part of the Worker, which takes the page's beacons and forgets them, in workerd, with a catalogue and a store that the test fills. */
export async function startPlaybackWorker() {
  const bundle = await build({
    stdin: {
      contents:
        'import { answerPlayback, playbackRoutes } from "./src/playback/index.ts"; import { licenseRoutes } from "./src/playback/licenses/routes.ts"; import { renderError } from "./src/platform/http/router.ts"; export { PlaybackOrigin } from "./src/playback/index.ts"; const licenses = licenseRoutes(); licenses.onError(renderError); export default { fetch: (request, env, ctx) => request.url.includes("/beacons/") ? new Response() : answerPlayback(request, env, ctx) ?? (request.url.includes("/drm/") ? licenses : playbackRoutes).fetch(request, env, ctx) };',
      resolveDir: fileURLToPath(ROOT),
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    logLevel: "error",
  });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false, // nothing is fetched from the network at start
      telemetry: { enabled: false },
      log: new Log(LogLevel.WARN),
      name: "playback",
      modules: [{ type: "ESModule", path: "worker.js", contents: bundle.outputFiles[0]?.text ?? "" }],
      compatibilityDate: "2026-10-01",
      compatibilityFlags: ["nodejs_compat"],
      d1Databases: ["DB"],
      r2Buckets: ["MEDIA"],
      ratelimits: { UNKNOWN_IDS: { namespace_id: "1009", simple: { limit: 120, period: 60 } } },
      serviceBindings: { ASSETS: serveBuilt },
      bindings: {
        ALLOW_PRIVATE_NETWORK: "true",
        MAX_SOURCE_BYTES: "1000000000",
        JOB_SECRET: "s".repeat(32),
        WEBHOOK_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
      },
    }),
  );
  const url = (await miniflare.ready).origin;
  const db = await miniflare.getD1Database("DB");
  for (const file of (await readdir(new URL("migrations", ROOT))).filter((name) => name.endsWith(".sql")).sort()) {
    const sql = await readFile(new URL(`migrations/${file}`, ROOT), "utf8");
    for (const statement of sql.split("--> statement-breakpoint")) await db.prepare(statement).run();
  }
  return { url, miniflare, db, bucket: await miniflare.getR2Bucket("MEDIA"), close: () => miniflare.dispose() };
}

/** Serves the built files of the hosted page, as the platform serves static assets. */
async function serveBuilt(request: { url: string }) {
  const { pathname } = new URL(request.url);
  const file = await readFile(new URL(`dist/assets${pathname}`, ROOT)).catch(() => null);
  const type = pathname.endsWith(".js") ? "text/javascript" : "text/css";
  return new Response(file, { status: file ? 200 : 404, headers: { "content-type": type } });
}

export type PlaybackWorker = Awaited<ReturnType<typeof startPlaybackWorker>>;

/** Adds an asset that is being processed, without renditions. */
export async function seedAsset({ db }: PlaybackWorker, title: string): Promise<SeededAsset> {
  const assetId = crypto.randomUUID();
  const playbackId = crypto.randomUUID();
  await db.batch([
    db
      .prepare(
        "insert into assets (id, workspace_id, title, metadata, access_policy, max_resolution, media_quality, source_url, clip_start_ms, public_url, status, stage, created_at, updated_at) values (?, 'w', ?, '{}', 'public', '2160p', 'standard', 'http://127.0.0.1:9/', 0, '', 'processing', 'encoding', 0, 0)",
      )
      .bind(assetId, title),
    db
      .prepare(
        "insert into playback_ids (id, target_id, workspace_id, access_policy, created_at) values (?, ?, 'w', 'public', 0)",
      )
      .bind(playbackId, assetId),
  ]);
  return { assetId, playbackId };
}

export interface SeededAsset {
  assetId: string;
  playbackId: string;
}

/** Gives an asset a standard source as the asset machine does, so that it plays by passthrough. */
export async function addStandardSource(
  { db, bucket }: PlaybackWorker,
  { assetId }: SeededAsset,
  bytes: Uint8Array,
): Promise<void> {
  const source = await indexSource({
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
  });
  if (!source.standard) throw new Error(source.reason);
  await bucket.put(sourceKey(assetId), bytes);
  for (const { rendition, pieces } of source.indexes)
    await bucket.put(passthroughKey(assetId, rendition), await new Blob(pieces).arrayBuffer());
  await db.batch(
    source.renditions.map((row) =>
      db
        .prepare(
          "insert into renditions (asset_id, name, kind, origin, is_whole, is_default, codec, width_px, height_px, frame_rate_num, frame_rate_den, channels, language_code, language_name, timescale, init_bytes, segments) values (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(
          assetId,
          row.name,
          row.kind,
          row.origin,
          row.isDefault ? 1 : 0,
          row.codec,
          row.widthPx ?? null,
          row.heightPx ?? null,
          row.frameRateNum ?? null,
          row.frameRateDen ?? null,
          row.channels ?? null,
          row.languageCode ?? null,
          row.languageName ?? null,
          row.timescale,
          row.initBytes,
          JSON.stringify(row.segments),
        ),
    ),
  );
}

export async function seedStandardSource(
  worker: PlaybackWorker,
  bytes: Uint8Array,
  title: string,
): Promise<SeededAsset> {
  const asset = await seedAsset(worker, title);
  await addStandardSource(worker, asset, bytes);
  return asset;
}
