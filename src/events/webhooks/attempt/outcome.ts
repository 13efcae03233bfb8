import { connectionFailureOfStatus, NetworkError, parseRetryAfterMs } from "../../../platform/network/index.ts";
import { isDecompressionError } from "../../../platform/runtime-errors.ts";
import type { DeliveryFailure } from "../records/failures.ts";
import type { ResponseBody } from "./response-body.ts";

export interface AttemptOutcome {
  /** HTTP status; null = no response. */
  status: number | null;
  /** Null = delivered: a complete 2xx response within the limits. */
  failure: DeliveryFailure | null;
  /** Details of the failure for the webhook's owner, such as "answered 404". */
  detail: string | null;
  /** The first 4 KB of the response body; "" = none. */
  responseHead: string;
  durationMs: number;
  /** `Retry-After` of a 429 or 503. */
  retryAfterMs: number | null;
}

export type Ending = Omit<AttemptOutcome, "durationMs">;

/** Ends an attempt before there is a response. */
export class AttemptFailed extends Error {
  readonly failure: DeliveryFailure;
  readonly detail: string | null;
  constructor(failure: DeliveryFailure, detail: string | null = null, options?: ErrorOptions) {
    super(failure, options);
    this.failure = failure;
    this.detail = detail;
  }
}

const MAX_DETAIL_LENGTH = 500;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The outcome of an attempt with a response. A failure status takes precedence over whatever happens to the body. */
export function endingOfResponse(response: Response, body: ResponseBody, signal: AbortSignal): Ending {
  const ending = { status: response.status, detail: null, responseHead: body.head, retryAfterMs: null };
  const refusal = refusalOfStatus(response);
  if (refusal !== null) return { ...ending, ...refusal };
  if (body.ending === "whole") return { ...ending, failure: null };
  if (body.ending === "too_long") return { ...ending, failure: "answer_too_long" };
  const timedOut: unknown = signal.reason;
  if (timedOut instanceof AttemptFailed) return { ...ending, failure: timedOut.failure, detail: timedOut.detail };
  const detail = isDecompressionError(body.error) ? "the body is not what its content-encoding says" : null;
  return { ...ending, failure: "answer_broken_off", detail };
}

function refusalOfStatus({ status, headers }: Response): (Partial<Ending> & { failure: DeliveryFailure }) | null {
  if (status >= 200 && status <= 299) return null;
  const detail = `answered ${status}`;
  if (REDIRECTS.has(status)) return { failure: "redirected", detail: pointingTo(detail, headers.get("location")) };
  if (status === 410) return { failure: "gone", detail };
  const asksToWait = status === 429 || status === 503;
  const retryAfterMs = asksToWait ? parseRetryAfterMs(headers.get("retry-after"), new Date()) : null;
  if (status === 429) return { failure: "too_many_requests", detail, retryAfterMs };
  return { failure: connectionFailureOfStatus(status) ?? "bad_status", detail, retryAfterMs };
}

function pointingTo(detail: string, location: string | null): string {
  return location === null ? detail : `${detail}, pointing to ${location}`.slice(0, MAX_DETAIL_LENGTH);
}

/** The outcome of an attempt that failed before there was a response. */
export function endingOfError(error: unknown): Ending {
  const none = { status: null, responseHead: "", retryAfterMs: null };
  if (error instanceof AttemptFailed) return { ...none, failure: error.failure, detail: error.detail };
  if (error instanceof NetworkError) {
    const detail = error.cause === undefined ? null : detailOfLookUp(error.cause);
    return { ...none, failure: FAILURE_OF_HOST[error.code], detail };
  }
  return { ...none, failure: "connection_failed", detail: null };
}

const detailOfLookUp = (cause: unknown) =>
  cause instanceof AttemptFailed ? cause.detail : "the name could not be looked up";

const FAILURE_OF_HOST = { forbidden: "forbidden_address", unresolvable: "unresolvable" } as const;
