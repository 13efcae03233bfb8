import type { JobFailureCode } from "../../protocol/jobs.ts";

/** Fails a job with a code of the protocol. `message` is shown to the owner of the source. */
export class JobError extends Error {
  readonly code: JobFailureCode;
  constructor(code: JobFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The Worker has revoked the job (401, 403, 410); nothing is reported. */
export class JobStopped extends Error {}
