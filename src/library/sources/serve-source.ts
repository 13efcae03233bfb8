import type { Env } from "../../platform/env.ts";
import { readConditions } from "../../platform/http/conditions.ts";
import { Problem } from "../../platform/http/problems.ts";
import { openStoredSource } from "./stored-source.ts";

/**
 * Answers a GET or HEAD for the stored source of an asset, also for one byte range or under a precondition (RFC 9110 §13, §14).
 *
 * @param more headers of the answer
 * @returns null when the source is not in R2, or not yet
 * @throws {Problem} range_not_satisfiable
 */
export async function serveSource(
  env: Pick<Env, "MEDIA">,
  assetId: string,
  request: Request,
  more: Record<string, string>,
): Promise<Response | null> {
  const source = await openStoredSource(env, assetId);
  if (source === null) return null;
  const { size, etag } = source;
  const wanted = readConditions(request, etag, size);
  const headers = new Headers({ ...more, "accept-ranges": "bytes", etag });
  if (wanted.status === 304) return new Response(null, { status: 304, headers });
  if (wanted.status === 416) throw new Problem("range_not_satisfiable", `the object has ${size} bytes`);
  const { status, from, to } = wanted;
  headers.set("content-length", String(to - from));
  if (status === 206) headers.set("content-range", `bytes ${from}-${to - 1}/${size}`);
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const body = await source.open(from, to - from);
  return body && new Response(body, { status, headers });
}
