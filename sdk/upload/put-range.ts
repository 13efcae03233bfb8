import { apiErrorOf, ConnectionError } from "../api/errors.ts";
import { askedDelayMs, isTransient } from "../api/retry-delay.ts";

/** A part of a file for an upload URL; without bytes, the question what is stored. */
export interface Range {
  offset: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** Size of the whole file; null = not known yet. */
  totalBytes: number | null;
}

/** What an upload URL answers. */
export type Outcome =
  | { kind: "stored"; bytes: number }
  | { kind: "complete" }
  /** Worth a repetition. @property delayMs that the answer asks for; null = none */
  | { kind: "failed"; error: Error; delayMs: number | null };

/** A connection that is slower than this on average is taken for a broken one. */
const SLOWEST_BYTES_PER_SECOND = 16_384;
const GRACE_MS = 60_000;

/**
 * Sends one PUT of the resumable protocol (docs/guides/uploading.md, Send a file in chunks).
 *
 * @throws {ApiError} for an answer that a repetition does not change; the signal's reason
 */
export async function putRange(
  url: string,
  { offset, bytes, totalBytes }: Range,
  { fetch, signal }: { fetch: (request: Request) => Promise<Response>; signal: AbortSignal | undefined },
): Promise<Outcome> {
  const place = bytes.byteLength === 0 ? "*" : `${offset}-${offset + bytes.byteLength - 1}`;
  const limit = AbortSignal.timeout(GRACE_MS + Math.ceil(bytes.byteLength / SLOWEST_BYTES_PER_SECOND) * 1000);
  const request = new Request(url, {
    method: "PUT",
    headers: { "content-range": `bytes ${place}/${totalBytes ?? "*"}` },
    body: bytes.byteLength === 0 ? null : bytes,
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  });
  let response: Response;
  try {
    response = await fetch(request);
  } catch (cause) {
    signal?.throwIfAborted();
    const error = new ConnectionError(`the upload at ${new URL(url).origin} does not answer${origin()}`, { cause });
    return { kind: "failed", error, delayMs: null };
  }
  if (response.ok) return { kind: "complete" };
  if (response.status === 308) return { kind: "stored", bytes: storedBytes(response.headers.get("range")) };
  const error = await apiErrorOf(response);
  if (!isTransient(response.status)) throw error;
  const delayMs = askedDelayMs(response.headers.get("retry-after"), Date.now());
  if (delayMs === Infinity) throw error;
  return { kind: "failed", error, delayMs };
}

/** Stored bytes by `Range: bytes=0-N`; none without the header. */
function storedBytes(range: string | null): number {
  const [, last] = /^bytes=0-(\d+)$/.exec(range ?? "") ?? [];
  return last === undefined ? 0 : Number(last) + 1;
}

/** A browser does not tell a page whether the server was not reached or does not accept the page's origin. */
function origin(): string {
  const { document, location } = globalThis as { document?: unknown; location?: { origin: string } };
  if (document === undefined || location === undefined) return "";
  return `, or was created with a corsOrigin that is not this page's: ${location.origin}`;
}
