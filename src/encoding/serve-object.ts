import { Problem } from "../http/problems.ts";

/**
 * Answers a GET or HEAD for an object of R2 with a single byte range (RFC 9110 §14).
 *
 * @throws {Problem} not_found; range_not_satisfiable
 */
export async function serveObject(bucket: R2Bucket, key: string, request: Request): Promise<Response> {
  const header = request.headers.get("range");
  const head = await bucket.head(key);
  if (head === null) throw new Problem("not_found", "there is no such object");
  const range = header === null ? null : parseRange(header, head.size);
  if (range === "unsatisfiable") throw new Problem("range_not_satisfiable", `the object has ${head.size} bytes`);
  const { offset, length } = range ?? { offset: 0, length: head.size };
  const headers = new Headers({
    "accept-ranges": "bytes",
    "content-length": String(length),
    etag: head.httpEtag,
    "cache-control": "no-store",
  });
  if (range !== null) headers.set("content-range", `bytes ${offset}-${offset + length - 1}/${head.size}`);
  const status = range === null ? 200 : 206;
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const object = await bucket.get(key, { range: { offset, length } });
  if (object === null) throw new Problem("not_found", "there is no such object");
  return new Response(object.body, { status, headers });
}

/** Null: no range, or one that may be ignored (several ranges, another unit). */
export function parseRange(header: string, size: number): { offset: number; length: number } | "unsatisfiable" | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim());
  if (!match || (match[1] === "" && match[2] === "")) return null;
  if (match[1] === "") {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(match[1]);
  const last = match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (offset >= size) return "unsatisfiable";
  return last < offset ? null : { offset, length: last - offset + 1 };
}
