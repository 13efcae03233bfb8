import { hlsNumberOf } from "./hls-numbers.ts";
import {
  discontinuitiesBefore,
  lastPart,
  type LiveRendition,
  type LiveSegment,
  type LiveTiming,
  nextPart,
  segmentSeconds,
} from "./timeline.ts";

/** A delta update leaves out what is older than this many target durations (at least 6, RFC 8216bis §4.4.3.8). */
const SKIP_AFTER_TARGETS = 6;
/** How far from the end a player begins: in target durations and in part targets (at least 3; 2, better 3). */
const HOLD_BACK_TARGETS = 3;
const HOLD_BACK_PARTS = 3;
/** Parts stay listed for this many target durations from the end (§4.4.4.9). */
const PARTS_FOR_TARGETS = 3;

export interface LivePlaylist {
  /** The window as it is offered (see `windowed`). */
  rendition: LiveRendition;
  timing: LiveTiming;
  /** The other renditions of the session, for reports. */
  others: LiveRendition[];
  /** The player has the playlist and asks for what has changed. */
  isDelta: boolean;
  /** Of the playlist's own address, so that reports lead to playlists of the same kind. */
  query?: string;
  /** No segment is ever removed from it (RFC 8216bis §4.4.3.5). Parts may be: §6.2.1 excepts them. */
  isEvent?: boolean;
  /** Of a delta update: segments before the rendition's first that are listed too. All of them are skipped. */
  older?: { segments: number; discontinuities: number };
}

/** The playlist of one rendition of a live session (RFC 8216bis). URIs are relative to the playlist's own. */
export function livePlaylist({
  rendition: all,
  timing,
  others,
  isDelta,
  query = "",
  isEvent = false,
  older,
}: LivePlaylist): string {
  const rendition = timing.partTargetMs === null ? wholeOnly(all) : all;
  const { segments, timescale, hasEnded, name } = rendition;
  const { targetDurationSeconds, partTargetMs } = timing;
  const isLowLatency = partTargetMs !== null;
  const skipped = isDelta && !hasEnded ? firstWithin(rendition, SKIP_AFTER_TARGETS * targetDurationSeconds) : 0;
  const firstWithParts = firstWithin(rendition, PARTS_FOR_TARGETS * targetDurationSeconds);
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
  ];
  let initVersion = skipped > 0 ? segments[skipped - 1]!.initVersion : null;
  for (let index = skipped; index < segments.length; index += 1) {
    const segment = segments[index]!;
    if (segment.isDiscontinuous) lines.push("#EXT-X-DISCONTINUITY");
    if (segment.initVersion !== initVersion) lines.push(`#EXT-X-MAP:URI="${name}/init-${segment.initVersion}.mp4"`);
    initVersion = segment.initVersion;
    lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(segment.capturedAtMs).toISOString()}`);
    if (isLowLatency && index >= firstWithParts && !segment.isGap) lines.push(...partLines(segment, name, timescale));
    if (segment.isWhole) lines.push(...segmentLines(segment, name, timescale));
  }
  const next = nextPart(rendition);
  const isComing = next !== null && (rendition.droppedFrom === null || next.msn < rendition.droppedFrom);
  if (isLowLatency && isComing) lines.push(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${name}/${next.msn}.${next.part}.m4s"`);
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

/** Whether a delta update of these segments skips some: then it says nothing of older ones but how many there are. */
export const skipsSegments = (rendition: LiveRendition, { targetDurationSeconds }: LiveTiming): boolean =>
  !rendition.hasEnded && firstWithin(rendition, SKIP_AFTER_TARGETS * targetDurationSeconds) > 0;

/** The first segment that ends no more than so many seconds before the end of the playlist, parts of an unfinished segment included. */
function firstWithin({ segments, timescale }: LiveRendition, seconds: number): number {
  let distance = 0;
  let first = segments.length;
  while (first > 0 && distance <= seconds) {
    first -= 1;
    distance += segmentSeconds(segments[first]!, timescale);
  }
  return first;
}

function partLines({ msn, parts }: LiveSegment, name: string, timescale: number): string[] {
  return parts.map(
    ({ durationTicks, isIndependent }, part) =>
      `#EXT-X-PART:DURATION=${seconds(durationTicks / timescale)},URI="${name}/${msn}.${part}.m4s"${isIndependent ? ",INDEPENDENT=YES" : ""}`,
  );
}

function segmentLines(segment: LiveSegment, name: string, timescale: number): string[] {
  const inf = `#EXTINF:${seconds(segmentSeconds(segment, timescale))},`;
  return [...(segment.isGap ? ["#EXT-X-GAP"] : []), inf, `${name}/${segment.msn}.m4s`];
}

function reportLine(other: LiveRendition, query: string): string[] {
  const last = lastPart(other);
  if (last === null) return [];
  const lastMsn = hlsNumberOf(last.msn);
  return [`#EXT-X-RENDITION-REPORT:URI="${other.name}.m3u8${query}",LAST-MSN=${lastMsn},LAST-PART=${last.part}`];
}

/** At most five decimals: enough for a tick of 90 kHz, and the same text for the same duration always. */
const seconds = (value: number): string => String(Number(value.toFixed(5)));
