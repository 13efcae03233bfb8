/** Private playback per second, compared with public playback of the same asset in the same workerd. */
import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import { startBenchHost } from "./support/bench-host.ts";
import { comparedFigure } from "./support/compared-figure.ts";
import type { Figure } from "./support/figures.ts";
import type { Load } from "./support/load.ts";

/** As many viewers with a token each. */
const TOKENS = 500;

interface Seeded {
  playbackId: string;
  privateId: string;
  keyId: string;
  rendition: string;
}

export async function run(): Promise<Figure[]> {
  const host = await startBenchHost();
  const figures: Figure[] = [];
  try {
    const { publicKey, privateKey } = await generateKeyPair("RS256");
    const seeded = await fetch(`${host.baseUrl}/bare/seed-private`, {
      method: "POST",
      body: await exportSPKI(publicKey),
    });
    const { playbackId, privateId, keyId, rendition } = (await seeded.json()) as Seeded;
    const claims = { aud: `media:${privateId}`, exp: Math.floor(Date.now() / 1000) + 3600 };
    const sign = async (n: number) =>
      await new SignJWT({ ...claims, jti: String(n) })
        .setProtectedHeader({ alg: "RS256", kid: keyId })
        .sign(privateKey);
    const tokens = await Promise.all(Array.from({ length: TOKENS }, (_, n) => sign(n)));
    const manifest = await (await fetch(`${host.baseUrl}/${privateId}.m3u8?token=${tokens[0]}`)).text();
    const [address] = new RegExp(`${privateId}~[0-9a-f-]+`).exec(manifest)!;
    let next = 0;
    const get = (path: Load["path"]): Load => ({ method: "GET", path, status: 200 });
    const cases = [
      { name: "media playlist of ten minutes", aim: 0.8, path: (id: string) => `/${id}/${rendition}.m3u8` },
      { name: "segment of 500 kB", aim: 0.8, path: (id: string) => `/${id}/${rendition}/0.m4s` },
    ].map(({ path, ...one }) => ({ ...one, product: get(path(address)), yardstick: get(path(playbackId)) }));
    const withTokens = {
      name: `multivariant playlist, ${TOKENS} tokens in turn`,
      aim: null,
      product: get(() => `/${privateId}.m3u8?token=${tokens[(next += 1) % TOKENS]}`),
      yardstick: get(`/${playbackId}.m3u8`),
    };
    for (const one of [...cases, withTokens])
      figures.push(await comparedFigure(host.baseUrl, { ...one, against: "the public one" }));
  } finally {
    await host.stop();
  }
  return figures;
}
