/** Long enough for a caller on a busy machine to read a few bytes. */
const LINGER_MS = 2000;

/**
 * The same answer, on a connection that stays open for a moment after the last byte (RFC 9112 §9.6). It is for answers that are given while
 * the caller still sends: closed at once, the connection would break under what is on its way, and many callers see the failed write first
 * and never read why. One who has read the answer may leave.
 *
 * All of the request has to be read meanwhile: a client that has written it all takes the connection for one that it may use again, and
 * its next request would meet the end of it.
 *
 * @param isRead settles when nothing is left of the request
 */
export async function lingering(answer: Response, isRead: Promise<unknown>): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const { readable, writable } = new FixedLengthStream(bytes.byteLength);
  const headers = new Headers(answer.headers);
  headers.delete("content-length"); // the stream's own
  void give(writable, bytes, isRead);
  return new Response(readable, { status: answer.status, headers });
}

async function give(writable: WritableStream<Uint8Array>, bytes: Uint8Array, isRead: Promise<unknown>): Promise<void> {
  const writer = writable.getWriter();
  try {
    await writer.write(bytes);
    await Promise.race([isRead, writer.closed, new Promise((resolve) => setTimeout(resolve, LINGER_MS))]);
    await writer.close();
  } catch {
    // The caller has left.
  }
}
