/** Describes how a job ended, for the Worker and for the log. Pure. */
import { boundedFields, crashText } from "../../protocol/error-fields.ts";
import type { JobFailure, JobResult } from "../../protocol/jobs.ts";
import type { Outcome } from "./child-process.ts";

export type JobReport = { path: "complete"; body: JobResult } | { path: "fail"; body: JobFailure };

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
  const unexpected = "unexpected" in outcome && outcome.unexpected ? boundedFields(outcome.unexpected) : {};
  if (outcome.type === "failure") return { outcome: outcome.code, reason: outcome.message, ...unexpected };
  return outcome.type === "crashed"
    ? { outcome: "encoder_crashed", reason: crashText(outcome.how), ...unexpected }
    : { outcome: outcome.type };
}
