import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import type { SourceContent } from "./source-content.ts";

/** How the bytes of a file are sent. Every field may change while the server runs. */
export interface ContentBehaviour {
  contentType?: string;
  /** Default true. False: every answer is a 200 with the whole file. */
  ranges?: boolean;
  /** False: a 200 comes chunked, without `Content-Length`. */
  announceLength?: boolean;
  etag?: string | (() => string);
  lastModified?: string;
  /** Answer at most this many bytes to a range request, as RFC 9110 allows. */
  maxRangeBytes?: number;
  /** Break the connection with a reset after this many bytes of a body. */
  resetAfterBytes?: number | (() => number | undefined);
  /** Fall silent after this many bytes of a body. */
  hangAfterBytes?: number;
  /** End a chunked body properly, but after this many bytes. */
  endAfterBytes?: number;
  /** Claim this size in `Content-Range` and `Content-Length` in place of the real one. */
  claimedSize?: number;
  /** Start the answer at this offset from the requested first byte. */
  rangeShift?: number;
  /** Pieces of this many bytes, each `intervalMs` after the one before. */
  trickle?: { bytes: number; intervalMs: number };
  headers?: Record<string, string>;
}

const PIECE_BYTES = 256 * 1024;

export async function sendContent(
  content: SourceContent,
  behaviour: ContentBehaviour,
  request: IncomingMessage,
  response: ServerResponse,
  count: (bytes: number) => void,
): Promise<void> {
  const size = behaviour.claimedSize ?? content.size;
  const etag = typeof behaviour.etag === "function" ? behaviour.etag() : behaviour.etag;
  const headers: Record<string, string | number> = {
    "content-type": behaviour.contentType ?? "application/octet-stream",
    ...(etag === undefined ? {} : { etag }),
    ...(behaviour.lastModified === undefined ? {} : { "last-modified": behaviour.lastModified }),
    ...behaviour.headers,
  };
  const range = behaviour.ranges === false ? null : wantedRange(request, size, etag, behaviour.lastModified);
  if (range === "unsatisfiable") return void response.writeHead(416, { "content-range": `bytes */${size}` }).end();
  const first = range?.first ?? 0;
  const end = Math.min(
    (range?.last ?? size - 1) + 1,
    first + (range === null ? Infinity : (behaviour.maxRangeBytes ?? Infinity)),
  );
  if (range === null) {
    if (behaviour.announceLength !== false) headers["content-length"] = size;
    if (behaviour.ranges !== false) headers["accept-ranges"] = "bytes";
    response.writeHead(200, headers);
  } else {
    const shift = behaviour.rangeShift ?? 0;
    headers["content-range"] = `bytes ${first + shift}-${end - 1 + shift}/${size}`;
    if (behaviour.announceLength !== false) headers["content-length"] = end - first;
    response.writeHead(206, headers);
  }
  if (request.method === "HEAD") return void response.end();
  await sendBody(content, behaviour, first, end, response, count);
}

async function sendBody(
  content: SourceContent,
  behaviour: ContentBehaviour,
  first: number,
  end: number,
  response: ServerResponse,
  count: (bytes: number) => void,
): Promise<void> {
  const { resetAfterBytes, hangAfterBytes = Infinity, endAfterBytes = Infinity, trickle } = behaviour;
  const resetAfter = (typeof resetAfterBytes === "function" ? resetAfterBytes() : resetAfterBytes) ?? Infinity;
  const stopAt = Math.min(end, first + Math.min(resetAfter, hangAfterBytes, endAfterBytes));
  for (let at = first; at < stopAt && !response.destroyed;) {
    const piece = await content.read(at, Math.min(trickle?.bytes ?? PIECE_BYTES, stopAt - at));
    if (piece.byteLength === 0) break;
    at += piece.byteLength;
    count(piece.byteLength);
    if (!response.write(piece)) await drained(response);
    if (trickle !== undefined) await new Promise((resolve) => setTimeout(resolve, trickle.intervalMs));
  }
  const sent = stopAt - first;
  if (stopAt < end && sent === resetAfter) return flushThen(response, () => response.socket?.resetAndDestroy());
  if (stopAt < end && sent === hangAfterBytes) return;
  response.end();
}

/** Ready for more, or closed. */
async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const settled = new AbortController();
  const options = { signal: settled.signal };
  await Promise.race([once(response, "drain", options), once(response, "close", options)]).catch(calledOff);
  settled.abort();
}

/** The losing wait of the two is cancelled. */
const calledOff = () => undefined;

/** A reset discards bytes that the kernel has not sent yet, so the client gets time to read them. */
function flushThen(response: ServerResponse, act: () => void): void {
  response.write("", () => setTimeout(act, 30));
}

function wantedRange(
  request: IncomingMessage,
  size: number,
  etag: string | undefined,
  lastModified: string | undefined,
): { first: number; last: number } | "unsatisfiable" | null {
  const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  if (match === null) return null;
  const ifRange = request.headers["if-range"];
  if (ifRange !== undefined && ifRange !== etag && ifRange !== lastModified) return null;
  const first = Number(match[1]);
  const last = Math.min(match[2] === "" || match[2] === undefined ? size - 1 : Number(match[2]), size - 1);
  return first >= size ? "unsatisfiable" : { first, last };
}
