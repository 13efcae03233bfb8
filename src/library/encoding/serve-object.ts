import { readConditions } from "../../platform/http/conditions.ts";
import { Problem } from "../../platform/http/problems.ts";

/**
 * Answers a GET or HEAD for an object of R2, also for one byte range or under a precondition (RFC 9110 §13, §14).
 *
 * @throws {Problem} not_found; range_not_satisfiable
 */
export async function serveObject(bucket: R2Bucket, key: string, request: Request): Promise<Response> {
  const head = await bucket.head(key);
  if (head === null) throw new Problem("not_found", "there is no such object");
  const { size, httpEtag } = head;
  const wanted = readConditions(request, httpEtag, size);
  const headers = new Headers({ "accept-ranges": "bytes", etag: httpEtag, "cache-control": "no-store" });
  if (wanted.status === 304) return new Response(null, { status: 304, headers });
  if (wanted.status === 416) throw new Problem("range_not_satisfiable", `the object has ${size} bytes`);
  const { status, from, to } = wanted;
  headers.set("content-length", String(to - from));
  if (status === 206) headers.set("content-range", `bytes ${from}-${to - 1}/${size}`);
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const object = await bucket.get(key, { range: { offset: from, length: to - from } });
  if (object === null) throw new Problem("not_found", "there is no such object");
  return new Response(object.body, { status, headers });
}
