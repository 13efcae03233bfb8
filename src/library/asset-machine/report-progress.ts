import { encodingProgress } from "../encoding/progress.ts";
import type { AssetComponents } from "./components.ts";

const INTERVAL_MS = 1000;

/** Enqueues the encoding progress, at most once per interval. */
export function reportProgress(machine: AssetComponents): void {
  const { documents } = machine;
  const nowMs = machine.clock();
  const plan = documents.get("plan");
  if (plan === undefined || nowMs - (documents.get("progressAt") ?? 0) < INTERVAL_MS) return;
  documents.put("progressAt", nowMs);
  machine.enqueueFacts({ progress: encodingProgress(plan, machine.jobs.overview()) });
  machine.timers.bringForward("outbox", nowMs);
}
