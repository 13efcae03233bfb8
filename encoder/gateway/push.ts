/**
 * Broadcasts pushed over HTTP: the Worker passes the body of a request to `/ingest/{streamKey}` on to
 *   POST /push   Authorization: Bearer {ENCODER_SECRET, or a gateway's credential}, X-Stream-Key, X-Worker-Url (the encoder service only; a gateway has its own)
 * MPEG-TS, FLV or fragmented MP4, for as long as the broadcast lasts. The answer is a line with a PushAnswer, at
 * once when it is refused.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PushAnswer } from "../../protocol/live.ts";
import type { Reception } from "./incoming.ts";

const DRAIN_MS = 3000;

/** The caller has been found to know the secret. */
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
  let why = "";
  await admission.take(bytesOf(request), (reason) => (why = reason));
  answer(request, response, { accepted: true, reason: why });
}

/** Ends, without an error, also when the request breaks off. */
async function* bytesOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // Kept open when nothing more is read, so that the answer can still be given.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) yield chunk;
  } catch {
    // The broadcaster is gone: what came is kept.
  }
}

/**
 * The answer goes out at once, as a line; the response ends when the rest of the body has been read, or after a moment. Until then the Worker
 * keeps reading from the broadcaster: a connection with unread bytes would be reset, and take the answer with it.
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
