import type { ReportFacts } from "../batches/batch-calls.ts";
import type { BatchRow } from "../batches/repository.ts";
import { toImport } from "../batches/to-import.ts";
import { estimateOf } from "./estimate.ts";
import type { ImportReport } from "./schemas.ts";

const OLD_FILES =
  "old addresses of MP4 files: they lead to files for download, which the new media have with the setting mp4Support only";

/** @param encoders of this deployment */
export function toReport(row: BatchRow, facts: ReportFacts, encoders: number): ImportReport {
  const { totals, view, order } = facts;
  const { pace, changesAtSource, neverKept, missing } = facts.source;
  const estimate = estimateOf(totals, order.settings, { encoders, pace, ordersFiles: changesAtSource });
  const { onceUsd, monthlyUsd, storedBytes, totalSeconds, encodingSeconds, sourceSeconds } = estimate;
  return {
    import: toImport(row, view),
    found: {
      videos: totals.videos,
      hours: Math.round(estimate.hours * 100) / 100,
      isHoursEstimated: estimate.isHoursEstimated,
      sourceBytes: estimate.sourceBytes,
      isBytesEstimated: estimate.isBytesEstimated,
      policies: totals.policies,
      resolutions: Object.fromEntries(
        Object.entries(totals.heights).map(([height, { videos }]) => [
          height === "unknown" ? height : `${height}p`,
          videos,
        ]),
      ),
      captions: totals.captions,
      captionsUnknown: totals.captionsUnknown,
      furtherAudioTracks: totals.audioTracks,
      withChapters: totals.chapters,
      playbackIds: totals.playbackIds,
      repeated: totals.repeated,
      alreadyImported: totals.alreadyImported,
    },
    estimate: { onceUsd, monthlyUsd, storedBytes, totalSeconds, encodingSeconds, sourceSeconds },
    missingPermissions: missing.map(({ permission, message }) => ({ permission, message })),
    lost: [
      ...neverKept.map((what) => ({ what })),
      ...(order.settings.mp4Support === "none" && totals.playbackIds > 0 ? [{ what: OLD_FILES }] : []),
      ...Object.entries(totals.losses)
        .toSorted(([, one], [, other]) => other - one)
        .map(([what, videos]) => ({ what, videos })),
    ],
    sampled: facts.sampled,
    obstacles: facts.obstacles.map(({ title, ...rest }) => ({ ...rest, ...(title === null ? {} : { title }) })),
    reasons: facts.reasons,
    differences: facts.differences,
  };
}
