import { Problem } from "../../../platform/http/problems.ts";
import { refuseFile } from "./refuse-file.ts";

/** Bytes of a list. Its rows are far shorter: 500,000 of them have 500 bytes each. */
export const MAX_LIST_BYTES = 256 << 20;

/**
 * The text of a file, piece by piece, without its byte order mark.
 *
 * @param charset a label of the Encoding standard; UTF-8 when null
 * @throws {Problem} body_too_large; validation_failed for another charset than is said
 */
export async function* decodeText(
  pieces: AsyncIterable<Uint8Array>,
  charset: string | null,
  maxBytes = MAX_LIST_BYTES,
): AsyncGenerator<string> {
  const decoder = decoderOf(charset ?? "utf-8");
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    const text = decode(decoder, piece);
    if (text !== "") yield text;
  }
  const rest = decode(decoder);
  if (rest !== "") yield rest;
}

export const tooLong = (maxBytes: number) => new Problem("body_too_large", `at most ${maxBytes >> 20} MiB`);

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: false });
  } catch {
    throw refuseFile("has a charset that is not known", "use UTF-8", "content-type");
  }
}

function decode(decoder: TextDecoder, piece?: Uint8Array): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    const { encoding } = decoder;
    throw refuseFile(
      `is not text in ${encoding}`,
      "use UTF-8, or name the charset: `Content-Type: text/csv; charset=windows-1252`",
    );
  }
}
