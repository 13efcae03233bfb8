import type { ClipFormat, StillFormat } from "../../protocol/images.ts";
import { PERMIT_FORM } from "../tenancy/access/index.ts";
import type { DownloadFile } from "./download-plan.ts";
import { isUuid, UUID } from "../platform/uuid.ts";

/** The file name without its extension. A recording has one init segment per codec configuration of the broadcast. */
export type SegmentFile = "init" | `init-${number}` | number;

/** A picture of an asset or of a broadcast, or a description of its sprite sheet. */
export type ImageFile =
  | { kind: "still"; format: StillFormat }
  | { kind: "clip"; format: ClipFormat }
  | { kind: "sheet"; isAdvanced: boolean; as: "jpg" | "json" | "vtt" | "m3u8" };
/** A segment, or the extension of a file with all captions; `json` has the times of their words. */
export type TextFile = TextSegment | "vtt" | "srt" | "txt" | "json";
/**
 * A segment of a subtitle track.
 *
 * @property folder of a text that has replaced the first one; "" = the first one
 * @property span index of the recording's span whose clock the segment has; null = the media has no spans
 */
export interface TextSegment {
  folder: string;
  number: number;
  span: number | null;
}

/** The resource that a playback URL names. Names and numbers are validated, so they are safe in storage keys. */
export type Target =
  | { kind: "multivariant"; playbackId: string }
  | { kind: "mpd"; playbackId: string }
  | { kind: "media-playlist"; playbackId: string; rendition: string }
  | { kind: "iframe-playlist"; playbackId: string; rendition: string }
  | { kind: "segment"; playbackId: string; rendition: string; file: SegmentFile }
  /** The playlist of a subtitle track. */
  | { kind: "text-playlist"; playbackId: string; trackId: string }
  /** One segment of a subtitle track, or all of it in one file. */
  | { kind: "text"; playbackId: string; trackId: string; file: TextFile }
  | { kind: "download"; playbackId: string; file: DownloadFile }
  | { kind: "image"; playbackId: string; file: ImageFile }
  | { kind: "chapters"; playbackId: string; as: "vtt" | "json" }
  /** The original file. */
  | { kind: "source"; playbackId: string }
  | { kind: "page"; playbackId: string }
  | { kind: "page-file"; file: string }
  /** A playback URL that names no resource. */
  | { kind: "nothing" };

const RENDITION = "[a-z0-9][a-z0-9-]{0,31}";
/** No leading zeros: each segment has exactly one URL. Seven digits exceed any asset. */
const NUMBER = "0|[1-9][0-9]{0,6}";

const MANIFEST = new RegExp(`^/(${UUID})\\.(m3u8|mpd)$`);
const PLAYLIST = new RegExp(`^/(${UUID})/(${RENDITION})\\.m3u8$`);
const IN_RENDITION = new RegExp(
  `^/(${UUID})/(${RENDITION})/(?:(iframes\\.m3u8)|(init(?:-(?:${NUMBER}))?)\\.mp4|(${NUMBER})\\.m4s)$`,
);
const TEXT = new RegExp(
  `^/(${UUID})/text/(${UUID})(?:\\.(m3u8)|\\.(vtt|srt|txt|json)|(?:/(v[0-9a-f]{12}))?/(${NUMBER})(?:-(${NUMBER}))?\\.vtt)$`,
);
const CHAPTERS = new RegExp(`^/(${UUID})/chapters\\.(vtt|json)$`);
const DOWNLOAD = new RegExp(`^/(${UUID})/(?:(capped-4k)\\.mp4|(audio)\\.m4a)$`);
const STILL = new RegExp(`^/(${UUID})/thumbnail\\.(jpg|png|webp|avif)$`);
const CLIP = new RegExp(`^/(${UUID})/clip\\.(gif|webp)$`);
const SHEET = new RegExp(`^/(${UUID})/(?:(advanced-)?spritesheet\\.(jpg|json)|storyboard\\.(vtt)|images\\.(m3u8))$`);
const SOURCE = new RegExp(`^/(${UUID})/source$`);
const PAGE = new RegExp(`^/player/(${UUID})/?$`);
const PAGE_FILE = /^\/player\/([a-z0-9-]+\.(?:js|css)(?:\.map)?)$/;
/** Paths that look like playback are answered as playback, so an invalid id gets the same answer as an unknown one. */
const OURS = new RegExp(`^/(?:${UUID}(?:[/.~]|$)|player(?:/|$))|\\.(?:m3u8|mpd|m4s)$`, "i");

const PERMITTED = new RegExp(`^/(${UUID})~(${PERMIT_FORM})(?=[/.])`);

/** Splits a path into the path without its permit, and the permit; null = none. */
export function splitPermit(pathname: string): { path: string; permit: string | null } {
  const [start = "", playbackId, permit] = PERMITTED.exec(pathname) ?? [];
  return permit === undefined
    ? { path: pathname, permit: null }
    : { path: `/${playbackId}${pathname.slice(start.length)}`, permit };
}

/**
 * Parses a playback URL. The path is not decoded (the URL parser has only resolved dot segments), so an encoded slash or dot matches
 * nothing.
 *
 * @param path of the URL, without a permit
 * @returns null when the URL is not a playback URL
 */
export function readTarget(url: URL, path = url.pathname): Target | null {
  if (url.hostname.startsWith("play.") && path === "/") {
    const playbackId = url.searchParams.get("playbackId") ?? "";
    return isUuid(playbackId) ? { kind: "page", playbackId } : { kind: "nothing" };
  }
  const manifest = MANIFEST.exec(path);
  if (manifest) return { kind: manifest[2] === "mpd" ? "mpd" : "multivariant", playbackId: manifest[1]! };
  const image = readImage(path);
  if (image) return image;
  const inRendition = IN_RENDITION.exec(path);
  if (inRendition) {
    const [, playbackId = "", rendition = "", iframes, init, number] = inRendition;
    if (iframes) return { kind: "iframe-playlist", playbackId, rendition };
    return { kind: "segment", playbackId, rendition, file: init ? (init as SegmentFile) : Number(number) };
  }
  const playlist = PLAYLIST.exec(path);
  if (playlist) return { kind: "media-playlist", playbackId: playlist[1]!, rendition: playlist[2]! };
  const [, ofText, trackId = "", playlistOfText, wholeText, folder = "", textSegment, textSpan] = TEXT.exec(path) ?? [];
  if (ofText !== undefined && playlistOfText !== undefined)
    return { kind: "text-playlist", playbackId: ofText, trackId };
  if (ofText !== undefined)
    return {
      kind: "text",
      playbackId: ofText,
      trackId,
      file: (wholeText as Extract<TextFile, string> | undefined) ?? {
        folder,
        number: Number(textSegment),
        span: textSpan === undefined ? null : Number(textSpan),
      },
    };
  const chapters = CHAPTERS.exec(path);
  if (chapters) return { kind: "chapters", playbackId: chapters[1]!, as: chapters[2] as "vtt" | "json" };
  const [, ofDownload, picture, sound] = DOWNLOAD.exec(path) ?? [];
  if (ofDownload !== undefined)
    return { kind: "download", playbackId: ofDownload, file: (picture ?? sound) as DownloadFile };
  const source = SOURCE.exec(path);
  if (source) return { kind: "source", playbackId: source[1]! };
  const page = PAGE.exec(path);
  if (page) return { kind: "page", playbackId: page[1]! };
  const pageFile = PAGE_FILE.exec(path);
  if (pageFile) return { kind: "page-file", file: pageFile[1]! };
  return OURS.test(path) ? { kind: "nothing" } : null;
}

function readImage(path: string): Extract<Target, { kind: "image" }> | null {
  const [, stillOf, format] = STILL.exec(path) ?? [];
  if (stillOf !== undefined)
    return { kind: "image", playbackId: stillOf, file: { kind: "still", format: format as StillFormat } };
  const [, clipOf, animation] = CLIP.exec(path) ?? [];
  if (clipOf !== undefined)
    return { kind: "image", playbackId: clipOf, file: { kind: "clip", format: animation as ClipFormat } };
  const [, sheetOf, advanced, sheet, cues, playlist] = SHEET.exec(path) ?? [];
  if (sheetOf === undefined) return null;
  const as = (sheet ?? cues ?? playlist) as "jpg" | "json" | "vtt" | "m3u8";
  return { kind: "image", playbackId: sheetOf, file: { kind: "sheet", isAdvanced: advanced !== undefined, as } };
}
