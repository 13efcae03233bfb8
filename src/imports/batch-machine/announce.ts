import type { BatchProblem, BatchState } from "../batches/batch-calls.ts";
import type { FailedItem } from "./batch-message.ts";
import type { BatchComponents } from "./components.ts";
import { shownUrl } from "../batches/shown-url.ts";
import { forgetFailures } from "./forget-failures.ts";
import type { BatchSignal } from "./moves.ts";

/** The address of a batch's report. It needs the credentials of the API. */
export const reportUrlOf = ({ publicUrl, batchId }: { publicUrl: string; batchId: string }) =>
  `${publicUrl}/v1/imports/${batchId}/report`;

interface Announced {
  /** The event; null = none. */
  type?: string | null;
  /** The state after the move that this is the commit of. */
  state?: BatchState;
}

/** Enqueues the batch's record for D1, with an event if there is one. Call it in the commit of the change. */
export function announceState(batch: BatchComponents, { type = null, state }: Announced = {}): void {
  const { documents, outbox, timers, clock } = batch;
  const revision = (documents.get("revision") ?? 0) + 1;
  documents.put("revision", revision);
  const nowMs = clock();
  if (type !== null) documents.put("announcedAtMs", nowMs);
  outbox.enqueue({
    kind: "record",
    payload: {
      revision,
      atMs: nowMs,
      state: state ?? batch.state.status,
      counts: batch.items.counts,
      problem: shownProblem(batch),
      credentialId: batch.order.credentialId,
      formerCredentialId: documents.get("formerCredential") ?? null,
      completedAtMs: documents.get("completedAtMs") ?? null,
      event: type === null ? null : { type, failed: type === COMPLETED ? firstFailed(batch) : [] },
    },
  });
  timers.bringForward("outbox", nowMs);
}

/** Why the batch waits or was paused; else what its scan could not read. */
export const shownProblem = ({ documents }: BatchComponents): BatchProblem | null =>
  documents.get("problem") ?? documents.get("scanProblem") ?? null;

/** Moves the batch and enqueues its record, as one commit. @returns false when its state does not accept the signal */
export const moveBatch = (batch: BatchComponents, signal: BatchSignal, also: () => void = () => {}): boolean =>
  batch.state.move(signal, (type, state) => {
    also();
    announceState(batch, { type, state });
  });

/**
 * Each item has its end: `migration.batch.completed`, once for a batch. When a batch that was run again ends, `show` announces progress once a minute
 * has passed since the last event. Call it in the commit of the change.
 */
export function announceEnd(batch: BatchComponents, state: BatchState): void {
  const { documents, timers, clock } = batch;
  const isFirst = documents.get("isAnnounced") === undefined;
  documents.put("completedAtMs", clock());
  forgetFailures(batch);
  if (isFirst) documents.put("isAnnounced", true);
  else documents.put("owesProgress", true);
  announceState(batch, { type: isFirst ? COMPLETED : null, state });
  timers.bringForward("show", clock());
  batch.source = null; // with the credentials that it was opened with
}

export const COMPLETED = "migration.batch.completed";

/** Failed items in an event. */
const MAX_FAILED = 100;
/** An id or a message may be long, and an event is a row of D1. */
const MAX_TEXT = 500;

/** Those that failed, and behind them those that were cancelled: `counts.failed` has both. */
function firstFailed({ items }: BatchComponents): FailedItem[] {
  const failed = items.page({ status: "failed", after: 0, limit: MAX_FAILED });
  const cancelled = items.page({ status: "cancelled", after: 0, limit: MAX_FAILED - failed.length });
  return [...failed, ...cancelled].map(({ video, error }) => {
    const sourceUrl = shownUrl(video.ref["url"]);
    return {
      sourceId: video.id.slice(0, MAX_TEXT),
      ...(sourceUrl === null ? {} : { sourceUrl: sourceUrl.slice(0, MAX_TEXT) }),
      error: { code: error?.code ?? "internal", message: (error?.message ?? "").slice(0, MAX_TEXT) },
    };
  });
}
