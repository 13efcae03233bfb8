import type { BatchCounts, BatchProblem, BatchState } from "../batches/batch-calls.ts";

/** The record of a batch, as D1 and events show it. */
export interface BatchMessage {
  kind: "record";
  payload: {
    revision: number;
    atMs: number;
    state: BatchState;
    counts: BatchCounts;
    problem: BatchProblem | null;
    credentialId: string | null;
    /** Replaced by the one above. */
    formerCredentialId: string | null;
    completedAtMs: number | null;
    event: { type: string; failed: FailedItem[] } | null;
  };
}

export interface FailedItem {
  sourceId: string;
  sourceUrl?: string;
  error: BatchProblem;
}
