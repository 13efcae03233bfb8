import type { AssetRecord } from "../../library/assets/index.ts";
import type { Env } from "../../platform/env.ts";
import { signPlaybackToken } from "../../tenancy/playback-tokens/index.ts";

const TOKEN_SECONDS = 300;

type Played = { ok: true } | { ok: false; message: string };

/**
 * Asks the Worker for what a player asks first and last: the multivariant playlist, the playlist of its first rendition, and the first and the last
 * segment of that.
 */
export async function playsThrough(env: Env, self: Fetcher, record: AssetRecord, now: Date): Promise<Played> {
  const [playbackId] = record.playbackIds;
  const { asset } = record;
  if (playbackId === undefined) return { ok: false, message: "the media has no playback ID any more" };
  if (record.isHeld) return { ok: true }; // moderation keeps it from players on purpose
  const url = new URL(`/${playbackId.id}.m3u8`, asset.publicUrl);
  if (playbackId.accessPolicy !== "public") {
    const { accessPolicy, id } = playbackId;
    const asked = { workspaceId: asset.workspaceId, playbackId: id, accessPolicy, publicUrl: asset.publicUrl };
    const { token } = await signPlaybackToken(env, { ...asked, expiresInSeconds: TOKEN_SECONDS }, now);
    url.searchParams.set("token", token);
  }
  const variants = await linesOf(self, url);
  if (!Array.isArray(variants)) return refused("manifest", variants.status);
  const [variant] = variants;
  if (variant === undefined) return { ok: false, message: "the manifest has no rendition" };
  const playlistUrl = new URL(variant, url);
  const segments = await linesOf(self, playlistUrl);
  if (!Array.isArray(segments)) return refused("playlist of a rendition", segments.status);
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === undefined || last === undefined) return { ok: false, message: "the playlist of a rendition is empty" };
  for (const [name, segment] of [
    ["first segment", first],
    ["last segment", last],
  ] as const) {
    const { status } = await answerOf(self, new URL(segment, playlistUrl));
    if (status !== 200) return refused(name, status);
  }
  return { ok: true };
}

/** As a page of the platform asks, which rules about domains permit. */
const ask = (self: Fetcher, url: URL): Promise<Response> =>
  self.fetch(url.href, { headers: { referer: `${url.origin}/` } });

const refused = (name: string, status: number): Played => ({ ok: false, message: `the ${name} answers ${status}` });

/** The addresses in a playlist. */
async function linesOf(self: Fetcher, url: URL): Promise<string[] | { status: number }> {
  const response = await ask(self, url);
  const text = await response.text();
  if (response.status !== 200) return { status: response.status };
  return text.split("\n").flatMap((line) => (line.trim() === "" || line.startsWith("#") ? [] : [line.trim()]));
}

async function answerOf(self: Fetcher, url: URL): Promise<{ status: number }> {
  const response = await ask(self, url);
  await response.body?.cancel();
  return { status: response.status };
}
