import type { InsightForMachine } from "../../assets/asset-calls.ts";
import type { AssetError } from "../../assets/asset-error.ts";
import type { InsightEnd } from "../../insights/store/repository.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { leavePictures } from "./old-sheets.ts";
import { logFailed } from "../core/log-failed.ts";

const FRESH = { starts: 0, read: null, model: "", costMicroUsd: 0, tookMs: 0 } as const;

/** Takes over a request. Repeatable: one that is already in preparation goes on. Another request of the kind takes its place. */
export function takeInsight(machine: AssetComponents, insight: InsightForMachine): void {
  const { clock, documents, insights, state, timers } = machine;
  if (state.status === "deleted") return;
  machine.commit(() => {
    documents.put("name", insight.assetId);
    if (insights.get(insight.kind)?.requestId === insight.requestId) return;
    leaveInsight(machine, insight.kind);
    insights.put({ ...insight, ...FRESH, dueMs: clock() });
  });
  timers.bringForward("insights", clock());
}

/**
 * What was asked for is not wanted any more. Without effect when something else has been asked for since: calls may overtake each other.
 *
 * @param requestId absent = any request of the kind
 */
export function dropInsight(machine: AssetComponents, kind: string, requestId?: string): void {
  const known = machine.insights.get(kind);
  if (requestId !== undefined && known !== null && known.requestId !== requestId) return;
  machine.commit(() => leaveInsight(machine, kind));
  machine.timers.bringForward("insights", machine.clock());
}

/** Part of a commit: what was made so far is not needed any more. */
function leaveInsight(machine: AssetComponents, kind: string): void {
  const { pictures } = machine.insights.get(kind) ?? {};
  if (pictures) leavePictures(machine, pictures);
  machine.insights.remove(kind);
}

/**
 * The media or one of its subtitle tracks has ended, for which results may wait.
 *
 * @param atMs when the record of the media in D1 is expected to say so
 */
export function wakeInsights({ clock, insights, timers }: AssetComponents, atMs: number): void {
  const waiting = insights.all().filter(({ read }) => read === null);
  for (const insight of waiting) insights.change(insight, { dueMs: clock() });
  if (waiting.length > 0) timers.bringForward("insights", atMs);
}

/** Ends one that is still wanted. */
export function endInsight(machine: AssetComponents, insight: PendingInsight, end: InsightEnd): void {
  const { kind, requestId } = insight;
  if (machine.insights.get(kind)?.requestId !== requestId) return;
  machine.commit(() => {
    leaveInsight(machine, kind);
    machine.outbox.enqueue({ kind: "insightEnded", payload: { kind, requestId, end } });
  });
  machine.timers.bringForward("outbox", machine.clock());
}

export function failInsight(machine: AssetComponents, insight: PendingInsight, error: AssetError): void {
  logFailed("insight.failed", { assetId: insight.assetId, kind: insight.kind }, error);
  endInsight(machine, insight, { status: "failed", error });
}
