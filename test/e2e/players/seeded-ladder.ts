import { renditionKey } from "../../../src/platform/storage/keys.ts";
import { type PlaybackWorker, type SeededAsset, seedStandardSource } from "./seeded-worker.ts";

/** Copies of the source's tracks under other names: what a player can choose from. */
const COPIES = [
  { name: "v540", of: "video", set: "width_px = 960, height_px = 540" },
  { name: "v270", of: "video", set: "width_px = 480, height_px = 270" },
  { name: "a1", of: "audio", set: "is_default = 1, language_code = 'en', language_name = 'English'" },
  { name: "a2", of: "audio", set: "is_default = 0, language_code = 'fr', language_name = 'Français'" },
];

/** A ready asset with two rungs and two audio tracks. Their segments are those that the Worker cuts from a standard source. */
export async function seedLadder(worker: PlaybackWorker, bytes: Uint8Array, title: string): Promise<SeededAsset> {
  const asset = await seedStandardSource(worker, bytes, title);
  const { assetId, playbackId } = asset;
  const { results } = await worker.db
    .prepare("select name, kind, json_array_length(segments, '$.bytes') as segments from renditions where asset_id = ?")
    .bind(assetId)
    .all<{ name: string; kind: string; segments: number }>();
  const source = (kind: string) => results.find((row) => row.kind === kind)!;
  for (const { name, of, set } of COPIES) {
    const { name: original, segments } = source(of);
    for (const file of ["init.mp4", ...Array.from({ length: segments }, (_, n) => `${n}.m4s`)]) {
      const answer = await fetch(`${worker.url}/${playbackId}/${original}/${file}`);
      if (!answer.ok) throw new Error(`${original}/${file} answered ${answer.status}`);
      await worker.bucket.put(renditionKey(assetId, name, file), await answer.arrayBuffer());
    }
    await worker.db.batch([
      worker.db
        .prepare(
          `insert into renditions (asset_id, name, kind, origin, is_whole, codec, frame_rate_num, frame_rate_den, channels, timescale, init_bytes, segments)
           select asset_id, ?, kind, 'ladder', 1, codec, frame_rate_num, frame_rate_den, channels, timescale, init_bytes, segments from renditions where asset_id = ? and name = ?`,
        )
        .bind(name, assetId, original),
      worker.db.prepare(`update renditions set ${set} where asset_id = ? and name = ?`).bind(assetId, name),
    ]);
  }
  await worker.db.prepare("update assets set status = 'ready' where id = ?").bind(assetId).run();
  return asset;
}
