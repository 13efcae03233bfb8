/** `SourceHttp` over plain fetch, for tests of sources: no pace, no guards of addresses, no base URLs but a stand-in's. */
import type { SourceCall, SourceHttp, SourceReply } from "../../../src/imports/sources/source-http.ts";
import { asksForPause, pauseOf } from "../../../src/imports/sources/pauses.ts";
import { SourceFailure } from "../../../src/imports/sources/source.ts";

const TIMEOUT_MS = 10_000;
/** When a vendor gives no time. */
const DEFAULT_PAUSE_MS = 30_000;

/** @param base without a slash at its end, with the source's `basePath` */
export function plainHttp(base: string): SourceHttp {
  async function send(call: SourceCall): Promise<SourceReply> {
    const response = await request(call);
    const { status, headers } = response;
    const text = await response.text();
    if (asksForPause(status, headers, text)) {
      throw new SourceFailure("source_rate_limited", "The source has asked for a pause.", {
        retryAfterMs: pauseOf(headers, Date.now()) ?? DEFAULT_PAUSE_MS,
      });
    }
    if (status >= 500) {
      throw new SourceFailure("source_unavailable", `The source answered ${status}.`, {
        retryAfterMs: DEFAULT_PAUSE_MS,
      });
    }
    return { status, headers, text };
  }

  async function json(call: SourceCall): Promise<{ status: number; headers: Headers; body: unknown }> {
    const { status, headers, text } = await send(call);
    if (status === 401) throw new SourceFailure("credentials_invalid", "The source refused the credentials.");
    if (status === 403) throw new SourceFailure("permission_missing", "The credentials may not do this.");
    try {
      return { status, headers, body: JSON.parse(text) as unknown };
    } catch (error) {
      throw new SourceFailure("source_unreadable", "The source answered something that is not JSON.", { cause: error });
    }
  }

  return { base, isStandIn: true, send, json };
}

async function request({ method = "GET", url, headers = {}, body }: SourceCall): Promise<Response> {
  const isText = typeof body === "string";
  const init: RequestInit = {
    method,
    headers: body === undefined || isText ? headers : { "content-type": "application/json", ...headers },
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  };
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new SourceFailure("source_unavailable", "The source does not answer.", {
      cause: error,
      retryAfterMs: DEFAULT_PAUSE_MS,
    });
  }
}
