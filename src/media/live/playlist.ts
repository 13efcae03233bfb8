import { SOUND_RENDITION } from "../../../protocol/live.ts";
import { hlsNumberOf } from "./hls-numbers.ts";
import {
  discontinuitiesBefore,
  endTicks,
  lastPart,
  type LiveRendition,
  type LiveSegment,
  type LiveTiming,
  nextPart,
  segmentSeconds,
} from "./timeline.ts";

/** A delta update omits segments older than this many target durations (at least 6, RFC 8216bis §4.4.3.8). */
const SKIP_AFTER_TARGETS = 6;
/** HOLD-BACK in target durations (at least 3) and PART-HOLD-BACK in part targets (at least 2, 3 recommended). */
const HOLD_BACK_TARGETS = 3;
const HOLD_BACK_PARTS = 3;
/** Parts are listed within this many target durations of the end (§4.4.4.9). */
const PARTS_FOR_TARGETS = 3;

export interface LivePlaylist {
  /** The rendition cut to its window (see `windowed`). */
  rendition: LiveRendition;
  timing: LiveTiming;
  /** The other renditions of the session, for EXT-X-RENDITION-REPORT. Dropped ones are not reported: the multivariant playlist omits them too. */
  others: LiveRendition[];
  /** The player requested a delta update. */
  isDelta: boolean;
  /** The query of the playlist's own URL, repeated in rendition reports. */
  query?: string;
  /** EXT-X-PLAYLIST-TYPE:EVENT: segments are never removed (RFC 8216bis §4.4.3.5). Parts may be (§6.2.1). */
  isEvent?: boolean;
  /** Delta updates only: listed segments before the rendition's first. All of them are skipped. */
  older?: { segments: number; discontinuities: number };
  /** WebVTT segments: captions, which need no init segment. */
  isText?: boolean;
  /** EXT-X-KEY of encrypted media. A delta update has them too, because its segments follow skipped ones. */
  keyTags?: string[];
}

/** The media playlist of one rendition of a live session (RFC 8216bis). URIs are relative to the playlist. */
export function livePlaylist({
  rendition: all,
  timing,
  others,
  isDelta,
  query = "",
  isEvent = false,
  older,
  isText = false,
  keyTags = [],
}: LivePlaylist): string {
  const rendition = timing.partTargetMs === null ? wholeOnly(all) : all;
  const { segments, timescale, hasEnded, name } = rendition;
  const { targetDurationSeconds, partTargetMs } = timing;
  const isLowLatency = partTargetMs !== null;
  const skipped = isDelta && !hasEnded ? firstWithin(rendition, SKIP_AFTER_TARGETS * targetDurationSeconds) : 0;
  const firstWithParts = firstWithin(rendition, PARTS_FOR_TARGETS * targetDurationSeconds);
  const extension = isText ? "vtt" : "m4s";
  const firstMsn = (segments[0]?.msn ?? 0) - (older?.segments ?? 0);
  const discontinuitySequence = older?.discontinuities ?? discontinuitiesBefore(rendition, firstMsn);
  const lines = [
    "#EXTM3U",
    `#EXT-X-VERSION:${skipped > 0 ? 9 : 6}`,
    `#EXT-X-TARGETDURATION:${targetDurationSeconds}`,
    `#EXT-X-SERVER-CONTROL:${serverControl(timing)}`,
    ...(isLowLatency ? [`#EXT-X-PART-INF:PART-TARGET=${seconds(partTargetMs / 1000)}`] : []),
    `#EXT-X-MEDIA-SEQUENCE:${hlsNumberOf(firstMsn)}`,
    ...(discontinuitySequence > 0 ? [`#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuitySequence}`] : []),
    ...(isEvent ? ["#EXT-X-PLAYLIST-TYPE:EVENT"] : []),
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...(skipped > 0 ? [`#EXT-X-SKIP:SKIPPED-SEGMENTS=${skipped + (older?.segments ?? 0)}`] : []),
    ...keyTags,
  ];
  // A delta update repeats the EXT-X-MAP of skipped segments: Shaka reads the timescale of the segments after them there.
  let initVersion: number | null = null;
  for (let index = skipped; index < segments.length; index += 1) {
    const segment = segments[index]!;
    if (segment.isDiscontinuous) lines.push("#EXT-X-DISCONTINUITY");
    if (!isText && segment.initVersion !== initVersion)
      lines.push(`#EXT-X-MAP:URI="${name}/init-${segment.initVersion}.mp4"`);
    initVersion = segment.initVersion;
    lines.push(`#EXT-X-PROGRAM-DATE-TIME:${programDate(segment, name, timescale)}`);
    if (isLowLatency && index >= firstWithParts && !segment.isGap)
      lines.push(...partLines(segment, name, timescale, extension));
    if (segment.isWhole) lines.push(...segmentLines(segment, name, timescale, extension));
  }
  const next = nextPart(rendition);
  const isComing = next !== null && (rendition.droppedFrom === null || next.msn < rendition.droppedFrom);
  if (isLowLatency && isComing)
    lines.push(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${name}/${next.msn}.${next.part}.${extension}"`);
  if (hasEnded) lines.push("#EXT-X-ENDLIST");
  else if (isLowLatency) lines.push(...others.flatMap((other) => reportLine(other, query)));
  return `${lines.join("\n")}\n`;
}

function serverControl({ targetDurationSeconds, partTargetMs }: LiveTiming): string {
  return [
    "CAN-BLOCK-RELOAD=YES",
    ...(partTargetMs === null ? [] : [`PART-HOLD-BACK=${seconds((HOLD_BACK_PARTS * partTargetMs) / 1000)}`]),
    `HOLD-BACK=${seconds(HOLD_BACK_TARGETS * targetDurationSeconds)}`,
    `CAN-SKIP-UNTIL=${seconds(SKIP_AFTER_TARGETS * targetDurationSeconds)}`,
  ].join(",");
}

const wholeOnly = (rendition: LiveRendition): LiveRendition =>
  rendition.segments.at(-1)?.isWhole === false
    ? { ...rendition, segments: rendition.segments.slice(0, -1) }
    : rendition;

/** Whether a delta update of these segments skips any. It then contains only the number of older segments. */
export const skipsSegments = (rendition: LiveRendition, { targetDurationSeconds }: LiveTiming): boolean =>
  !rendition.hasEnded && firstWithin(rendition, SKIP_AFTER_TARGETS * targetDurationSeconds) > 0;

/** The first segment that ends within this many seconds of the end of the playlist, including parts of an incomplete segment. */
function firstWithin({ segments, timescale }: LiveRendition, seconds: number): number {
  let distance = 0;
  let first = segments.length;
  while (first > 0 && distance <= seconds) {
    first -= 1;
    distance += segmentSeconds(segments[first]!, timescale);
  }
  return first;
}

function partLines(segment: LiveSegment, name: string, timescale: number, extension: "m4s" | "vtt"): string[] {
  let endTicks = segment.decodeTicks;
  return segment.parts.map(({ durationTicks, isIndependent }, part) => {
    const startTicks = endTicks;
    endTicks += durationTicks;
    const duration = secondsBetween(startTicks, endTicks, name, timescale);
    const independent = isIndependent || extension === "vtt" ? ",INDEPENDENT=YES" : "";
    return `#EXT-X-PART:DURATION=${duration},URI="${name}/${segment.msn}.${part}.${extension}"${independent}`;
  });
}

function segmentLines(segment: LiveSegment, name: string, timescale: number, extension: "m4s" | "vtt"): string[] {
  const inf = `#EXTINF:${secondsBetween(segment.decodeTicks, endTicks(segment), name, timescale)},`;
  return [...(segment.isGap ? ["#EXT-X-GAP"] : []), inf, `${name}/${segment.msn}.${extension}`];
}

/** The duration of a segment or part of the rendition, from its edges on the session's timeline. */
function secondsBetween(startTicks: number, endTicks: number, name: string, timescale: number): string {
  if (SOUND_RENDITION.test(name))
    return seconds((laterEdgeMs(endTicks, timescale) - laterEdgeMs(startTicks, timescale)) / 1000);
  return seconds((nearestEdge(endTicks / timescale) - nearestEdge(startTicks / timescale)) / UNITS_PER_SECOND);
}

/**
 * Durations are the differences of rounded edges, so that their errors do not add up, and the parts of a segment last as long as the segment:
 * hls.js 1.7 never finishes a segment of captions whose last part ends a microsecond before it, and loads no captions any more.
 */
const nearestEdge = (seconds: number): number => Math.round(seconds * UNITS_PER_SECOND);

/**
 * Those of sound are whole milliseconds, rounded up, beyond the picture's: hls.js moves a list's first segment by the difference between the sum of
 * the durations and the media's times. If sound then begins a microsecond after the picture, hls.js finds no segment of it at 0, and a seek to the
 * beginning never ends.
 */
const laterEdgeMs = (ticks: number, timescale: number): number =>
  ticks === 0 ? 0 : Math.ceil((ticks * 1000) / timescale + FLOAT_ERROR_MS);

/**
 * When a segment was captured. Dates have whole milliseconds.
 *
 * Before it has a whole segment of sound, hls.js 1.7 moves the list of sound at each reload by what its dates differ from the durations, its own
 * and those of the picture. If a segment then starts behind the end of what is buffered, and the player has joined within the segment before, it
 * loads no sound until that segment has left the list of parts: the viewer stays six seconds behind. So the dates of sound differ by exactly the
 * durations, and are so much before the picture's that no rounded edge is beyond the media's.
 */
function programDate({ capturedAtMs, decodeTicks }: LiveSegment, name: string, timescale: number): string {
  if (!SOUND_RENDITION.test(name)) return new Date(Math.ceil(capturedAtMs - FLOAT_ERROR_MS)).toISOString();
  const zeroMs = capturedAtMs - (decodeTicks * 1000) / timescale;
  const atMs = Math.floor(zeroMs + FLOAT_ERROR_MS) + laterEdgeMs(decodeTicks, timescale) - MOST_LATER_MS;
  return new Date(atMs).toISOString();
}

/** Epoch milliseconds have a precision of 0.0002. */
const FLOAT_ERROR_MS = 0.01;
/** How far a later edge may be beyond the media's, rounded up. */
const MOST_LATER_MS = 2;

function reportLine(other: LiveRendition, query: string): string[] {
  const last = lastPart(other);
  if (last === null || other.droppedFrom !== null) return [];
  const lastMsn = hlsNumberOf(last.msn);
  return [`#EXT-X-RENDITION-REPORT:URI="${other.name}.m3u8${query}",LAST-MSN=${lastMsn},LAST-PART=${last.part}`];
}

/** Five decimals represent a 90 kHz tick. */
const UNITS_PER_SECOND = 1e5;
/** Equal durations always give the same text. */
const seconds = (value: number): string => String(Number(value.toFixed(5)));
