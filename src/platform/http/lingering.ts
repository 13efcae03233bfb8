/**
 * A response sent while the client is still sending its body stays open until the rest of the body has been read (RFC 9112 §9.6). If the
 * connection were closed at once, the client's next write would fail, and many clients would report that failure instead of reading the
 * response. Reading the rest also lets the client reuse the connection.
 */
import { createMiddleware } from "hono/factory";
import type { AppContext } from "./router.ts";

/** How long the client has to finish its body after the response was sent. */
const LINGER_MS = 2000;
/** Most bytes read of the rest: the longest body that the Worker accepts. */
const LINGER_BYTES = 64 << 20;

/**
 * Applies to every refused request with a body, whichever handler or middleware refused it. Successful requests are unaffected, except those
 * whose handler has set `bodyIsRead`.
 */
export const lingerOnRefusal = createMiddleware<AppContext>(async (c, next) => {
  const request = c.req.raw; // `boundApiBodies` replaces it
  await next();
  const { bodyIsRead } = c.var;
  if (bodyIsRead !== undefined) c.res = await lingering(c.res, () => bodyIsRead);
  else if (c.res.status >= 400) {
    const { body } = request;
    if (body !== null && !body.locked) c.res = await lingering(c.res, () => readRest(body));
  }
});

/** Never rejects. */
export async function readRest(body: ReadableStream<Uint8Array>): Promise<void> {
  let bytes = 0;
  try {
    for await (const piece of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
      bytes += piece.byteLength;
      if (bytes > LINGER_BYTES) return;
    }
  } catch {
    // The client has left.
  }
}

/** @param finish called once the response has been written; settles when the request body has been read */
export async function lingering(answer: Response, finish: () => Promise<unknown>): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const { readable, writable } = new FixedLengthStream(bytes.byteLength);
  const headers = new Headers(answer.headers);
  headers.delete("content-length"); // the stream's own
  void send(writable, bytes, finish);
  return new Response(readable, { status: answer.status, headers });
}

/** Never rejects. */
async function send(
  writable: WritableStream<Uint8Array>,
  bytes: Uint8Array,
  finish: () => Promise<unknown>,
): Promise<void> {
  const writer = writable.getWriter();
  try {
    await writer.write(bytes);
    await Promise.race([finish(), writer.closed, new Promise((resolve) => setTimeout(resolve, LINGER_MS))]);
    await writer.close();
  } catch {
    // The client has left.
  }
}
