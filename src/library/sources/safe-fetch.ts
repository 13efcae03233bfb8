import type { HostGuard } from "../../platform/network/index.ts";
import {
  allowsPrivateNetwork,
  checkPublicUrl,
  connectionFailureOf,
  createHostGuard,
  fetchOutside,
  NetworkError,
} from "../../platform/network/index.ts";
import type { SourceEnv, SourceLimits } from "./limits.ts";
import { SOURCE_LIMITS } from "./limits.ts";
import { SourceBody } from "./source-body.ts";
import { SourcePace } from "./source-pace.ts";
import { SOURCE_ERROR_OF_CONNECTION, SOURCE_ERROR_OF_HOST, SourceError } from "./source-errors.ts";
import { refusalOfStatus } from "./source-status.ts";

const USER_AGENT = "Sluice/1 (media ingest)";

export interface SourceRequest {
  method?: "GET" | "HEAD";
  /** First and last byte, both included, as RFC 9110 §14.1.2. */
  range?: { first: number; last: number };
  /** A validator from an earlier response. If the file has changed, the server sends the whole new file (RFC 9110 §13.1.5). */
  ifRange?: string;
  signal?: AbortSignal;
  limits?: Partial<SourceLimits>;
  /** Shared by all requests for one source, so that its host is resolved once. */
  guard?: HostGuard;
  /** Shared by the requests of one operation. By default, the minimum throughput applies to this request alone. */
  pace?: SourcePace;
}

/** Always 200 or 206. The caller must read the body to its end or cancel it. */
export interface SourceAnswer {
  status: 200 | 206;
  headers: Headers;
  body: SourceBody;
}

/**
 * Fetches a customer's URL. All requests to customers' URLs go through this function. Redirects are followed manually, so that every hop
 * passes the same checks.
 *
 * @throws {SourceError} for every failure of a source
 */
export async function fetchSource(env: SourceEnv, url: string, request: SourceRequest = {}): Promise<SourceAnswer> {
  const limits = { ...SOURCE_LIMITS, ...request.limits };
  const guard = request.guard ?? createHostGuard(env, limits);
  const pace = request.pace ?? new SourcePace(limits, Infinity);
  let target = url;
  for (let redirects = 0; redirects <= limits.maxRedirects; redirects++) {
    const checked = checkPublicUrl(target, allowsPrivateNetwork(env));
    if (!checked.ok) throw new SourceError("source_forbidden", { detail: checked.message });
    await checkHost(guard, checked.url.hostname);
    const { response, abort } = await requestOnce(env, checked.url, request, limits, pace);
    const next = redirectTarget(response, checked.url);
    if (next === null) return accept(response, abort, limits, pace);
    await response.body?.cancel().catch(() => undefined);
    target = next;
  }
  throw new SourceError("source_too_many_redirects");
}

async function checkHost(guard: HostGuard, hostname: string): Promise<void> {
  try {
    await guard.check(hostname);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new SourceError(SOURCE_ERROR_OF_HOST[error.code], { cause: error });
  }
}

async function requestOnce(env: SourceEnv, url: URL, request: SourceRequest, limits: SourceLimits, pace: SourcePace) {
  const waitMs = Math.min(limits.headersMs, pace.remainingMs);
  if (waitMs <= 0) throw new SourceError("source_timed_out");
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new SourceError("source_timed_out")), waitMs);
  const init = {
    method: request.method ?? "GET",
    headers: requestHeaders(request),
    redirect: "manual",
    signal: request.signal === undefined ? abort.signal : AbortSignal.any([abort.signal, request.signal]),
  } as const;
  try {
    const response = await pace.during(() => fetchOutside(env, url, init));
    return { response, abort };
  } catch (error) {
    request.signal?.throwIfAborted();
    if (abort.signal.aborted) throw abort.signal.reason;
    throw new SourceError(SOURCE_ERROR_OF_CONNECTION[connectionFailureOf(error, url)], { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function requestHeaders(request: SourceRequest): Headers {
  // With a content coding, lengths and ranges would not be those of the file.
  const headers = new Headers({ accept: "*/*", "accept-encoding": "identity", "user-agent": USER_AGENT });
  if (request.range !== undefined) headers.set("range", `bytes=${request.range.first}-${request.range.last}`);
  if (request.ifRange !== undefined) headers.set("if-range", request.ifRange);
  return headers;
}

function redirectTarget(response: Response, base: URL): string | null {
  if (![301, 302, 303, 307, 308].includes(response.status)) return null;
  const location = response.headers.get("location");
  if (location === null || !URL.canParse(location, base)) return null;
  return new URL(location, base).href;
}

async function accept(
  response: Response,
  abort: AbortController,
  limits: SourceLimits,
  pace: SourcePace,
): Promise<SourceAnswer> {
  const { status, headers, body } = response;
  const source = new SourceBody(body, abort, limits, pace);
  if (status === 200 || status === 206) return { status, headers, body: source };
  await source.cancel();
  throw refusalOfStatus(status, headers, new Date());
}
