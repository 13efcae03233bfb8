/**
 * Broadcasts pushed over HTTP. The Worker forwards the body of a request to `/ingest/{streamKey}` to
 *   POST /push   Authorization: Bearer {ENCODER_SECRET, or a gateway's credential}, X-Stream-Key, X-Worker-Url (the encoder service only; a gateway
 *   has its own)
 * The body is MPEG-TS, FLV or fragmented MP4 and lasts as long as the broadcast. The response is one line with a PushAnswer, sent
 * immediately when the broadcast is refused.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PushAnswer } from "../../../protocol/live.ts";
import type { Reception } from "./incoming.ts";

const DRAIN_MS = 3000;

/** The caller must be authenticated. */
export async function takePush(
  request: IncomingMessage,
  response: ServerResponse,
  reception: Reception,
): Promise<void> {
  const streamKey = request.headers["x-stream-key"];
  const remote = `${request.socket.remoteAddress}:${request.socket.remotePort}`;
  const admission = await reception.admit({
    protocol: "http",
    streamKey: typeof streamKey === "string" ? streamKey : "",
    remote,
  });
  if (!admission.accepted) return answer(request, response, { accepted: false, reason: admission.reason });
  let endReason = "";
  await admission.take(bytesOf(request), (reason) => (endReason = reason));
  answer(request, response, { accepted: true, reason: endReason });
}

/** Ends without an error when the request is aborted. */
async function* bytesOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // Keep the request open after reading stops, because the answer is still to be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) yield chunk;
  } catch {
    // The broadcaster disconnected; keep the bytes received so far.
  }
}

/**
 * Sends the answer line immediately, but ends the response only when the rest of the body has been read or DRAIN_MS has passed. A
 * connection closed with unread bytes would be reset, and the answer lost.
 */
function answer(request: IncomingMessage, response: ServerResponse, body: PushAnswer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, { "content-type": "application/json" }).write(`${JSON.stringify(body)}\n`);
  if (request.readableEnded || request.destroyed) return void response.end();
  const timer = setTimeout(() => request.destroy(), DRAIN_MS);
  request.once("end", () => response.end());
  request.once("close", () => {
    clearTimeout(timer);
    response.end();
  });
  request.resume();
}
