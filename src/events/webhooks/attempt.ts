import {
  allowsPrivateNetwork,
  checkHost,
  connectionFailureOf,
  connectionFailureOfStatus,
  fetchOutside,
  NetworkError,
  type NetworkEnv,
  parseRetryAfterMs,
  RESOLVE_LIMITS,
  type ResolveLimits,
} from "../../platform/network/index.ts";
import { type ResponseBody, readResponseBody } from "./response-body.ts";
import type { DeliveryFailure } from "./failures.ts";
import { checkWebhookUrl } from "./webhook-url.ts";

/** Limits of one attempt. Tests pass shorter ones. */
export interface AttemptLimits extends ResolveLimits {
  /** From connecting to the end of the response headers. */
  headersMs: number;
  /** The whole attempt, including name resolution. */
  totalMs: number;
  /** A longer response body fails the attempt. */
  responseBytes: number;
}

export const ATTEMPT_LIMITS: AttemptLimits = {
  ...RESOLVE_LIMITS,
  headersMs: 10_000,
  totalMs: 15_000,
  responseBytes: 64 * 1024,
};

/** Shorter than an attempt, because the request that creates the webhook waits for it. */
const VERIFICATION_MS = 10_000;

export interface Attempt {
  url: string;
  /** Sent unchanged. */
  body: Uint8Array;
  /** The signatures. Headers that describe the body are added. */
  headers: Record<string, string>;
  limits?: Partial<AttemptLimits>;
}

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

type Ending = Omit<AttemptOutcome, "durationMs">;

const USER_AGENT = "Sluice/1 (webhooks)";
const MAX_DETAIL_LENGTH = 500;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * One POST to a customer's URL. The host name is resolved and checked for each attempt, redirects are not followed, and no server can
 * make it exceed the limits. Never throws.
 */
export async function attemptDelivery(env: NetworkEnv, attempt: Attempt): Promise<AttemptOutcome> {
  const startedAtMs = Date.now();
  const ending = await attemptOnce(env, attempt).catch(endingOf);
  return { ...ending, durationMs: Math.max(0, Date.now() - startedAtMs) };
}

/** Checks that a URL accepts webhooks by sending an unsigned `{}`: the receiver cannot know the secret yet. */
export function verifyEndpoint(
  env: NetworkEnv,
  url: string,
  limits: Partial<AttemptLimits> = {},
): Promise<AttemptOutcome> {
  const verificationLimits = { headersMs: VERIFICATION_MS, totalMs: VERIFICATION_MS, ...limits };
  return attemptDelivery(env, { url, body: new TextEncoder().encode("{}"), headers: {}, limits: verificationLimits });
}

/** Thrown and caught in this file only. */
class AttemptFailed extends Error {
  readonly failure: DeliveryFailure;
  readonly detail: string | null;
  constructor(failure: DeliveryFailure, detail: string | null = null, options?: ErrorOptions) {
    super(failure, options);
    this.failure = failure;
    this.detail = detail;
  }
}

async function attemptOnce(env: NetworkEnv, attempt: Attempt): Promise<Ending> {
  const limits = { ...ATTEMPT_LIMITS, ...attempt.limits };
  const checked = checkWebhookUrl(attempt.url, allowsPrivateNetwork(env));
  if (!checked.ok) throw new AttemptFailed("forbidden_address", `the URL ${checked.message}`);
  const { url } = checked;
  const abort = new AbortController();
  let isAllRead = false;

  async function within<T>(limitMs: number, missing: string, work: () => Promise<T>): Promise<T> {
    const giveUp = () => abort.abort(new AttemptFailed("timed_out", `${missing} within ${words(limitMs)}`));
    const timer = setTimeout(giveUp, limitMs);
    return work().finally(() => clearTimeout(timer));
  }

  try {
    return await within(limits.totalMs, "no complete response", async () => {
      await within(limits.resolveMs, "no address", () => checkHost(env, url.hostname, limits, abort.signal));
      const response = await within(limits.headersMs, "no response", () => post(env, url, attempt, abort.signal));
      const body = await readResponseBody(response, limits.responseBytes);
      isAllRead = body.ending === "whole" && response.status !== 101;
      return judge(response, body, abort.signal);
    });
  } finally {
    if (!isAllRead) abort.abort(); // closes the connection, which would otherwise be reused
  }
}

async function post(env: NetworkEnv, url: URL, { body, headers }: Attempt, signal: AbortSignal): Promise<Response> {
  try {
    return await fetchOutside(env, url, {
      method: "POST",
      // A short compressed response could expand beyond the limit.
      headers: {
        ...headers,
        "content-type": "application/json",
        "accept-encoding": "identity",
        "user-agent": USER_AGENT,
      },
      body: body as Uint8Array<ArrayBuffer>,
      redirect: "manual",
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new AttemptFailed(connectionFailureOf(error, url), null, { cause: error });
  }
}

/** A failure status takes precedence over whatever happens to the body. */
function judge(response: Response, body: ResponseBody, signal: AbortSignal): Ending {
  const ending = { status: response.status, detail: null, responseHead: body.head, retryAfterMs: null };
  const refusal = refusalOfStatus(response);
  if (refusal !== null) return { ...ending, ...refusal };
  if (body.ending === "whole") return { ...ending, failure: null };
  if (body.ending === "too_long") return { ...ending, failure: "answer_too_long" };
  const timedOut: unknown = signal.reason;
  if (timedOut instanceof AttemptFailed) return { ...ending, failure: timedOut.failure, detail: timedOut.detail };
  const isEncoding = body.error instanceof Error && /decompression/i.test(body.error.message);
  const detail = isEncoding ? "the body is not what its content-encoding says" : null;
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
function endingOf(error: unknown): Ending {
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

const words = (ms: number) => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`);
