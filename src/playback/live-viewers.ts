import { toBase64 } from "../../protocol/base64.ts";
import { networkOf } from "../../protocol/network-of.ts";
import { type LiveSession, originOf, ViewerBatch } from "../live/index.ts";
import type { Env } from "../platform/env.ts";
import { errorFields, logWarning } from "../platform/log.ts";
import type { RequestContext } from "./origin.ts";
import { TtlCache } from "../platform/ttl-cache.ts";

const KEPT_MS = 60_000;
const MAX_PROGRAM_LENGTH = 512;
const batches = new TtlCache<ViewerBatch>(512);
/** By session and client. */
const viewers = new TtlCache<string>(4096);

/**
 * Counts the viewer who requested a playlist of a session. Players send no identifier, and a URL per viewer would cost the origin one
 * request each. A viewer is therefore the client's IP network and user agent, hashed with the session id. The outer entrypoint receives
 * every request, including those answered from a cache.
 */
export async function countViewer(
  request: Request,
  env: Env,
  ctx: RequestContext,
  { sessionId, streamId }: LiveSession,
  nowMs: number,
): Promise<void> {
  const address = networkOf(request.headers.get("cf-connecting-ip") ?? "");
  const program = (request.headers.get("user-agent") ?? "").slice(0, MAX_PROGRAM_LENGTH);
  const key = [sessionId, address, program].join("\n");
  const viewer = viewers.get(key, nowMs) ?? (await viewerOf(sessionId, address, program, env.JOB_SECRET));
  viewers.set(key, viewer, nowMs + KEPT_MS);
  const batch = batches.get(sessionId, nowMs) ?? new ViewerBatch();
  batches.set(sessionId, batch, nowMs + KEPT_MS);
  const due = batch.see(viewer, nowMs);
  if (due === null) return;
  const reported = Promise.resolve(originOf(env, sessionId).watched(streamId, due)).catch((error: unknown) =>
    logWarning("live.viewers_not_told", { streamId, sessionId, viewers: due.length, ...errorFields(error) }),
  );
  ctx.waitUntil(reported);
}

/** @returns `<address>.<program>`, see `ViewerWindow` */
async function viewerOf(sessionId: string, address: string, program: string, secret: string): Promise<string> {
  const hash = async (of: string, bytes: number) => {
    const text = new TextEncoder().encode(`${secret}\n${sessionId}\n${of}`);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
    return toBase64(digest.subarray(0, bytes));
  };
  return `${await hash(address, 9)}.${await hash(program, 6)}`;
}
