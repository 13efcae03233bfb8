/**
 * The addresses of other platforms, as their public documents have them (read in November 2026): Mux "Play your videos", "Get images from a video" and
 * "Download your videos"; Cloudflare Stream "Use your own player", "Display thumbnails" and "Download videos"; api.video "Video assets" and "Private
 * videos"; Vimeo's embeds and file links. Pure.
 */
import type { SourceKind } from "../sources/source.ts";
import type { Resource } from "./resource.ts";

/** A possible reading of an address: which of them is right shows only by the ids that were migrated. */
export interface Reading {
  oldPlaybackId: string;
  resource: Resource;
}

/** The end of an address, after the old playback ID, and what it asks for. The path is not decoded. */
type Layout = readonly [end: RegExp, resource: (parts: string[]) => Resource];

interface Vendor {
  /** What stands before the id. */
  prefix: RegExp | null;
  layouts: readonly Layout[];
}

const hls = (): Resource => ({ kind: "hls" });
const dash = (): Resource => ({ kind: "dash" });
const page = (): Resource => ({ kind: "page" });
const mp4 = (): Resource => ({ kind: "mp4" });
const sound = (): Resource => ({ kind: "sound" });
const still = ([, format]: string[]): Resource => ({ kind: "still", format: format as "jpg" | "png" | "webp" });
const clip = ([, format]: string[]): Resource => ({ kind: "clip", format: format as "gif" | "webp" });
const sheet = ([, as]: string[]): Resource => ({ kind: "sheet", as: as === "json" || as === "vtt" ? as : "jpg" });

const WHOLE = /$/;

/** Of every source, so that a page can be changed to `/migrated/…` before its videos have new ids. */
const COMMON: readonly Layout[] = [
  [/\.m3u8$/, hls],
  [/\.mpd$/, dash],
  [/\/thumbnail\.(jpg|png|webp)$/, still],
];

const MUX: Vendor = {
  prefix: null,
  layouts: [
    [/\/animated\.(gif|webp)$/, clip],
    [/\/storyboard\.(jpg|png|webp|json|vtt)$/, sheet],
    [/\/(?:low|medium|high|highest|capped-1080p|\d{3,4}p)\.mp4$/, mp4],
    [/\/audio\.m4a$/, sound],
    [WHOLE, page], // player.mux.com
  ],
};

const CLOUDFLARE: Vendor = {
  prefix: null,
  layouts: [
    [/\/manifest\/video\.m3u8$/, hls],
    [/\/manifest\/video\.mpd$/, dash],
    [/\/thumbnails\/thumbnail\.(jpg)$/, still],
    [/\/thumbnails\/thumbnail\.(gif)$/, clip],
    [/\/downloads\/default\.mp4$/, mp4],
    [/\/downloads\/default\.m4a$|\/downloads\/audio\.m4a$/, sound],
    [/\/(?:iframe|watch)\/?$/, page],
    [WHOLE, page], // iframe.cloudflarestream.com
  ],
};

/** A private video's addresses have `/token/{token}` after the id, which is left out. */
const API_VIDEO: Vendor = {
  prefix: /^(?:vod|live)\//,
  layouts: [
    [/(?:\/token\/[^/]+)?\/hls\/manifest\.m3u8$/, hls],
    [/(?:\/token\/[^/]+)?\/mp4\/source\.mp4$/, mp4],
    [/(?:\/token\/[^/]+)?\/thumbnail\.(jpg)$/, still],
    [/(?:\/token\/[^/]+)?\/?$/, page],
  ],
};

const VIMEO: Vendor = {
  prefix: /^(?:video|external|progressive_redirect\/(?:playback|download))\//,
  layouts: [
    [/\.(?:hd|sd|mobile|source)\.mp4$/, mp4],
    [/\/rendition\/[^/]+\/[^/]+\.mp4$/, mp4],
    [/\/[0-9a-f]{8,16}$/, page], // the hash of an unlisted video
    [WHOLE, page],
  ],
};

/** The key, and what a player of such a file can play: the file for download. */
const S3: Vendor = {
  prefix: null,
  layouts: [
    [/(?<=\.(?:mp3|m4a|aac|wav|flac|ogg|opus))$/i, sound],
    [/(?<=\.(?:m3u8))$/i, hls],
    [WHOLE, mp4],
  ],
};

/** A list may be of any platform. */
const LIST: Vendor = {
  prefix: null,
  layouts: [
    [/(?<=\.(?:mp4|m4v|mov|webm|mkv|avi|mpg|mpeg|ts|wmv|flv|mxf))$/i, mp4],
    [/\.mp4$/, mp4], // an id without it
    ...[MUX, CLOUDFLARE, API_VIDEO].flatMap(({ layouts }) => layouts.filter(([end]) => end !== WHOLE)),
    [WHOLE, page],
  ],
};

const VENDORS: Record<SourceKind, Vendor> = {
  mux: MUX,
  cloudflare_stream: CLOUDFLARE,
  api_video: API_VIDEO,
  vimeo: VIMEO,
  s3: S3,
  list: LIST,
};

/** An id in which each character is encoded, and a layout. */
const MAX_PATH_LENGTH = 3500;
const MAX_ID_LENGTH = 1024;
const MAX_READINGS = 7;

/**
 * The readings of an old address, the one with the longest id first: an id may end like a layout.
 *
 * @param path after the first slash of the vendor's own address, percent-encoded as in a URL. An id with slashes may have them as they are, or encoded
 */
export function readAddress(source: SourceKind, path: string): Reading[] {
  if (path.length > MAX_PATH_LENGTH) return [];
  const { prefix, layouts } = VENDORS[source];
  const own = prefix === null ? path : path.replace(prefix, "");
  const readings = [...layouts, ...COMMON].flatMap(([end, resource]): Reading[] => {
    const found = end.exec(own);
    const oldPlaybackId = found === null ? null : decoded(own.slice(0, found.index));
    return found === null || oldPlaybackId === null ? [] : [{ oldPlaybackId, resource: resource([...found]) }];
  });
  const byId = new Map(readings.toReversed().map((reading) => [reading.oldPlaybackId, reading])); // the first layout of an id counts
  return [...byId.values()]
    .toSorted((one, other) => other.oldPlaybackId.length - one.oldPlaybackId.length)
    .slice(0, MAX_READINGS);
}

function decoded(text: string): string | null {
  try {
    const id = decodeURIComponent(text);
    return id === "" || id.length > MAX_ID_LENGTH ? null : id;
  } catch {
    return null;
  }
}
