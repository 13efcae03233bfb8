/** What an address below a session of a live stream asks for. The session is part of it, so that no address ever changes its meaning. */
export type LiveTarget = { playbackId: string; sessionId: string; rendition: string } & (
  | { kind: "live-playlist" }
  | { kind: "live-init"; version: number }
  | { kind: "live-media"; msn: number; part: number | null }
);

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const RENDITION = "[a-z0-9][a-z0-9-]{0,31}";
/** No leading zeros: one part has one address. */
const NUMBER = "0|[1-9][0-9]{0,8}";

const PLAYLIST = new RegExp(`^/(${UUID})/(${UUID})/(${RENDITION})\\.m3u8$`);
const INIT = new RegExp(`^/(${UUID})/(${UUID})/(${RENDITION})/init-(${NUMBER})\\.mp4$`);
const MEDIA = new RegExp(`^/(${UUID})/(${UUID})/(${RENDITION})/(${NUMBER})(?:\\.(${NUMBER}))?\\.m4s$`);

/** @returns null when the address is not one of a live session */
export function readLiveTarget(path: string): LiveTarget | null {
  const [, playbackId, sessionId, rendition, number, part] =
    PLAYLIST.exec(path) ?? INIT.exec(path) ?? MEDIA.exec(path) ?? [];
  if (playbackId === undefined || sessionId === undefined || rendition === undefined) return null;
  const place = { playbackId, sessionId, rendition };
  if (number === undefined) return { kind: "live-playlist", ...place };
  if (path.endsWith(".mp4")) return { kind: "live-init", ...place, version: Number(number) };
  return { kind: "live-media", ...place, msn: Number(number), part: part === undefined ? null : Number(part) };
}
