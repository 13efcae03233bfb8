import { languageName } from "../languages.ts";
import type { SegmentList } from "../types.ts";

/** The columns of a `renditions` row that manifests depend on. */
export interface Rendition {
  name: string;
  kind: "video" | "audio";
  /** `track`: sound that was added to the asset. */
  origin: "ladder" | "passthrough" | "track";
  isWhole: boolean;
  isTopRung: boolean;
  /** Passthrough of an upload that is still coming in: the segments whose bytes are stored. Null = all. */
  arrivedSegments: number | null;
  codec: string;
  widthPx: number | null;
  heightPx: number | null;
  frameRateNum: number | null;
  frameRateDen: number | null;
  channels: number | null;
  languageCode: string | null;
  languageName: string | null;
  isDefault: boolean;
  /** Sound that describes the picture for viewers who do not see it. */
  isDescription: boolean;
  timescale: number;
  initBytes: number;
  segments: SegmentList;
}

type Optional =
  | "isTopRung"
  | "arrivedSegments"
  | "widthPx"
  | "heightPx"
  | "frameRateNum"
  | "frameRateDen"
  | "channels"
  | "languageCode"
  | "languageName"
  | "isDefault"
  | "isDescription";

/** A rendition as inserted, without its asset's id. Omitted properties are null. */
export type RenditionFacts = Omit<Rendition, Optional> & { [Name in Optional]?: Rendition[Name] | undefined };

/** A subtitle track that is offered. */
export interface TextTrack {
  id: string;
  /** In players' menus. */
  name: string;
  languageCode: string; // BCP 47
  isDefault: boolean;
  isForced: boolean;
  isClosedCaptions: boolean;
  /** Peak rate of the segments in HLS. */
  peakBps: number;
  averageBps: number;
  /** A part of the addresses of its segments, for a text that has replaced the first one; absent = the first one. */
  folder?: string | undefined;
  /** Its captions are those of another track: its files are served, and manifests do not list it. */
  isUnlisted?: boolean;
}

/** Where the segments of a subtitle track are, relative to its playlist. */
export const segmentsFolder = ({ id, folder }: Pick<TextTrack, "id" | "folder">): string =>
  folder === undefined ? id : `${id}/${folder}`;

/** The sound that players begin with: of several defaults, and of none, the first counts. */
export const preferredAudio = (audio: readonly Rendition[]): Rendition | undefined =>
  audio.find(({ isDefault }) => isDefault) ?? audio[0];

/** The default sound of a source that names none. */
export const preferredSound = <Sound extends { isDescription?: boolean | undefined }>(
  sounds: readonly Sound[],
): Sound | undefined => sounds.find(({ isDescription }) => isDescription !== true) ?? sounds[0];

/** The subtitles that players show without a choice of the viewer: of several defaults the first counts. */
export const preferredText = (text: readonly TextTrack[]): TextTrack | undefined =>
  text.find(({ isDefault }) => isDefault);

/** The catalogue's facts that an asset's manifests depend on. */
export interface ManifestFacts {
  status: "processing" | "ready" | "errored";
  createdAtMs: number;
  /** Track counts of the source. A presentation starts only when each track is available. */
  videoTrackCount: number;
  audioTrackCount: number;
  renditions: Rendition[];
  textTracks: TextTrack[];
}

/** The renditions offered to players at one time. */
export interface Presentation {
  /** False: all playlists still grow and none has an end marker. */
  isComplete: boolean;
  /** Video renditions in sets with aligned segments. Players can switch seamlessly only within a set. */
  videoSets: Rendition[][];
  audio: Rendition[];
  text: TextTrack[];
  /** The end of the subtitles' playlists. When they are complete, the end of the source or of the ladder, whichever was offered first. */
  textEndSeconds: number;
  /** The common end of growing playlists, or the end of the longest complete one. */
  endSeconds: number;
  createdAtMs: number;
}

/**
 * Selects the renditions to offer. While an asset is processed: the source itself (passthrough) and every whole rung. Without passthrough:
 * the whole rungs, or else the growing ones up to a common end; while a standard upload is coming in, the source as far as it has arrived. For a
 * ready asset: the ladder, with the source as its top rung when its segments lie on the ladder's grid.
 *
 * @returns null when nothing is playable (yet)
 */
export function presentationOf(facts: ManifestFacts): Presentation | null {
  const { status, createdAtMs, videoTrackCount, audioTrackCount, renditions, textTracks } = facts;
  const text = textTracks.filter(({ isUnlisted }) => isUnlisted !== true);
  if (status === "errored") return null;
  const whole = renditions.filter((rendition) => rendition.isWhole);
  const complete = presentWhole(whole, facts);
  if (complete) return { isComplete: true, createdAtMs, text, ...complete };

  const growing = renditions.filter((rendition) => rendition.origin === "ladder" || !rendition.isWhole);
  const audio = growing.filter((rendition) => rendition.kind === "audio");
  const video = growing.filter((rendition) => rendition.kind === "video");
  if (growing.length === 0 || audio.length < audioTrackCount || (video.length === 0 && videoTrackCount > 0))
    return null;
  const endSeconds = Math.min(...growing.map(listedSeconds));
  if (growing.some((rendition) => segmentsUntil(rendition, endSeconds) === 0)) return null;
  const videoSets = video.length > 0 ? [video] : [];
  return { isComplete: false, createdAtMs, videoSets, audio, text, textEndSeconds: endSeconds, endSeconds };
}

function presentWhole(whole: Rendition[], { status, videoTrackCount, audioTrackCount }: ManifestFacts) {
  const of = (kind: string, origin: string) => whole.filter((row) => row.kind === kind && row.origin === origin);
  const ladder = of("video", "ladder");
  const sources = of("video", "passthrough");
  const ladderAudio = of("audio", "ladder");
  const sourceAudio = of("audio", "passthrough");
  // One audio set for all video renditions: both origins start at 0, and switching rungs must not switch the audio.
  const expected = status === "ready" ? 0 : audioTrackCount; // a ready asset gets no further renditions
  const wanted = Math.max(expected, status === "ready" ? 0 : sourceAudio.length);
  const audio = ladderAudio.length > 0 && ladderAudio.length >= wanted ? ladderAudio : sourceAudio;
  if (audio.length < expected) return null;

  const topRungs = sources.filter((row) => row.isTopRung);
  const rungs = [...topRungs, ...ladder];
  const apart = status === "ready" && rungs.length > 0 ? [] : sources.filter((row) => !row.isTopRung);
  const videoSets = [apart, rungs].filter((set) => set.length > 0);
  if (videoSets.length === 0 && audio.length === 0) return null;
  if (videoSets.length === 0 && videoTrackCount > 0 && status !== "ready") return null; // the video is still to come
  const endSeconds = Math.max(...[...videoSets.flat(), ...audio].map(secondsOf));
  const source = sources[0] ?? sourceAudio[0];
  // Sound that was added is as long as the media, to within a frame of AAC.
  const added = audio.length > 0 || videoSets.length > 0 ? of("audio", "track") : [];
  const textEndSeconds = source === undefined ? endSeconds : secondsOf(source);
  return { videoSets, audio: [...audio, ...added], textEndSeconds, endSeconds };
}

/** The content of one rendition's media playlist. */
export interface MediaList {
  rendition: Rendition;
  isComplete: boolean;
  segmentCount: number;
  /** One duration per listed segment. */
  durationTicks: number[];
}

/**
 * The segments of one rendition to list now. A rendition that is no longer offered stays available to players that have started it: whole
 * ones permanently, growing ones up to the common end of the growing renditions.
 */
export function mediaListOf(facts: ManifestFacts, name: string): MediaList | null {
  const rendition = facts.renditions.find((row) => row.name === name);
  const presentation = presentationOf(facts);
  if (rendition === undefined || presentation === null) return null;
  if (rendition.isWhole && presentation.isComplete) {
    const segmentCount = rendition.segments.bytes.length;
    return { rendition, isComplete: true, segmentCount, durationTicks: alignEnd(rendition, facts.renditions) };
  }
  const growing = facts.renditions.filter((row) => !row.isWhole);
  const endSeconds = Math.min(...[...growing, rendition].map(listedSeconds));
  const segmentCount = segmentsUntil(rendition, endSeconds);
  if (segmentCount === 0) return null;
  return {
    rendition,
    isComplete: false,
    segmentCount,
    durationTicks: rendition.segments.durationTicks.slice(0, segmentCount),
  };
}

/**
 * Shortens a ladder rendition's last segment to the source's end when it ends about a frame later. A player that switches from a longer
 * playlist to a shorter one could otherwise stall at the end. The source's playlist cannot change, as it was served before the ladder.
 */
function alignEnd(rendition: Rendition, all: Rendition[]): number[] {
  const { durationTicks } = rendition.segments;
  const source = all.find((row) => row.origin === "passthrough" && row.kind === "video" && row.isWhole);
  const last = durationTicks.at(-1);
  if (source === undefined || rendition.origin === "passthrough" || last === undefined) return durationTicks;
  const surplusTicks = Math.ceil((secondsOf(rendition) - secondsOf(source)) * rendition.timescale);
  return surplusTicks > 0 && surplusTicks < last ? [...durationTicks.slice(0, -1), last - surplusTicks] : durationTicks;
}

/** Audio is cut at the frame nearest to the video's cut, so segment ends differ by less than this. */
const CUT_TOLERANCE_SECONDS = 0.2;

/** Number of segments that end by `endSeconds`. */
export function segmentsUntil({ segments, timescale, arrivedSegments }: Rendition, endSeconds: number): number {
  let ticks = 0;
  let count = 0;
  for (const duration of segments.durationTicks.slice(0, arrivedSegments ?? undefined)) {
    ticks += duration;
    if (ticks / timescale > endSeconds + CUT_TOLERANCE_SECONDS) break;
    count += 1;
  }
  return count;
}

/** The end of the segments that can be listed. */
const listedSeconds = ({ segments: { durationTicks }, timescale, arrivedSegments }: Rendition) =>
  durationTicks.slice(0, arrivedSegments ?? undefined).reduce((sum, ticks) => sum + ticks, 0) / timescale;

export const secondsOf = ({ segments, timescale }: Rendition) =>
  segments.durationTicks.reduce((sum, ticks) => sum + ticks, 0) / timescale;

/**
 * What players list the sounds as: their names, as the record of the media has them ("default" without any). Names are unique within a group
 * (RFC 8216 §4.3.4.1), so the second of the same name is "default 2".
 */
export function soundNames(sounds: readonly Pick<Rendition, "languageName">[]): string[] {
  const seen = new Map<string, number>();
  return sounds.map(({ languageName: stored }) => {
    const name = stored ?? languageName("und");
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}
