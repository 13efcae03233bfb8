/** Messages between the server and a job's child process. */
import type { ErrorFields } from "../../protocol/error-fields.ts";
import type { Job, JobFailureCode, JobResult, PartialRendition } from "../../protocol/jobs.ts";

export interface RunMessage {
  type: "run";
  job: Job;
}
/** The job's token has been replaced. */
export interface RenewedMessage {
  type: "renewed";
  token: string;
  expiresAt: number;
}
export type ParentMessage = RunMessage | RenewedMessage;
export type ChildMessage =
  | { type: "ready" } // libav is loaded
  /** Sent several times a second while libav makes progress. `waitedMs`: total time spent waiting for the platform. */
  | { type: "tick"; progress: number; speed: number; waitedMs: number }
  | { type: "stored"; partial: PartialRendition }
  | { type: "result"; result: JobResult }
  /** `unexpected`: an exception, for the log alone. */
  | { type: "failure"; code: JobFailureCode; message: string; unexpected?: ErrorFields }
  | { type: "stopped" }; // the platform refused the token or cancelled the job
