/** The outcome of a request's preconditions and range for a file. */
export type Wanted =
  | { status: 200; from: 0; to: number }
  | { status: 206; from: number; to: number }
  | { status: 304 }
  | { status: 416 };

/**
 * Evaluates preconditions and ranges (RFC 9110 §13, §14) with strong validators: `If-None-Match` first, then `Range` subject to `If-Range`.
 * Multiple ranges, other units and malformed ranges are ignored, as the RFC allows. A range that begins after the end is 416.
 */
export function readConditions(request: Request, etag: string, bytes: number): Wanted {
  if (isUnchanged(request, etag)) return { status: 304 };
  const whole: Wanted = { status: 200, from: 0, to: bytes };
  const range = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(request.headers.get("range")?.trim() ?? "");
  const ifRange = request.headers.get("if-range");
  if (range === null || (ifRange !== null && ifRange !== etag) || request.method === "HEAD") return whole;
  const [, first = "", last = ""] = range;
  if (first === "" && last === "") return whole;
  if (first === "") {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? { status: 416 } : { status: 206, from: bytes - length, to: bytes };
  }
  const from = Number(first);
  if (last !== "" && Number(last) < from) return whole;
  if (from >= bytes) return { status: 416 };
  return { status: 206, from, to: last === "" ? bytes : Math.min(Number(last) + 1, bytes) };
}

/** Whether the client's copy is current, so that the answer is 304. For resources that are not served by ranges. */
export const isUnchanged = (request: Request, etag: string): boolean =>
  matches(request.headers.get("if-none-match"), etag);

/** Weak comparison, as `If-None-Match` requires. */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
