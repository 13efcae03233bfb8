/** The records of migrations, as the API answers them. Interim: of the OpenAPI document after the merge. */
export interface Batch {
  id: string;
  status: "scanning" | "scanned" | "running" | "paused" | "done" | "cancelled";
  source: Record<string, unknown>;
  counts: { total: number; pending: number; submitted: number; ready: number; failed: number; skipped: number };
  problem?: { code: string; message: string };
  scanned?: number;
  nextAttemptAt?: string;
  itemsPerMinute?: number;
  secondsLeft?: number;
  reportUrl: string;
  createdAt: string;
}
