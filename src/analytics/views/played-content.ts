import { isUuid, UUID } from "../../platform/uuid.ts";

/** The content that a view plays, as named by its source's URL. */
export interface PlayedContent {
  playbackId: string;
  /** On demand. */
  mediaId: string | null;
  /** Live. */
  streamId: string | null;
  /** Length of the media; null = live, or unknown at the look-up. */
  durationMs: number | null;
}

/** `/{playbackId}.m3u8`, and the paths of renditions and of signed playback below it. */
const IN_PATH = new RegExp(`^/(?:player/)?(${UUID})(?:[./~]|$)`, "i");

/** The playback ID in the URL of a manifest, a segment or a hosted page; null = none. */
export function playbackIdIn(address: unknown): string | null {
  if (typeof address !== "string" || !URL.canParse(address)) return null;
  const { pathname, searchParams } = new URL(address);
  const found = (IN_PATH.exec(pathname)?.[1] ?? searchParams.get("playbackId") ?? "").toLowerCase();
  return isUuid(found) ? found : null;
}
