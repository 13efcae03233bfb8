import {
  allowsPrivateNetwork,
  checkHost,
  connectionFailureOf,
  fetchOutside,
  type NetworkEnv,
} from "../../../platform/network/index.ts";
import { type Attempt, ATTEMPT_LIMITS } from "./attempt.ts";
import { AttemptFailed, type AttemptOutcome, type Ending, endingOfError, endingOfResponse } from "./outcome.ts";
import { readResponseBody } from "./response-body.ts";
import { checkWebhookUrl } from "./webhook-url.ts";

const USER_AGENT = "Sluice/1 (webhooks)";

/**
 * Makes an attempt. The host name is resolved and checked each time, redirects are not followed, and no server can make it exceed the
 * limits. Never throws.
 */
export async function attemptDelivery(env: NetworkEnv, attempt: Attempt): Promise<AttemptOutcome> {
  const startedAtMs = Date.now();
  const ending = await attemptOnce(env, attempt).catch(endingOfError);
  return { ...ending, durationMs: Math.max(0, Date.now() - startedAtMs) };
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
      return endingOfResponse(response, body, abort.signal);
    });
  } finally {
    if (!isAllRead) abort.abort(); // closes the connection, which would otherwise be reused
  }
}

async function post(env: NetworkEnv, url: URL, { body, headers }: Attempt, signal: AbortSignal): Promise<Response> {
  try {
    return await fetchOutside(env, url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "accept-encoding": "identity", // a short compressed response could expand beyond the limit
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

const words = (ms: number) => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`);
