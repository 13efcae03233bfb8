import { planGrid } from "../../../protocol/ladder.ts";
import type { MediaList, Rendition } from "../manifest/model.ts";
import { segmentSeconds } from "./attributes.ts";

/** A key frame: its display duration and its byte range. */
export interface KeyframeList {
  durationTicks: number[];
  bytes: number[];
  places: { segment: number; offset: number }[];
}

/**
 * All GOPs of a segment have the same length except the last, so durations follow from the counts.
 *
 * @returns null when the key frames are unknown (audio, passthrough)
 */
export function keyframesOf(
  { segments, frameRateNum, frameRateDen }: Rendition,
  segmentCount: number,
): KeyframeList | null {
  const list: KeyframeList = { durationTicks: [], bytes: [], places: [] };
  const frameRate = { num: frameRateNum ?? 1, den: frameRateDen ?? 1 };
  const gopTicks = planGrid(frameRate).framesPerGop * frameRate.den; // the timescale is the rate's numerator
  for (let segment = 0; segment < segmentCount; segment++) {
    const keyframes = segments.keyframes[segment] ?? [];
    let left = segments.durationTicks[segment]!;
    keyframes.forEach(([offset, bytes], n) => {
      const duration = n === keyframes.length - 1 ? left : Math.min(gopTicks, left);
      left -= duration;
      list.durationTicks.push(duration);
      list.bytes.push(bytes);
      list.places.push({ segment, offset });
    });
  }
  return list.places.length > 0 ? list : null;
}

/** A playlist of key frames alone, for scrubbing and fast forward (RFC 8216 §4.3.3.6), or null. */
export function iframePlaylist({ rendition, isComplete, segmentCount }: MediaList): string | null {
  const keyframes = keyframesOf(rendition, segmentCount);
  if (keyframes === null) return null;
  const seconds = segmentSeconds(keyframes.durationTicks, rendition.timescale);
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    // GOPs last slightly over 2 s at fractional frame rates. The value is constant while the list grows.
    `#EXT-X-TARGETDURATION:${Math.max(4, ...seconds.map((duration) => Math.round(Number(duration))))}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    `#EXT-X-PLAYLIST-TYPE:${isComplete ? "VOD" : "EVENT"}`,
    "#EXT-X-I-FRAMES-ONLY",
    '#EXT-X-MAP:URI="init.mp4"',
    ...keyframes.places.flatMap(({ segment, offset }, n) => [
      `#EXTINF:${seconds[n]},`,
      `#EXT-X-BYTERANGE:${keyframes.bytes[n]}@${offset}`,
      `${segment}.m4s`,
    ]),
    ...(isComplete ? ["#EXT-X-ENDLIST"] : []),
    "",
  ].join("\n");
}
