import type { Env } from "../../platform/env.ts";
import {
  allowsPrivateNetwork,
  checkPublicUrl,
  createHostGuard,
  fetchOutside,
  type HostGuard,
  NetworkError,
  RESOLVE_LIMITS,
} from "../../platform/network/index.ts";
import { readBounded } from "../../../protocol/read-bounded.ts";
import { SourceFailure, type SourcePace } from "../sources/source.ts";
import type { SourceCall, SourceHttp, SourceReply } from "../sources/source-http.ts";
import { Pace } from "./pace.ts";
import { parseJson, requireAnswer } from "./read-reply.ts";

/** Until the whole body has arrived. A list of 1,000 videos takes a few seconds at slow sources. */
const REPLY_MS = 30_000;
/** 1,000 videos have about 3 MB. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
const RETRY_MS = 10_000;
const USER_AGENT = "Sluice/1 (migration)";

export type ConnectionEnv = Pick<Env, "ALLOW_PRIVATE_NETWORK" | "SOURCE_NETWORK" | "RESOLVER">;

interface Connection {
  /** Of the source, for messages: "Mux". */
  name: string;
  base: string;
  /** The owner of this deployment has set the base (IMPORT_BASE_URLS), so it may be on a private address. */
  isStandIn: boolean;
  pace: SourcePace;
}

/** The way to the API of a source: paced, guarded like every address that a customer gives, with bounded answers. Redirects are not followed. */
export function connect(env: ConnectionEnv, { name, base, isStandIn, pace }: Connection): SourceHttp {
  const turns = new Pace(pace);
  const guard = createHostGuard(env, RESOLVE_LIMITS);
  const send = async (call: SourceCall): Promise<SourceReply> => {
    const { method = "GET" } = call;
    const isRead = method === "GET" || method === "HEAD";
    await turns.turn((call.isWrite ?? !isRead) ? "write" : "read");
    const isOwn =
      isStandIn && (call.url === base || call.url.startsWith(`${base}/`) || call.url.startsWith(`${base}?`));
    const url = isOwn ? new URL(call.url) : await requireReachable(env, guard, name, call.url);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), REPLY_MS);
    const { signal } = deadline;
    try {
      const init = { method, headers: headersOf(call), body: bodyOf(call), redirect: "manual", signal } as const;
      const response = await (isOwn ? fetch(url, init) : fetchOutside(env, url, init));
      const text = await readText(name, response);
      requireAnswer(name, response.status, response.headers, text, Date.now());
      return { status: response.status, headers: response.headers, text };
    } catch (error) {
      if (error instanceof SourceFailure) throw error;
      const words = signal.aborted ? "does not answer in time" : "cannot be reached, or broke the connection";
      throw new SourceFailure("source_unavailable", `${name} ${words}.`, { cause: error, retryAfterMs: RETRY_MS });
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    base,
    isStandIn,
    send,
    json: async (call) => {
      const { status, headers, text } = await send(call);
      if (status === 401)
        throw new SourceFailure("credentials_invalid", `${name} refused the credentials (status 401).`);
      if (status === 403)
        throw new SourceFailure(
          "permission_missing",
          `${name} refused a request that the credentials have no permission for (status 403).`,
        );
      return { status, headers, body: status === 204 ? null : parseJson(name, text) };
    },
  };
}

/** @throws {SourceFailure} */
async function requireReachable(env: ConnectionEnv, guard: HostGuard, name: string, text: string): Promise<URL> {
  const checked = checkPublicUrl(text, allowsPrivateNetwork(env));
  if (!checked.ok) throw new SourceFailure("invalid_url", `The address of ${name} ${checked.message}.`);
  try {
    await guard.check(checked.url.hostname);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    const isForbidden = error.code === "forbidden";
    throw new SourceFailure(
      isForbidden ? "invalid_url" : "source_unavailable",
      isForbidden ? `The address of ${name} is private.` : `The host of ${name} has no address.`,
      { cause: error, retryAfterMs: isForbidden ? null : RETRY_MS },
    );
  }
  return checked.url;
}

async function readText(name: string, { body, status }: Response): Promise<string> {
  if (body === null) return "";
  const bytes = await readBounded(body, MAX_REPLY_BYTES);
  if (bytes === null)
    throw new SourceFailure("source_unreadable", `${name} answered with more than 16 MiB (status ${status}).`);
  return new TextDecoder().decode(bytes);
}

function headersOf({ headers, body }: SourceCall): Headers {
  const sent = new Headers({ accept: "application/json", "user-agent": USER_AGENT });
  if (body !== undefined && typeof body !== "string") sent.set("content-type", "application/json");
  for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value);
  return sent;
}

const bodyOf = ({ body }: SourceCall): string | null =>
  body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
