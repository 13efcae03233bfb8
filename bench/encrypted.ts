/** Encrypted segments per second, compared with the clear ones of the same asset in the same workerd. Nothing is cached: each is encrypted anew. */
import { readFile } from "node:fs/promises";
import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import { seedLadder } from "../test/e2e/players/seeded-ladder.ts";
import { startPlaybackWorker } from "../test/e2e/players/seeded-worker.ts";
import { comparedFigure } from "./support/compared-figure.ts";
import type { Figure } from "./support/figures.ts";
import type { Load } from "./support/load.ts";

export async function run(): Promise<Figure[]> {
  const worker = await startPlaybackWorker();
  const figures: Figure[] = [];
  try {
    const flower = await readFile(new URL("../test/fixtures/flower.mp4", import.meta.url));
    const { assetId, playbackId } = await seedLadder(worker, flower, "Flowers");
    const [encryptedId, keyId] = [crypto.randomUUID(), crypto.randomUUID()];
    const { publicKey, privateKey } = await generateKeyPair("RS256");
    await worker.db.batch([
      worker.db
        .prepare(
          `insert into playback_ids (id, target_id, workspace_id, access_policy, key_systems, created_at) values (?, ?, 'w', 'drm', '["clearkey"]', 0)`,
        )
        .bind(encryptedId, assetId),
      worker.db
        .prepare("insert into signing_keys (id, workspace_id, public_key, created_at) values (?, 'w', ?, 0)")
        .bind(keyId, await exportSPKI(publicKey)),
    ]);
    const token = await new SignJWT({ aud: `drm:${encryptedId}`, exp: Math.floor(Date.now() / 1000) + 3600 })
      .setProtectedHeader({ alg: "RS256", kid: keyId })
      .sign(privateKey);
    const manifest = await (await fetch(`${worker.url}/${encryptedId}.m3u8?token=${token}`)).text();
    const [address = ""] = new RegExp(`${encryptedId}~[0-9a-f-]+`).exec(manifest) ?? [];
    for (const [what, path] of [
      ["video", "v540/0.m4s"],
      ["sound", "a1/0.m4s"],
    ] as const) {
      const get = (id: string): Load => ({ method: "GET", path: `/${id}/${path}`, status: 200 });
      const bytes = (await (await fetch(`${worker.url}/${playbackId}/${path}`)).arrayBuffer()).byteLength;
      const name = `segment of ${what}, ${Math.round(bytes / 1000)} kB`;
      const [product, yardstick] = [get(address), get(playbackId)];
      figures.push(await comparedFigure(worker.url, { name, product, yardstick, against: "the clear one", aim: null }));
    }
  } finally {
    await worker.close();
  }
  return figures;
}
