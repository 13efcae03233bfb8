/** The part of a response body that the delivery log keeps. */
const RESPONSE_HEAD_BYTES = 4096;

export interface ResponseBody {
  /** The first 4 KB as text. Invalid UTF-8 is replaced, and so is NUL, at which a text column would end. */
  head: string;
  ending: "whole" | "too_long" | "broken";
  /** What reading threw; null unless `ending` is `broken`. */
  error: unknown;
}

/** Reads a body up to a limit, whatever its Content-Length says, and cancels the rest. Never throws. */
export async function readResponseBody({ body }: Response, maxBytes: number): Promise<ResponseBody> {
  const kept = new Uint8Array(RESPONSE_HEAD_BYTES);
  let ending: ResponseBody["ending"] = "broken";
  let error: unknown = null;
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
  } catch (thrown) {
    error = thrown;
  } finally {
    if (ending !== "whole") reader?.cancel().catch(() => undefined); // not awaited, so that a server cannot delay us
  }
  return { ending, error, head: toText(kept.subarray(0, Math.min(readBytes, kept.byteLength))) };
}

/** Decodes as a stream, so that a character cut at 4 KB is omitted rather than replaced. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\0", "\uFFFD");
}
