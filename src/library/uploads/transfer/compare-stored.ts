import type { Env } from "../../../platform/env.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { pieceKey } from "../../../platform/storage/keys.ts";
import { placePieces, rangesOf } from "../../sources/index.ts";
import { uploadMachine } from "../upload-calls.ts";
import { BodyReader } from "./store-piece.ts";

/** Each is one read of R2. Published clients send chunks of 5 MiB and more, so that a body of 100 MB repeats 20 of them. */
const MAX_COMPARED_PIECES = 32;

/** Bytes of the file that a client has sent though they are stored. */
interface Repeated {
  offset: number;
  length: number;
}

/**
 * Reads repeated bytes from a body and compares them with the stored ones: otherwise two files would be mixed.
 *
 * @throws {Problem} bad_chunk when they differ, or repeat too many pieces
 */
export async function requireRepeated(env: Env, uploadId: string, { offset, length }: Repeated, body: BodyReader) {
  if (length === 0) return;
  const placed = placePieces((await uploadMachine(env, uploadId).readPieces(uploadId))?.pieces ?? []);
  const ranges = rangesOf(placed, offset, length);
  if (ranges.length > MAX_COMPARED_PIECES)
    throw new Problem("bad_chunk", `${placed.size} bytes are stored already; continue after them`);
  let at = offset;
  for (const { piece, ...range } of ranges) {
    const stored = await env.MEDIA.get(pieceKey(uploadId, piece), { range });
    // The bytes of a deleted media are gone.
    const same = await commonLength(stored?.body ?? null, body, range.length);
    if (same < range.length) throw otherFile(at + same);
    at += range.length;
  }
}

/** The same for a piece that was stored while another client stored these bytes. */
export async function requirePieceRepeated(env: Env, uploadId: string, piece: number, { offset, length }: Repeated) {
  const object = await env.MEDIA.get(pieceKey(uploadId, piece));
  if (object !== null) await requireRepeated(env, uploadId, { offset, length }, new BodyReader(object.body));
}

const otherFile = (at: number) =>
  new Problem(
    "bad_chunk",
    `byte ${at} differs from what is stored: the upload has begun with another file; create an upload for this one`,
  );

/** How many of the next `length` bytes are the same; all of them when there is nothing to compare with. */
async function commonLength(
  stored: ReadableStream<Uint8Array> | null,
  body: BodyReader,
  length: number,
): Promise<number> {
  const expected = stored === null ? null : new BodyReader(stored);
  for (let at = 0; at < length;) {
    const sent = await body.read(length - at);
    if (sent === null) throw new Error("the body has ended early");
    for (let rest = sent; rest.byteLength > 0;) {
      const bytes = expected === null ? rest : await expected.read(rest.byteLength);
      if (bytes === null) throw new Error("the stored piece has ended early");
      const repeated = rest.subarray(0, bytes.byteLength);
      if (Buffer.compare(bytes, repeated) !== 0) {
        await expected?.cancel();
        return at + repeated.findIndex((byte, index) => byte !== bytes[index]);
      }
      at += bytes.byteLength;
      rest = rest.subarray(bytes.byteLength);
    }
  }
  return length;
}
