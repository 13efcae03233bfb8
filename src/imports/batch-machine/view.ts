import type { BatchView, ItemState, ItemView, ReportFacts } from "../batches/batch-calls.ts";
import { NO_TOTALS } from "../report/totals.ts";
import { shownUrl } from "../batches/shown-url.ts";
import { shownProblem } from "./announce.ts";
import type { BatchComponents } from "./components.ts";
import type { Item } from "./item.ts";
import { quietUntilMs } from "./wait.ts";

/** The throughput is that of so long. */
const PULSE_MS = 5 * 60_000;
const LEAST_PULSE_MS = 20_000;

export function viewOf(batch: BatchComponents): BatchView {
  const { state, items, documents, scan } = batch;
  const { counts } = items;
  const perMinute = state.status === "running" ? itemsPerMinute(batch) : null;
  const open = counts.pending + counts.submitted;
  return {
    state: state.status,
    counts,
    scanned: scan.read,
    preparedAtSource: items.ordered,
    problem: shownProblem(batch),
    waitsUntilMs: quietUntilMs(batch),
    itemsPerMinute: perMinute,
    secondsLeft: perMinute === null || perMinute === 0 ? null : Math.ceil((open / perMinute) * 60),
    startedAtMs: documents.get("startedAtMs") ?? null,
    completedAtMs: documents.get("completedAtMs") ?? null,
  };
}

/** Items that have ended. */
const endedOf = ({ items }: BatchComponents): number => {
  const { ready, failed, skipped } = items.counts;
  return ready + failed + skipped;
};

function itemsPerMinute(batch: BatchComponents): number | null {
  const nowMs = batch.clock();
  const [first] = recentPulse(batch, nowMs);
  if (first === undefined) return null;
  const sinceMs = nowMs - first.atMs;
  return sinceMs < LEAST_PULSE_MS ? null : Math.round(((endedOf(batch) - first.ended) / sinceMs) * 600_000) / 10;
}

/** Nobody notes it while the batch waits for its source. */
const recentPulse = ({ documents }: BatchComponents, nowMs: number) =>
  (documents.get("pulse") ?? []).filter(({ atMs }) => atMs > nowMs - PULSE_MS);

/** Notes how many items have ended, for the throughput. */
export function notePulse(batch: BatchComponents): void {
  const nowMs = batch.clock();
  const kept = recentPulse(batch, nowMs);
  const last = kept.at(-1);
  if (last !== undefined && nowMs - last.atMs < PULSE_MS / 20) return;
  batch.documents.put("pulse", [...kept, { atMs: nowMs, ended: endedOf(batch) }]);
}

export function itemsOf(
  { items }: BatchComponents,
  query: { status: ItemState | null; after: number; limit: number },
): ItemView[] {
  return items.page({ ...query, limit: Math.min(query.limit, 1000) }).map(toItemView);
}

export const unknownOf = ({ items }: BatchComponents, sourceIds: readonly string[]): string[] =>
  sourceIds.filter((id) => items.bySourceId(id) === null);

function toItemView({ seq, status, video, mediaId, playbackId, error, differences, updatedAtMs }: Item): ItemView {
  return {
    seq,
    sourceId: video.id,
    title: video.title,
    sourceUrl: shownUrl(video.ref["url"]),
    status,
    mediaId,
    playbackId,
    oldPlaybackIds: video.playbackIds.map(({ id }) => id),
    durationMs: video.durationMs,
    bytes: video.bytes,
    error,
    differences,
    updatedAtMs,
  };
}

const MAX_GROUPS = 100;
const MAX_OBSTACLES = 1000;

export function reportOf(batch: BatchComponents): ReportFacts {
  const { items, documents, order } = batch;
  const listed = items
    .page({ status: "failed", after: 0, limit: MAX_OBSTACLES })
    .filter(({ mediaId }) => mediaId === null)
    .map(({ video, error }) => ({
      sourceId: video.id,
      title: video.title,
      code: error?.code ?? "internal",
      message: error?.message ?? "",
    }));
  return {
    order,
    view: viewOf(batch),
    sampled: batch.scan.tried,
    totals: documents.get("totals") ?? NO_TOTALS,
    source: documents.get("source") ?? { pace: null, changesAtSource: false, neverKept: [], missing: [] },
    reasons: items.reasons(MAX_GROUPS),
    differences: items.differences(MAX_GROUPS),
    obstacles: [...(documents.get("sample") ?? []), ...(documents.get("repeats") ?? []), ...listed].slice(
      0,
      MAX_OBSTACLES,
    ),
  };
}
