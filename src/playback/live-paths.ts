import { UUID } from "../platform/uuid.ts";

/** A resource of a live session. The session id is part of the path, so a URL always names the same content. */
export type SessionTarget = { playbackId: string; sessionId: string } & (
  | { kind: "live-playlist"; rendition: string }
  | { kind: "live-init"; rendition: string; version: number }
  | { kind: "live-media"; rendition: string; msn: number; part: number | null }
  | { kind: "live-text"; rendition: string; msn: number; part: number | null }
  | { kind: "live-mpd" }
  | { kind: "live-time" }
);

const RENDITION = "[a-z0-9][a-z0-9-]{0,31}";
/** No leading zeros: each part has exactly one URL. */
const NUMBER = "0|[1-9][0-9]{0,8}";

const SESSION = new RegExp(`^/(${UUID})/(${UUID})(/.+)$`);
/** In the same directory as the stream's own MPD, so relative URLs resolve equally from both. */
const MPD = new RegExp(`^/(${UUID})\\.(${UUID})\\.mpd$`);
const PLAYLIST = new RegExp(`^/(${RENDITION})\\.m3u8$`);
const INIT = new RegExp(`^/(${RENDITION})/init-(${NUMBER})\\.mp4$`);
const MEDIA = new RegExp(`^/(${RENDITION})/(${NUMBER})(?:\\.(${NUMBER}))?\\.(?:m4s|vtt)$`);

/** @returns null when the address is not one of a live session */
export function readLiveTarget(path: string): SessionTarget | null {
  const mpd = MPD.exec(path);
  if (mpd) return { kind: "live-mpd", playbackId: mpd[1]!, sessionId: mpd[2]! };
  const [, playbackId, sessionId, rest = ""] = SESSION.exec(path) ?? [];
  if (playbackId === undefined || sessionId === undefined) return null;
  const session = { playbackId, sessionId };
  if (rest === "/time") return { kind: "live-time", ...session };
  const [, rendition, number, part] = PLAYLIST.exec(rest) ?? INIT.exec(rest) ?? MEDIA.exec(rest) ?? [];
  if (rendition === undefined) return null;
  if (number === undefined) return { kind: "live-playlist", ...session, rendition };
  if (rest.endsWith(".mp4")) return { kind: "live-init", ...session, rendition, version: Number(number) };
  const place = { msn: Number(number), part: part === undefined ? null : Number(part) };
  return { kind: rest.endsWith(".vtt") ? "live-text" : "live-media", ...session, rendition, ...place };
}
