/** What a migration will cost and how long it takes, out of what its scan has found. Pure. The formulas are those of docs/guides/costs.md. */
import { planLadder, type ResolutionLabel } from "../../../protocol/ladder.ts";
import type { BatchSettings, DryRunTotals } from "../batches/batch-calls.ts";
import type { SourcePace } from "../sources/source.ts";

/** Measured with a minute of 1080p (docs/guides/costs.md, On-demand video). */
const MEASURED = { cpuSeconds: 101, awakeSeconds: 30, renditionBytes: 28e6, sourceBytes: 31e6, objects: 83 };
/** List prices of November 2026, in dollars, without what a plan includes. */
const PRICE = {
  cpuSecond: 0.00002,
  awakeSecond: 12 * 0.0000025 + 20 * 0.00000007,
  storedGbMonth: 0.015,
  millionWrites: 4.5,
};
/** A video whose duration the source does not say. */
const USUAL_DURATION_MS = 5 * 60_000;
/** Calls of a source for a video: the file, its captions. */
const CALLS = 3;
/** Until a file that is ordered is there. It is asked for each 10 s, and a short video is migrated in about a minute. */
const PREPARATION_SECONDS = 30;
/** Orders for a video, where its file must be ordered or opened: the order, and the one that takes it back. */
const ORDERS = 2;

export interface Estimate {
  hours: number;
  /** Durations are missing, so the rest is estimated with 5 min a video. */
  isHoursEstimated: boolean;
  sourceBytes: number;
  isBytesEstimated: boolean;
  /** Dollars at list prices, without what the plan includes. */
  onceUsd: number;
  monthlyUsd: number;
  storedBytes: number;
  encodingSeconds: number;
  sourceSeconds: number;
  totalSeconds: number;
}

export function estimateOf(
  totals: DryRunTotals,
  settings: BatchSettings,
  { encoders, pace, ordersFiles }: { encoders: number; pace: SourcePace | null; ordersFiles: boolean },
): Estimate {
  const missingMs = totals.withoutDuration * USUAL_DURATION_MS;
  const minutes = (totals.durationMs + missingMs) / 60_000;
  const work = weightedMinutes(totals, settings);
  const withBytes = Math.max(0, totals.videos - totals.withoutBytes);
  const perVideo =
    withBytes > 0 ? totals.bytes / withBytes : totals.videos > 0 ? (minutes / totals.videos) * MEASURED.sourceBytes : 0;
  const sourceBytes = totals.bytes + totals.withoutBytes * perVideo;
  const storedBytes = sourceBytes + work * MEASURED.renditionBytes;
  const onceUsd =
    work * MEASURED.cpuSeconds * PRICE.cpuSecond +
    work * MEASURED.awakeSeconds * PRICE.awakeSecond +
    (work * MEASURED.objects * PRICE.millionWrites) / 1e6;
  const encodingSeconds = (work * MEASURED.awakeSeconds) / Math.max(1, encoders);
  const sourceSeconds =
    pace === null
      ? 0
      : Math.max(
          (totals.videos * CALLS) / pace.readsPerSecond,
          ordersFiles ? (totals.videos * ORDERS) / pace.writesPerSecond : 0,
        );
  return {
    hours: minutes / 60,
    isHoursEstimated: totals.withoutDuration > 0,
    sourceBytes: Math.round(sourceBytes),
    isBytesEstimated: totals.withoutBytes > 0,
    onceUsd: Math.round(onceUsd * 100) / 100,
    monthlyUsd: Math.round((storedBytes / 1e9) * PRICE.storedGbMonth * 100) / 100,
    storedBytes: Math.round(storedBytes),
    encodingSeconds: Math.ceil(encodingSeconds),
    sourceSeconds: Math.ceil(sourceSeconds),
    totalSeconds: Math.ceil(
      Math.max(encodingSeconds, sourceSeconds, ordersFiles ? firstSeconds(totals.videos, work) : 0),
    ),
  };
}

/** What a video takes whose file is ordered: its preparation, and an encode of the average length, or that of the minute that was measured. */
const firstSeconds = (videos: number, work: number): number =>
  videos === 0 ? 0 : PREPARATION_SECONDS + Math.max(MEASURED.awakeSeconds, (work / videos) * MEASURED.awakeSeconds);

/** Minutes of 1080p that cost as much to encode, by the pixels of their ladders. A size that is unknown counts as 1080p. */
function weightedMinutes(totals: DryRunTotals, settings: BatchSettings): number {
  const reference = pixelsOf(1080, "1080p", settings);
  return Object.entries(totals.heights).reduce((sum, [height, { videos, durationMs }]) => {
    const missingMs = totals.videos === 0 ? 0 : (totals.withoutDuration * USUAL_DURATION_MS * videos) / totals.videos;
    const pixels = pixelsOf(height === "unknown" ? 1080 : Number(height), settings.maxResolution, settings);
    return sum + ((durationMs + missingMs) / 60_000) * (pixels / reference);
  }, 0);
}

const pixelsOf = (heightPx: number, max: ResolutionLabel, { mediaQuality }: BatchSettings): number =>
  planLadder({ widthPx: Math.round((heightPx * 16) / 9), heightPx }, { num: 30, den: 1 }, max, mediaQuality).reduce(
    (sum, rung) => sum + rung.widthPx * rung.heightPx,
    0,
  );
