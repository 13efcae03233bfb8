/** How much of an answer is kept for the delivery log. */
export const RESPONSE_HEAD_BYTES = 4096;

export interface ResponseBody {
  /** The first 4 KB as text; what is no UTF-8 is replaced, and NUL too, which a text column would end at. */
  head: string;
  ending: "whole" | "too_long" | "broken";
  /** What a read threw, with `broken`. */
  trouble: unknown;
}

/** Reads a body up to a limit and lets go of the rest, however it ends. Never throws. */
export async function readResponseBody(response: Response, maxBytes: number): Promise<ResponseBody> {
  if (response.headers.get("content-length") !== "0") return await readPieces(response.body, maxBytes);
  await response.arrayBuffer().catch(() => undefined); // nothing comes; this costs a quarter of what a reader does
  return { ending: "whole", trouble: null, head: "" };
}

async function readPieces(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<ResponseBody> {
  const kept = new Uint8Array(RESPONSE_HEAD_BYTES);
  let ending: ResponseBody["ending"] = "broken";
  let trouble: unknown = null;
  let readBytes = 0;
  const reader = body?.getReader();
  try {
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) {
        ending = "whole";
        break;
      }
      if (readBytes < kept.byteLength) kept.set(piece.value.subarray(0, kept.byteLength - readBytes), readBytes);
      readBytes += piece.value.byteLength;
      if (readBytes > maxBytes) {
        ending = "too_long";
        break;
      }
    }
  } catch (error) {
    trouble = error;
  } finally {
    if (ending !== "whole") reader?.cancel().catch(() => undefined); // Not waited for: a server cannot hold us by it.
  }
  return { ending, trouble, head: toText(kept.subarray(0, Math.min(readBytes, kept.byteLength))) };
}

/** As a stream, so that a character that the 4 KB cut in two is left out rather than replaced. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\0", "\uFFFD");
}
