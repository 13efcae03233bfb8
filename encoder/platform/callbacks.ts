/** Client for the Worker's routes of one job: six paths below `callbackUrl`, authorized by the job's token. */
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { JobError, JobStopped } from "./errors.ts";

const FIRST_RETRY_MS = 200;
const LONGEST_RETRY_MS = 10_000;
/** Well below the time without progress after which a child counts as hung (limits.ts), because an unresponsive platform is not the source's fault. */
const ATTEMPT_TIMEOUT_MS = 25_000;
/** Logged bytes of an answer: enough for the names of the fields that a 422 lists. */
const MAX_LOGGED_BYTES = 500;

/** `token` and `expiresAt` change when a heartbeat renews them, so every attempt reads them again. */
export interface CallbackTarget {
  callbackUrl: string;
  token: string;
  expiresAt: number; // epoch ms
}
export interface CallbackRequest {
  method: "GET" | "PUT" | "POST";
  path: string; // "source", "objects/v720/init.mp4"
  headers?: Record<string, string>;
  body?: Buffer | string;
  signal?: AbortSignal;
}
export interface CallbackAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** An answer that a retry cannot change. `cause` has what the Worker said, for the log; `message` is shown to the owner of the source. */
export class CallbackRefused extends JobError {
  constructor({ status, body }: CallbackAnswer, { method, path }: CallbackRequest) {
    const call = `${method} ${path}`;
    const said = body.toString("utf8", 0, MAX_LOGGED_BYTES);
    super("encoder_failed", `The platform answered ${status} to ${call}.`, {
      cause: new Error(`the platform answered ${status} to ${call}: ${said}`),
    });
  }
}

/**
 * Sends a request and retries refused connections, aborted responses, 408, 429 and 5xx with back-off until the token expires.
 *
 * @param onWait called before every pause with its length in ms, so that a watchdog does not mistake it for a hang
 * @returns 2xx, 416 (a range past the end is not a failure) and, for a PUT, 409 (an announced object is immutable)
 * @throws {JobStopped} on 401, 403, 410
 * @throws {CallbackRefused} on any other answer
 * @throws {JobError} `encoder_failed` when the token has expired
 */
export async function callBack(
  target: CallbackTarget,
  request: CallbackRequest,
  onWait: (ms: number) => void = () => {},
): Promise<CallbackAnswer> {
  for (let attempt = 0; ; attempt++) {
    const answer = await attemptOnce(target, request);
    request.signal?.throwIfAborted();
    if (!(answer instanceof Error)) {
      if ((answer.status >= 200 && answer.status < 300) || answer.status === 416) return answer;
      if (answer.status === 409 && request.method === "PUT") return answer;
      if ([401, 403, 410].includes(answer.status)) throw new JobStopped(`answered ${answer.status}`);
      const isRetryable = answer.status >= 500 || answer.status === 408 || answer.status === 429;
      if (!isRetryable) throw new CallbackRefused(answer, request);
    }
    const pauseMs =
      Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() / 2);
    if (Date.now() + pauseMs > target.expiresAt)
      throw new JobError("encoder_failed", "The platform could not be reached before the job's token expired.");
    onWait(pauseMs);
    await sleep(pauseMs, undefined, request.signal ? { signal: request.signal } : {});
  }
}

async function attemptOnce(
  { callbackUrl, token }: CallbackTarget,
  { method, path, headers, body, signal }: CallbackRequest,
): Promise<CallbackAnswer | Error> {
  const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
  try {
    return await send(`${callbackUrl.replace(/\/$/, "")}/${path}`, body, {
      method,
      headers: { ...headers, Authorization: `Bearer ${token}` },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * In place of `fetch`, which compiles a WebAssembly module in each process and so takes a fifth of the CPU time of a short job. An `import` of
 * `node:http` would load `fetch` too: it reads every export, and `WebSocket` is one.
 *
 * @throws {Error} when the connection fails or is aborted, and on a redirect
 */
async function send(url: string, body: CallbackRequest["body"], options: RequestOptions): Promise<CallbackAnswer> {
  const { request } = process.getBuiltinModule(url.startsWith("https:") ? "node:https" : "node:http");
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, options, resolve).on("error", reject).end(body);
  const response = await promise;
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    response.resume();
    throw new Error(`The platform redirected the request (${status}).`);
  }
  return { status, headers: response.headers, body: await buffer(response) };
}
