import { readBounded } from "../../../protocol/read-bounded.ts";
import { Problem } from "./problems.ts";

/**
 * The body of a request. Reads at most `maxBytes`, regardless of Content-Length; the rest remains readable (`lingering.ts`).
 *
 * @throws {Problem} body_too_large
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  requireLength(request, maxBytes);
  if (request.body === null) return new Uint8Array(0);
  const bytes = await readBounded(request.body.values({ preventCancel: true }), maxBytes);
  if (bytes === null) throw tooLarge(maxBytes);
  return bytes;
}

/**
 * The length that HTTP ends the body at; null = it is not known. A message with Transfer-Encoding may end anywhere, whatever its Content-Length says
 * (RFC 9112 §6.3): `content-length: 0` would make an endless body look empty.
 */
export function statedLength(headers: Headers): number | null {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(length) && !headers.has("transfer-encoding") ? Number(length) : null;
}

/** Checks Content-Length. @throws {Problem} body_too_large */
export function requireLength(request: Request, maxBytes: number): void {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

const tooLarge = (maxBytes: number) =>
  new Problem("body_too_large", maxBytes % 1024 === 0 ? `at most ${maxBytes / 1024} KiB` : `at most ${maxBytes} bytes`);
