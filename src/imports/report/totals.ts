/** What a scan has found, summed up page by page. Pure. */
import type { ListedVideo } from "../sources/source.ts";
import type { BatchSettings, DryRunTotals } from "../batches/batch-calls.ts";
import { lossesOf } from "./losses.ts";

/** Kinds of losses that are told apart; the rest is one sum. */
const MAX_LOSSES = 50;
const REST = "other things";

export const NO_TOTALS: DryRunTotals = {
  videos: 0,
  durationMs: 0,
  withoutDuration: 0,
  bytes: 0,
  withoutBytes: 0,
  heights: {},
  policies: {},
  captions: 0,
  captionsUnknown: 0,
  audioTracks: 0,
  chapters: 0,
  playbackIds: 0,
  obstacles: {},
  repeated: 0,
  alreadyImported: 0,
  losses: {},
};

const LADDER_HEIGHTS = [480, 720, 1080, 1440, 2160];

/** The shorter edge of the smallest rung that holds a picture; "unknown" where the list does not say. */
function heightClass({ widthPx, heightPx }: Pick<ListedVideo, "widthPx" | "heightPx">): string {
  if (heightPx === null) return "unknown";
  const shortPx = Math.min(widthPx ?? heightPx, heightPx);
  return String(LADDER_HEIGHTS.find((height) => shortPx <= height) ?? 2160);
}

const increment = (counts: Record<string, number>, key: string, by = 1) => {
  counts[key] = (counts[key] ?? 0) + by;
};

/** Adds a video to the sums, which are changed. */
export function addVideo(sum: DryRunTotals, video: ListedVideo, settings: BatchSettings): void {
  if (video.obstacle !== null) return increment(sum.obstacles, video.obstacle.code);
  sum.videos += 1;
  sum.durationMs += video.durationMs ?? 0;
  sum.withoutDuration += video.durationMs === null ? 1 : 0;
  sum.bytes += video.bytes ?? 0;
  sum.withoutBytes += video.bytes === null ? 1 : 0;
  const height = (sum.heights[heightClass(video)] ??= { videos: 0, durationMs: 0 });
  height.videos += 1;
  height.durationMs += video.durationMs ?? 0;
  increment(sum.policies, video.policy);
  sum.captions += video.captions?.length ?? 0;
  sum.captionsUnknown += video.captions === null ? 1 : 0;
  sum.audioTracks += Math.max(0, (video.audioTracks ?? 1) - 1);
  sum.chapters += video.chapters.length > 0 ? 1 : 0;
  sum.playbackIds += video.playbackIds.length;
  for (const loss of lossesOf(video, settings))
    increment(sum.losses, loss in sum.losses || Object.keys(sum.losses).length < MAX_LOSSES ? loss : REST);
}
