import type { z } from "@hono/zod-openapi";
import { recordOf } from "../../platform/http/record.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import type { BatchView, ItemView } from "./batch-calls.ts";
import type { BatchRow } from "./repository.ts";
import { shownUrl } from "./shown-url.ts";
import type { ImportItem, ImportRecord } from "./schemas.ts";

const timestampOf = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? null : toTimestamp(new Date(ms));

/** @param view of the batch's object; null = as D1 has it, which may be some seconds old */
export function toImport(row: BatchRow, view: BatchView | null) {
  const { options, selection, settings, dryRun, publicUrl } = row.request;
  const { items: _, url, ...given } = options as Record<string, string>;
  const shown = { ...given, ...(url !== undefined && { url: shownUrl(url) ?? "" }) };
  return recordOf<z.output<typeof ImportRecord>>({
    id: row.id,
    status: view?.state ?? row.state,
    source: { type: row.source, ...shown },
    selection,
    settings: settings as unknown as z.output<typeof ImportRecord>["settings"], // as the schema has checked them
    dryRun,
    credentialId: row.credentialId,
    counts: view?.counts ?? (row.counts as z.output<typeof ImportRecord>["counts"]),
    problem: view === null ? row.problem : view.problem,
    scanned: view?.scanned ?? null,
    preparedAtSource: view?.preparedAtSource ?? null,
    nextAttemptAt: timestampOf(view?.waitsUntilMs),
    itemsPerMinute: view?.itemsPerMinute ?? null,
    secondsLeft: view?.secondsLeft ?? null,
    reportUrl: `${publicUrl}/v1/imports/${row.id}/report`,
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
    startedAt: timestampOf(view === null ? row.startedAt?.getTime() : view.startedAtMs),
    completedAt: timestampOf(view === null ? row.completedAt?.getTime() : view.completedAtMs),
  });
}

export const toItem = (item: ItemView) =>
  recordOf<z.output<typeof ImportItem>>({
    sourceId: item.sourceId,
    title: item.title,
    sourceUrl: item.sourceUrl,
    status: item.status,
    mediaId: item.mediaId,
    playbackId: item.playbackId,
    oldPlaybackIds: item.oldPlaybackIds,
    durationMs: item.durationMs === null ? null : Math.round(item.durationMs),
    bytes: item.bytes,
    error: item.error,
    differences: item.differences,
    updatedAt: toTimestamp(new Date(item.updatedAtMs)),
  });
