/** `POST /images`, documented in protocol/images.ts. */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  bodyBytesOf,
  IMAGE_HEADER,
  ImageRequest,
  MAX_IMAGE_BODY_BYTES,
  MAX_IMAGE_REQUEST_BYTES,
} from "../../protocol/images.ts";
import { boundedFields, crashText } from "../../protocol/error-fields.ts";
import { log, logWarning } from "../../protocol/log.ts";
import { readBounded } from "../../protocol/read-bounded.ts";
import { isMediaLength, isRequestLength } from "./limits.ts";
import type { ImageOrigin, ImagePool } from "./image-pool.ts";

/** @param origin `assetId` is for the log; null when the Worker does not name it */
export async function answerImage(
  request: IncomingMessage,
  response: ServerResponse,
  pool: ImagePool,
  { assetId, ...origin }: ImageOrigin & { assetId: string | null },
): Promise<void> {
  const asked = await readRequest(request);
  if (asked === null) {
    request.resume(); // the client reads the response only after sending its body
    return refuse(response, 422, "invalid_request");
  }
  const { wanted, media } = asked;
  const startedMs = performance.now();
  const gone = new AbortController();
  response.once("close", () => gone.abort()); // also at the end of the response, when it changes nothing
  const outcome = await pool.make(wanted, media, origin, gone.signal);
  if (outcome === "busy") return refuse(response, 429, "busy");
  if (outcome === "gone") return log("image.given_up", { assetId, kind: wanted.kind });
  const facts = { assetId, kind: wanted.kind, ms: Math.round(performance.now() - startedMs), bytesIn: media.length };
  if (outcome.type === "failed") {
    const { code, message, how, unexpected } = outcome;
    const reason = how === undefined ? message : crashText(how);
    logWarning("image.failed", { ...facts, code, reason, ...(unexpected ? boundedFields(unexpected) : {}) });
    return refuse(response, outcome.code === "source_damaged" ? 422 : 500, outcome.code);
  }
  log("image.made", { ...facts, bytesOut: outcome.bytes.length });
  response.writeHead(200, { "Content-Type": outcome.contentType, "Content-Length": outcome.bytes.length });
  response.end(outcome.bytes);
}

/** Null for a body that is too long, of another length than its request says, or without a request. */
async function readRequest(request: IncomingMessage): Promise<{ wanted: ImageRequest; media: Uint8Array } | null> {
  const requestBytes = Number(request.headers[IMAGE_HEADER]);
  if (!isRequestLength(requestBytes)) return null;
  const body = await readBounded(
    request.iterator({ destroyOnReturn: false }),
    MAX_IMAGE_REQUEST_BYTES + MAX_IMAGE_BODY_BYTES,
  );
  if (body === null) return null;
  const wanted = ImageRequest.safeParse(jsonOf(body.subarray(0, requestBytes)));
  const media = body.subarray(requestBytes);
  const isMeant = wanted.success && isMediaLength(wanted.data) && media.length === bodyBytesOf(wanted.data);
  return isMeant ? { wanted: wanted.data, media } : null;
}

/** Undefined when it is not JSON. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify({ error }));
}
