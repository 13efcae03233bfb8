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

/** Checks Content-Length. @throws {Problem} body_too_large */
export function requireLength(request: Request, maxBytes: number): void {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

const tooLarge = (maxBytes: number) =>
  new Problem("body_too_large", maxBytes % 1024 === 0 ? `at most ${maxBytes / 1024} KiB` : `at most ${maxBytes} bytes`);
