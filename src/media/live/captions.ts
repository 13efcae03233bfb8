/** Captions of a live session, cut by the parts of its picture. Pure. */
import type { Cue } from "../captions/cue.ts";
import { segmentHeader } from "../captions/segments.ts";
import { vttBlock } from "../captions/write.ts";
import { languageName } from "../languages.ts";
import { type LiveRendition, type LiveSegment, segmentAt } from "./timeline.ts";

export interface CaptionChannel {
  /** Name of its rendition: "cc1", "service2", "teletext888". */
  name: string;
  /** BCP 47; "und" when the source does not say it. */
  languageCode: string;
  /** Subtitles for viewers who hear the sound. Absent: captions, for those who do not. */
  isSubtitle?: true;
}

const [PRIMARY_608, PRIMARY_708] = ["cc1", "service1"];

/** Both standards define a primary channel, so broadcasts carry the same captions twice. @returns channels without the second one */
export const withoutRepeats = (channels: readonly CaptionChannel[]): CaptionChannel[] =>
  channels.filter(({ name }) => name !== PRIMARY_708 || channels.every((other) => other.name !== PRIMARY_608));

/** What players list for a channel whose language is not known, such as "CC1" or "Teletext 888". */
export const channelLabel = (name: string): string =>
  name.startsWith("teletext") ? name.replace("teletext", "Teletext ") : name.toUpperCase();

/** What players list, as for on-demand media: the language, or the channel ("CC1"). Names are unique within a group. */
export function captionLabels(channels: readonly CaptionChannel[]): (CaptionChannel & { label: string })[] {
  const seen = new Map<string, number>();
  return channels.map((channel) => {
    const { name, languageCode } = channel;
    const label = languageCode === "und" ? channelLabel(name) : languageName(languageCode);
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return { ...channel, label: count === 1 ? label : `${label} ${count}` };
  });
}

/** What the captions of one channel add to the rate of a variant: roll-up captions, whose text is repeated as it grows. */
export const CAPTIONS_BPS = 16_000;

/** Appends the cues of a later part. A caption that is shown in both is one cue. */
export function joinCues(cues: readonly Cue[], later: readonly Cue[]): Cue[] {
  const joined = [...cues];
  for (const cue of later) {
    const last = joined.at(-1);
    const isSame = last?.endMs === cue.startMs && last.text === cue.text && last.settings === cue.settings;
    if (isSame) joined[joined.length - 1] = { ...last, endMs: cue.endMs };
    else joined.push(cue);
  }
  return joined;
}

/** What is shown during a part of the segment, cut at its ends: the end of a caption that is still shown is not known. */
export const cuesBetween = (cues: readonly Cue[], startMs: number, endMs: number): Cue[] =>
  cues
    .map((cue) => ({ ...cue, startMs: Math.max(cue.startMs, startMs), endMs: Math.min(cue.endMs, endMs) }))
    .filter((cue) => cue.startMs < cue.endMs);

/** A segment or part as WebVTT. Cue times are those of the media: decode times of CMAF (RFC 8216 §3.5). */
export const liveText = (cues: readonly Cue[]): string => `${segmentHeader()}${cues.map(vttBlock).join("")}`;

/**
 * Start and end of a part on the session's timeline; null when the part is not known.
 *
 * @param timescale ticks per second of the result
 */
export function partTimes(
  rendition: LiveRendition,
  msn: number,
  part: number,
  timescale: number,
): { start: number; end: number } | null {
  const segment = segmentAt(rendition, msn);
  const [start, end] = segment === null ? [] : partEdges(segment, rendition.timescale, timescale).slice(part);
  return start === undefined || end === undefined ? null : { start, end };
}

/** Where the segment's parts begin on the session's timeline, and where the last one ends. In ticks of `timescale` */
export function partEdges({ decodeTicks, parts }: LiveSegment, ownTimescale: number, timescale: number): number[] {
  let ticks = decodeTicks;
  const edges = [decodeTicks, ...parts.map(({ durationTicks }) => (ticks += durationTicks))];
  return edges.map((edge) => Math.round((timescale * edge) / ownTimescale));
}

/**
 * The cues of a segment as its parts have them. A player that reads the segment after its parts recognizes a cue it has by its times and
 * text (hls.js), and shows one that was cut elsewhere a second time.
 */
export const cutAtParts = (cues: readonly Cue[], edgesMs: readonly number[]): Cue[] =>
  edgesMs.slice(1).flatMap((endMs, part) => cuesBetween(cues, edgesMs[part]!, endMs));

/** Whether captions can still be added to the segment: the picture's segment is not complete. */
export const isOpen = ({ segments }: LiveRendition, msn: number): boolean => {
  const last: LiveSegment | undefined = segments.at(-1);
  return last === undefined || msn > last.msn || (msn === last.msn && !last.isWhole);
};
