import { connectionFailureOfStatus, parseRetryAfterMs } from "../../platform/network/index.ts";
import type { SourceErrorCode } from "./source-errors.ts";
import { SOURCE_ERROR_OF_CONNECTION, SourceError } from "./source-errors.ts";

/**
 * Maps a status other than 200 and 206 to a source error.
 *
 * @param now reference time for a `Retry-After` date
 */
export function refusalOfStatus(status: number, headers: Headers, now: Date): SourceError {
  const retryAfterMs = parseRetryAfterMs(headers.get("retry-after"), now);
  // RFC 9110 §15.5.17: an empty file has no range that could be answered.
  if (status === 416 && /^bytes \*\/0$/.test(headers.get("content-range") ?? ""))
    return new SourceError("source_empty");
  return new SourceError(codeOfStatus(status), { detail: `status ${status}`, retryAfterMs });
}

function codeOfStatus(status: number): SourceErrorCode {
  if (status === 404 || status === 410) return "source_not_found";
  if (status === 401 || status === 403) return "source_denied";
  if (status === 204) return "source_empty";
  if (status === 416) return "source_length_mismatch";
  if (status === 408 || status === 425 || status === 429) return "source_unavailable";
  const unreached = connectionFailureOfStatus(status);
  if (unreached !== null) return SOURCE_ERROR_OF_CONNECTION[unreached];
  return status >= 500 ? "source_unavailable" : "source_bad_status";
}

/** What a response states about the whole file. Size in bytes; null = not stated. */
export interface AnsweredFile {
  size: number | null;
  /** Strong validators only: a weak one may stay the same while bytes change (RFC 9110 §8.8.1). */
  etag: string | null;
  lastModified: string | null;
}

/** `Content-Range: bytes first-last/size`, RFC 9110 §14.4; null when it is missing or unreadable. */
export function parseContentRange(value: string | null): { first: number; last: number; size: number | null } | null {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(value ?? "");
  if (match === null) return null;
  const [, first, last, size] = match;
  return { first: Number(first), last: Number(last), size: size === "*" ? null : Number(size) };
}

export function answeredFile(answer: { status: 200 | 206; headers: Headers }): AnsweredFile {
  const { status, headers } = answer;
  const etag = headers.get("etag");
  return {
    size: status === 206 ? (parseContentRange(headers.get("content-range"))?.size ?? null) : contentLength(headers),
    etag: etag === null || etag.startsWith("W/") ? null : etag,
    lastModified: headers.get("last-modified"),
  };
}

/** The length of the body; null also under a content coding, because then the decoded length differs. */
export function contentLength(headers: Headers): number | null {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") return null;
  const length = headers.get("content-length");
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** Whether both responses can describe the same bytes. A property that one of them does not state counts as equal. */
export function isSameFile(one: AnsweredFile, other: AnsweredFile): boolean {
  return agree(one.size, other.size) && agree(one.etag, other.etag) && agree(one.lastModified, other.lastModified);
}

const agree = <T>(one: T | null, other: T | null) => one === null || other === null || one === other;
