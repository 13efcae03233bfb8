/** Describes how a job ended, for the Worker and for the log. Pure. */
import type { JobFailure, JobResult } from "../../protocol/jobs.ts";
import type { Outcome } from "./child-process.ts";

type JobReport = { path: "complete"; body: JobResult } | { path: "fail"; body: JobFailure };

/** The callback that reports an outcome; null for a stopped job, which is not reported. */
export function reportOf(outcome: Outcome): JobReport | null {
  switch (outcome.type) {
    case "result":
      return { path: "complete", body: outcome.result };
    case "failure":
      return { path: "fail", body: { code: outcome.code, message: outcome.message } };
    case "crashed": {
      const message = "The encoder's process for this job ended unexpectedly.";
      return { path: "fail", body: { code: "encoder_crashed", message } };
    }
    case "stopped":
      return null;
  }
}

export function summaryOf(outcome: Outcome): Record<string, string> {
  if (outcome.type === "failure") return { outcome: outcome.code, reason: outcome.message };
  return outcome.type === "crashed"
    ? { outcome: "encoder_crashed", reason: outcome.how.slice(0, 2000) }
    : { outcome: outcome.type };
}
