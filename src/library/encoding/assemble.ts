import type { AudioResult, InitFacts, SegmentFacts, VideoResult } from "../../../protocol/jobs.ts";
import type { RenditionFacts } from "../../media/manifest/model.ts";
import type { SegmentList } from "../../media/types.ts";
import { languageName, languageTag } from "../../media/languages.ts";
import { preferredSound } from "../../media/manifest/model.ts";
import type { JobRow } from "./job-store.ts";
import type { EncodingPlan } from "./plan.ts";

export type RenditionRow = RenditionFacts & { assetId: string };

/** Chunks of one rendition do not fit together. An internal fault; players never see the rendition. */
export class ChunkMismatchError extends Error {}

interface Assembled {
  timescale: number;
  init: InitFacts;
  segments: SegmentFacts[];
  isWhole: boolean;
  channels?: number;
}

const toList = (segments: SegmentFacts[]): SegmentList => ({
  durationTicks: segments.map((segment) => segment.durationTicks),
  bytes: segments.map((segment) => segment.bytes),
  keyframes: segments.map((segment) => segment.keyframes),
});

/** The finished chunks from the start, up to the first missing one or the one in which the source ended. */
function videoPrefix(
  plan: NonNullable<EncodingPlan["video"]>,
  jobs: JobRow[],
): { results: VideoResult[]; isWhole: boolean } {
  const results: VideoResult[] = [];
  for (const [position, chunk] of plan.chunks.entries()) {
    const job = jobs.find(({ spec }) => spec.kind === "video" && spec.chunk === position);
    if (job?.result?.kind !== "video") return { results, isWhole: false };
    results.push(job.result);
    if (job.result.frameCount < chunk.frameCount) break; // the source ends here; later chunks lie beyond its end
  }
  return { results, isWhole: jobs.every(({ spec, state }) => spec.kind !== "video" || state === "done") };
}

function assembleRung(name: string, results: VideoResult[], isWhole: boolean): Assembled | null {
  const parts = results.flatMap((result) =>
    result.renditions.filter((rendition) => rendition.name === name && rendition.segments.length > 0),
  );
  const first = parts[0];
  if (first === undefined) return null;
  const odd = parts.find((part) => part.init.sha256 !== first.init.sha256 || part.timescale !== first.timescale);
  if (odd !== undefined) throw new ChunkMismatchError(`chunks of ${name} have different init segments`);
  return { timescale: first.timescale, init: first.init, segments: parts.flatMap((part) => part.segments), isWhole };
}

function assembleAudio(job: JobRow | undefined): Assembled | null {
  if (job?.result?.kind === "audio") return { ...job.result.rendition, channels: job.result.channels, isWhole: true };
  if (!job?.partial || job.partial.segments.length === 0) return null;
  return { ...job.partial, isWhole: false };
}

/**
 * Assembles the rows from which manifests are rendered, out of the jobs' reports so far.
 *
 * @param showGrowing also lists renditions that are not whole, for a source without passthrough. They all end at the same segment, so that
 *   audio and video grow together
 */
export function assembleRenditions(
  assetId: string,
  plan: EncodingPlan,
  jobs: JobRow[],
  showGrowing: boolean,
): RenditionRow[] {
  const video = plan.video;
  const prefix = video ? videoPrefix(video, jobs) : { results: [], isWhole: true };
  const rungs = (video?.rungs ?? []).map((rung) => ({
    rung,
    made: assembleRung(rung.name, prefix.results, prefix.isWhole),
  }));
  const sounds = plan.audio.map((planned, track) => ({
    planned,
    made: assembleAudio(jobs.find(({ spec }) => spec.kind === "audio" && spec.track === track)),
  }));

  const all = [...rungs, ...sounds].map(({ made }) => made);
  const nothingIsMissing = all.every((made) => made !== null);
  const shown = nothingIsMissing && showGrowing ? Math.min(...all.map((made) => made?.segments.length ?? 0)) : 0;
  /** Audio is padded to the planned length; when the video ends earlier, audio is cut at the video's last segment. */
  const videoEnd = rungs[0]?.made?.segments.length ?? Number.POSITIVE_INFINITY;
  const cut = (made: Assembled) => ({ ...made, segments: made.segments.slice(0, made.isWhole ? videoEnd : shown) });
  /** Until the video is whole, whole audio must grow with it. */
  const everythingIsWhole = all.every((made) => made?.isWhole);
  const present = (made: Assembled | null): Assembled | null => {
    if (made === null) return null;
    if (showGrowing && !everythingIsWhole)
      return shown > 0 ? { ...made, isWhole: false, segments: made.segments.slice(0, shown) } : null;
    // Audio is done long before the video, whose end decides where audio is cut. A rendition that was listed as whole never changes.
    return made.isWhole && prefix.isWhole ? cut(made) : null;
  };

  const rows: RenditionRow[] = [];
  for (const { rung, made } of rungs) {
    const seen = present(made);
    if (!seen || !video) continue;
    rows.push({
      ...row(assetId, rung.name, "video", seen),
      widthPx: rung.widthPx,
      heightPx: rung.heightPx,
      frameRateNum: video.grid.frameRate.num,
      frameRateDen: video.grid.frameRate.den,
    });
  }
  const sources = plan.audio.map(({ audio }) => audio);
  const preferred = sources.find(({ isDefault }) => isDefault) ?? preferredSound(sources);
  for (const { planned, made } of sounds) {
    const seen = present(made);
    if (!seen) continue;
    rows.push({
      ...row(assetId, planned.rendition, "audio", seen),
      channels: seen.channels ?? 2,
      languageCode: languageTag(planned.audio.languageCode),
      languageName: planned.audio.title || languageName(planned.audio.languageCode),
      isDefault: planned.audio === preferred,
      isDescription: planned.audio.isDescription ?? false,
    });
  }
  return rows;
}

/**
 * The rendition of an added audio track. Its language and its name are those of the track.
 *
 * @param segments of a recording; null = those of the result
 */
export const trackRendition = (
  assetId: string,
  { rendition, channels }: AudioResult,
  segments: SegmentList | null,
): RenditionRow => ({
  ...row(assetId, rendition.name, "audio", { ...rendition, isWhole: true }),
  ...(segments === null ? {} : { segments }),
  origin: "track",
  channels,
});

function row(assetId: string, name: string, kind: "video" | "audio", made: Assembled): RenditionRow {
  return {
    assetId,
    name,
    kind,
    origin: "ladder",
    isWhole: made.isWhole,
    codec: made.init.codec,
    timescale: made.timescale,
    initBytes: made.init.bytes,
    segments: toList(made.segments),
  };
}
