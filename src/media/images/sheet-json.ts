import { quoted, tag } from "../hls/attributes.ts";
import type { SheetPlan } from "./sheet-plan.ts";

const round = (seconds: number) => Math.round(seconds * 1e6) / 1e6;
const placeOf = ({ columns, tile }: SheetPlan, n: number) => ({
  x: (n % columns) * tile.widthPx,
  y: Math.floor(n / columns) * tile.heightPx,
});

/**
 * The JSON of a sprite sheet in both shapes of the media contract (playback, "Preview JSON"): `tiles`, which every published player reads, and
 * the grid. Times are seconds.
 */
export function sheetJson(plan: SheetPlan, url: string) {
  const { columns, rows, tile, tiles, intervalSeconds, durationSeconds } = plan;
  return {
    url,
    tile_width: tile.widthPx,
    tile_height: tile.heightPx,
    duration: round(durationSeconds),
    tiles: Array.from({ length: tiles }, (_, n) => ({ start: round(n * intervalSeconds), ...placeOf(plan, n) })),
    columns,
    rows,
    interval: round(intervalSeconds),
    tileWidth: tile.widthPx,
    tileHeight: tile.heightPx,
    thumbnailCount: tiles,
    sheetWidth: columns * tile.widthPx,
    sheetHeight: rows * tile.heightPx,
  };
}

/** The same as WebVTT, with the place of each tile as a media fragment (`#xywh=`, Media Fragments URI 1.0 §4.2.2). */
export function storyboard(plan: SheetPlan, url: string): string {
  const { tile, tiles, intervalSeconds, durationSeconds } = plan;
  const cues = Array.from({ length: tiles }, (_, n) => {
    const { x, y } = placeOf(plan, n);
    const end = Math.min(durationSeconds, (n + 1) * intervalSeconds);
    const times = `${timestamp(n * intervalSeconds)} --> ${timestamp(end)}`;
    return `${times}\n${url}#xywh=${x},${y},${tile.widthPx},${tile.heightPx}\n`;
  });
  return ["WEBVTT\n", ...cues].join("\n");
}

/** `HH:MM:SS.mmm` (WebVTT §3.3). */
function timestamp(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const [hours, minutes, rest] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, ms % 60_000];
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(hours)}:${two(minutes)}:${(rest / 1000).toFixed(3).padStart(6, "0")}`;
}

/** A playlist of pictures (HLS "image media playlist", Roku's extension, which Shaka and others read). */
export function imagePlaylist(plan: SheetPlan, url: string): string {
  const { columns, rows, tile, intervalSeconds, durationSeconds } = plan;
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${Math.ceil(durationSeconds)}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    "#EXT-X-IMAGES-ONLY",
    `#EXTINF:${durationSeconds.toFixed(5)},`,
    `#EXT-X-TILES:RESOLUTION=${tile.widthPx}x${tile.heightPx},LAYOUT=${columns}x${rows},DURATION=${intervalSeconds.toFixed(5)}`,
    url,
    "#EXT-X-ENDLIST",
    "",
  ].join("\n");
}

/** Bits per pixel of a JPEG of our quality, to estimate a sheet's size before it is read. */
const BITS_PER_PIXEL = 1.5;

/** Bits of the sheet for each second of the media, estimated. */
export const sheetBandwidth = ({ tile, tiles, durationSeconds }: SheetPlan): number =>
  Math.ceil((tiles * tile.widthPx * tile.heightPx * BITS_PER_PIXEL) / durationSeconds);

/** The line of the multivariant playlist for players that show pictures while seeking; "" without a sheet. */
export function imageStream(plan: SheetPlan | null, base: string): string {
  if (plan === null) return "";
  const attributes = {
    BANDWIDTH: sheetBandwidth(plan),
    RESOLUTION: `${plan.tile.widthPx}x${plan.tile.heightPx}`,
    CODECS: quoted("jpeg"),
    URI: quoted(`${base}/images.m3u8`),
  };
  return `${tag("EXT-X-IMAGE-STREAM-INF", attributes)}\n`;
}
