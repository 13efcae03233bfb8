/**
 * Reads a whole body, up to a limit.
 *
 * @param pieces of the body; an iterator that does not close the stream keeps the connection open for a response
 * @returns null as soon as the body exceeds the limit; the rest is not read
 */
export async function readBounded(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.byteLength;
    if (length > maxBytes) return null;
    kept.push(piece);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of kept) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
