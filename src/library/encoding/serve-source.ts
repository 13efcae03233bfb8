import type { Env } from "../../platform/env.ts";
import { readConditions } from "../../platform/http/conditions.ts";
import { Problem } from "../../platform/http/problems.ts";
import { openStoredSource } from "../sources/stored-source.ts";

/**
 * Answers a GET or HEAD for the stored source of an asset, also for one byte range or under a precondition (RFC 9110 §13, §14).
 *
 * @throws {Problem} not_found; range_not_satisfiable
 */
export async function serveSource(env: Env, assetId: string, request: Request): Promise<Response> {
  const source = await openStoredSource(env, assetId);
  if (source === null) throw new Problem("not_found", "there is no such object");
  const { size, etag } = source;
  const wanted = readConditions(request, etag, size);
  const headers = new Headers({ "accept-ranges": "bytes", etag, "cache-control": "no-store" });
  if (wanted.status === 304) return new Response(null, { status: 304, headers });
  if (wanted.status === 416) throw new Problem("range_not_satisfiable", `the object has ${size} bytes`);
  const { status, from, to } = wanted;
  headers.set("content-length", String(to - from));
  if (status === 206) headers.set("content-range", `bytes ${from}-${to - 1}/${size}`);
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const body = await source.open(from, to - from);
  if (body === null) throw new Problem("not_found", "there is no such object");
  return new Response(body, { status, headers });
}
