import { readConditions } from "./conditions.ts";
import { Problem } from "./problems.ts";

/** A file whose size is known before its bytes are read. */
export interface ServedFile {
  size: number;
  /** With quotes; strong. */
  etag: string;
  /** @returns null when the file has been deleted meanwhile */
  open(offset: number, length: number): Promise<ReadableStream<Uint8Array> | null>;
}

/**
 * Answers a GET or HEAD for a file, also for one byte range or under a precondition (RFC 9110 §13, §14).
 *
 * @param more headers of the answer
 * @returns null when the file is gone
 * @throws {Problem} range_not_satisfiable
 */
export async function answerFile(
  request: Request,
  file: ServedFile,
  more: Record<string, string>,
): Promise<Response | null> {
  const { size, etag } = file;
  const wanted = readConditions(request, etag, size);
  const headers = new Headers({ ...more, "accept-ranges": "bytes", etag });
  if (wanted.status === 304) return new Response(null, { status: 304, headers });
  if (wanted.status === 416) throw new Problem("range_not_satisfiable", `the object has ${size} bytes`);
  const { status, from, to } = wanted;
  headers.set("content-length", String(to - from));
  if (status === 206) headers.set("content-range", `bytes ${from}-${to - 1}/${size}`);
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const body = await file.open(from, to - from);
  return body && new Response(body, { status, headers });
}
