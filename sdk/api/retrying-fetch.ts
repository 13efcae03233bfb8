import { ConnectionError } from "./errors.ts";
import { pause } from "./pause.ts";
import { askedDelayMs, backoffMs, isTransient } from "./retry-delay.ts";

export interface RetryOptions {
  /** Repetitions of one request. */
  retries: number;
  /** Time limit of one attempt. */
  timeoutMs: number;
  fetch: (request: Request) => Promise<Response>;
}

/** A repetition has the same effect as one request. A PATCH may append to a list. */
const REPEATABLE = new Set(["GET", "HEAD", "PUT", "DELETE"]);
const isRepeatable = ({ method, headers }: Request) => REPEATABLE.has(method) || headers.has("idempotency-key");

/**
 * A `fetch` that repeats requests. A 429 is repeated always, because the API has refused the request before it had an effect; other
 * transient failures only when a repetition does no harm.
 *
 * @throws {ConnectionError} when there was no answer, also not to the last repetition
 */
export function retryingFetch({ retries, timeoutMs, fetch }: RetryOptions): (request: Request) => Promise<Response> {
  const attempt = async (request: Request): Promise<Response> => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    return await fetch(new Request(request.clone(), { signal }));
  };
  return async (request) => {
    for (let repetition = 1; ; repetition += 1) {
      const isLast = repetition > retries;
      let delayMs = backoffMs(repetition, Math.random());
      try {
        const response = await attempt(request);
        const isWorthwhile = response.status === 429 || (isTransient(response.status) && isRepeatable(request));
        if (isLast || !isWorthwhile) return response;
        delayMs = askedDelayMs(response.headers.get("retry-after"), Date.now()) ?? delayMs;
        if (delayMs === Infinity) return response;
        await response.body?.cancel();
      } catch (error) {
        request.signal.throwIfAborted();
        if (isLast || !isRepeatable(request)) throw connectionError(request, error);
      }
      await pause(delayMs, request.signal);
    }
  };
}

/** Says which platform did not answer, without the path and its ids. */
export function connectionError({ url }: Request, cause: unknown): ConnectionError {
  const isTimeout = cause instanceof Error && cause.name === "TimeoutError";
  const what = isTimeout ? "did not answer in time" : "cannot be reached";
  return new ConnectionError(`the platform at ${new URL(url).origin} ${what}`, { cause });
}
