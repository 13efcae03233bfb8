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

/** How patient an attempt is. Tests pass shorter ones. */
export interface AttemptLimits extends ResolveLimits {
  /** From connecting to the end of the answer's headers. */
  headersMs: number;
  /** The whole attempt, with the look-up of the name. */
  totalMs: number;
  /** A longer body makes the attempt fail. */
  answerBytes: number;
}

export const ATTEMPT_LIMITS: AttemptLimits = {
  ...RESOLVE_LIMITS,
  headersMs: 10_000,
  totalMs: 15_000,
  answerBytes: 64 * 1024,
};

/** Creation of a webhook waits for this, so it waits for less. */
const VERIFICATION_MS = 10_000;

export interface Attempt {
  url: string;
  /** Sent as it is. */
  body: Uint8Array;
  /** The signatures; what describes the body is added. */
  headers: Record<string, string>;
  limits?: Partial<AttemptLimits>;
}

export interface AttemptOutcome {
  /** HTTP status; null when there was none. */
  status: number | null;
  /** Null = delivered: 2xx, and a whole answer within the limits. */
  failure: DeliveryFailure | null;
  /** More words on the failure, for the webhook's owner: "answered 404". */
  detail: string | null;
  /** The first 4 KB of the answer's body; "" when there was none. */
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
 * One POST to a customer's URL. Its name is resolved and checked anew, redirects are not followed, and nothing that a
 * server does holds it beyond the limits. Never throws.
 */
export async function attemptDelivery(env: NetworkEnv, attempt: Attempt): Promise<AttemptOutcome> {
  const beganAtMs = Date.now();
  const ending = await attemptOnce(env, attempt).catch(endingOf);
  return { ...ending, durationMs: Math.max(0, Date.now() - beganAtMs) };
}

/** Asks whether somebody takes webhooks at a URL: an unsigned `{}`, because nobody can know the secret yet. */
export function verifyEndpoint(
  env: NetworkEnv,
  url: string,
  limits: Partial<AttemptLimits> = {},
): Promise<AttemptOutcome> {
  const patience = { headersMs: VERIFICATION_MS, totalMs: VERIFICATION_MS, ...limits };
  return attemptDelivery(env, { url, body: new TextEncoder().encode("{}"), headers: {}, limits: patience });
}

/** Thrown inside of this file only. */
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
    return await within(limits.totalMs, "no end", async () => {
      await within(limits.resolveMs, "no address", () => checkHost(env, url.hostname, limits, abort.signal));
      const response = await within(limits.headersMs, "no answer", () => post(env, url, attempt, abort.signal));
      const answer = await readResponseBody(response, limits.answerBytes);
      isAllRead = answer.ending === "whole" && response.status !== 101;
      return judge(response, answer, abort.signal);
    });
  } finally {
    if (!isAllRead) abort.abort(); // Lets go of the connection, which is kept for the next attempt otherwise.
  }
}

async function post(env: NetworkEnv, url: URL, { body, headers }: Attempt, signal: AbortSignal): Promise<Response> {
  try {
    return await fetchOutside(env, url, {
      method: "POST",
      // Compressed, a short answer could be a long one.
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

/** A status that is a failure remains the reason, whatever becomes of its body. */
function judge(response: Response, answer: ResponseBody, signal: AbortSignal): Ending {
  const ending = { status: response.status, detail: null, responseHead: answer.head, retryAfterMs: null };
  const refusal = refusalOfStatus(response);
  if (refusal !== null) return { ...ending, ...refusal };
  if (answer.ending === "whole") return { ...ending, failure: null };
  if (answer.ending === "too_long") return { ...ending, failure: "answer_too_long" };
  const timedOut: unknown = signal.reason;
  if (timedOut instanceof AttemptFailed) return { ...ending, failure: timedOut.failure, detail: timedOut.detail };
  const isEncoding = answer.trouble instanceof Error && /decompression/i.test(answer.trouble.message);
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

/** What ended an attempt before there was an answer. */
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
