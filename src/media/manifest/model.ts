import type { SegmentList } from "../types.ts";

/** One rendition as manifests see it: a row of `renditions`. */
export interface Rendition {
  name: string;
  kind: "video" | "audio";
  origin: "ladder" | "passthrough";
  isWhole: boolean;
  isTopRung: boolean;
  codec: string;
  widthPx: number | null;
  heightPx: number | null;
  frameRateNum: number | null;
  frameRateDen: number | null;
  channels: number | null;
  languageCode: string | null;
  languageName: string | null;
  isDefault: boolean;
  timescale: number;
  initBytes: number;
  segments: SegmentList;
}

type Optional =
  | "isTopRung"
  | "widthPx"
  | "heightPx"
  | "frameRateNum"
  | "frameRateDen"
  | "channels"
  | "languageCode"
  | "languageName"
  | "isDefault";

/** What is stored of a rendition, without its asset's id; what is left out has no value. */
export type RenditionFacts = Omit<Rendition, Optional> & { [Name in Optional]?: Rendition[Name] | undefined };

/** What the catalogue knows about an asset, as far as its manifests depend on it. */
export interface ManifestFacts {
  status: "processing" | "ready" | "errored";
  createdAtMs: number;
  /** How many tracks of each kind the source has; a presentation does not start without them. */
  videoTrackCount: number;
  audioTrackCount: number;
  renditions: Rendition[];
}

/** What a player is offered at one moment. */
export interface Presentation {
  /** False: every playlist still grows, and none says that it ends. */
  isComplete: boolean;
  /** Pictures in sets whose segments begin together: a player may change at any segment within a set only. */
  videoSets: Rendition[][];
  audio: Rendition[];
  /** All playlists end here while they grow; the end of the longest one when complete. */
  endSeconds: number;
  createdAtMs: number;
}

/**
 * Which renditions are offered, and how. While an asset is processed: the source as it is (passthrough) with every rung
 * that is whole; without passthrough the whole rungs, or failing these the growing ones, all to the same moment.
 * Of a ready asset the ladder alone, with the source on top when it is cut on the ladder's grid.
 *
 * @returns null when there is nothing to play (yet)
 */
export function presentationOf(facts: ManifestFacts): Presentation | null {
  const { status, createdAtMs, videoTrackCount, audioTrackCount, renditions } = facts;
  if (status === "errored") return null;
  const whole = renditions.filter((rendition) => rendition.isWhole);
  const complete = presentWhole(whole, facts);
  if (complete) return { isComplete: true, createdAtMs, ...complete };

  const growing = renditions.filter((rendition) => rendition.origin === "ladder");
  const audio = growing.filter((rendition) => rendition.kind === "audio");
  const video = growing.filter((rendition) => rendition.kind === "video");
  if (growing.length === 0 || audio.length < audioTrackCount || (video.length === 0 && videoTrackCount > 0))
    return null;
  const endSeconds = Math.min(...growing.map(secondsOf));
  if (growing.some((rendition) => segmentsUntil(rendition, endSeconds) === 0)) return null;
  return { isComplete: false, createdAtMs, videoSets: video.length > 0 ? [video] : [], audio, endSeconds };
}

function presentWhole(whole: Rendition[], { status, videoTrackCount, audioTrackCount }: ManifestFacts) {
  const of = (kind: string, origin: string) => whole.filter((row) => row.kind === kind && row.origin === origin);
  const ladder = of("video", "ladder");
  const sources = of("video", "passthrough");
  const ladderAudio = of("audio", "ladder");
  const sourceAudio = of("audio", "passthrough");
  // One set of sound for every picture: sound and pictures of both origins start at 0, and a change of rung must not change the sound.
  const expected = status === "ready" ? 0 : audioTrackCount; // of a ready asset everything is there that will ever be
  const wanted = Math.max(expected, status === "ready" ? 0 : sourceAudio.length);
  const audio = ladderAudio.length > 0 && ladderAudio.length >= wanted ? ladderAudio : sourceAudio;
  if (audio.length < expected) return null;

  const topRungs = sources.filter((row) => row.isTopRung);
  const rungs = [...topRungs, ...ladder];
  const apart = status === "ready" && rungs.length > 0 ? [] : sources.filter((row) => !row.isTopRung);
  const videoSets = [apart, rungs].filter((set) => set.length > 0);
  if (videoSets.length === 0 && audio.length === 0) return null;
  if (videoSets.length === 0 && videoTrackCount > 0 && status !== "ready") return null; // the picture is on its way
  return { videoSets, audio, endSeconds: Math.max(...[...videoSets.flat(), ...audio].map(secondsOf)) };
}

/** One rendition as a media playlist tells of it. */
export interface MediaList {
  rendition: Rendition;
  isComplete: boolean;
  segmentCount: number;
  /** Of every segment told of, as the playlist has it. */
  durationTicks: number[];
}

/**
 * The segments of one rendition that may be told of now. A rendition that is no longer offered goes on for those who
 * play it: whole ones always, growing ones to the moment up to which their like has grown.
 */
export function mediaListOf(facts: ManifestFacts, name: string): MediaList | null {
  const rendition = facts.renditions.find((row) => row.name === name);
  const presentation = presentationOf(facts);
  if (rendition === undefined || presentation === null) return null;
  if (rendition.isWhole && presentation.isComplete) {
    const segmentCount = rendition.segments.bytes.length;
    return { rendition, isComplete: true, segmentCount, durationTicks: alignEnd(rendition, facts.renditions) };
  }
  const growing = facts.renditions.filter((row) => row.origin === "ladder" && !row.isWhole);
  const endSeconds = Math.min(...[...growing, rendition].map(secondsOf));
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
 * The ladder's last segments tell of the source's end where they end a frame or so later: a player that changes from a
 * longer playlist to a shorter one may wait at the end for what never comes. The source's own playlist cannot be the one
 * to give way, as it was served before there was a ladder.
 */
function alignEnd(rendition: Rendition, all: Rendition[]): number[] {
  const { durationTicks } = rendition.segments;
  const source = all.find((row) => row.origin === "passthrough" && row.kind === "video" && row.isWhole);
  const last = durationTicks.at(-1);
  if (source === undefined || rendition.origin === "passthrough" || last === undefined) return durationTicks;
  const surplusTicks = Math.ceil((secondsOf(rendition) - secondsOf(source)) * rendition.timescale);
  return surplusTicks > 0 && surplusTicks < last ? [...durationTicks.slice(0, -1), last - surplusTicks] : durationTicks;
}

/** Sound is cut at the frame nearest to the picture's cut, so ends differ by less than this, in seconds. */
const CUT_TOLERANCE_SECONDS = 0.2;

/** How many segments end by a moment. */
export function segmentsUntil({ segments, timescale }: Rendition, endSeconds: number): number {
  let ticks = 0;
  let count = 0;
  for (const duration of segments.durationTicks) {
    ticks += duration;
    if (ticks / timescale > endSeconds + CUT_TOLERANCE_SECONDS) break;
    count += 1;
  }
  return count;
}

export const secondsOf = ({ segments, timescale }: Rendition) =>
  segments.durationTicks.reduce((sum, ticks) => sum + ticks, 0) / timescale;

/** What a viewer reads in the menu of sound tracks. */
export const trackLabel = ({ languageCode, languageName }: Rendition, position: number) =>
  languageName === null || languageCode === null || languageCode === "und" ? `Audio ${position + 1}` : languageName;
