/**
 * Broadcasts pushed over HTTP: the Worker passes the body of a request to `/ingest/{streamKey}` on to
 *   POST /push   Authorization: Bearer {ENCODER_SECRET}, X-Stream-Key, X-Worker-Url (the encoder service only; a gateway has its own)
 * MPEG-TS, FLV or fragmented MP4, for as long as the broadcast lasts. The answer is a PushAnswer, at once when it is refused.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PushAnswer } from "../live/protocol.ts";
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

function answer(request: IncomingMessage, response: ServerResponse, body: PushAnswer): void {
  if (response.headersSent || response.destroyed) return;
  // The connection stays, and what of the body is still on its way is passed over for a moment: one that breaks takes the answer with it.
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  request.resume();
  const timer = setTimeout(() => request.destroy(), DRAIN_MS);
  request.once("close", () => clearTimeout(timer));
}
