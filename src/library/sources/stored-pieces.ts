import { z } from "zod";
import type { Env } from "../../platform/env.ts";
import { pieceKey, pieceListKey } from "../../platform/storage/keys.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { type PieceList, type PieceRange, placePieces, type PlacedPieces, rangesOf } from "./piece-list.ts";

type Bucket = Pick<Env, "MEDIA">;

const StoredList = z.array(z.tuple([z.int(), z.int().positive()]));

/** The list of a complete upload never changes. */
const KEPT_MS = 60_000;
const lists = new TtlCache<PlacedPieces>(32);

/** Repeatable. */
export async function storePieceList(env: Bucket, assetId: string, pieces: PieceList): Promise<void> {
  await env.MEDIA.put(pieceListKey(assetId), JSON.stringify(pieces));
}

/** @returns null when the asset's source is not a complete upload */
export async function findPieces(env: Bucket, assetId: string): Promise<PlacedPieces | null> {
  const known = lists.get(assetId, Date.now());
  if (known !== undefined) return known;
  const object = await env.MEDIA.get(pieceListKey(assetId));
  if (object === null) return null;
  const placed = placePieces(StoredList.parse(await object.json()));
  lists.set(assetId, placed, Date.now() + KEPT_MS);
  return placed;
}

/** Ranges of several pieces are read at the same time, at most this many. A Worker has six connections. */
const PARALLEL_READS = 4;

/** Fills `target` with the file's bytes from `offset`. @returns the number of bytes read, fewer only at the end of the file */
export async function readPieces(
  env: Bucket,
  assetId: string,
  placed: PlacedPieces,
  offset: number,
  target: Uint8Array,
): Promise<number> {
  let filled = 0;
  const reads = rangesOf(placed, offset, target.byteLength).map((range) => {
    filled += range.length;
    return { range, at: filled - range.length };
  });
  const readNext = async (): Promise<void> => {
    for (let next = reads.shift(); next !== undefined; next = reads.shift()) {
      const bytes = await (await openRange(env, assetId, next.range)).arrayBuffer();
      target.set(new Uint8Array(bytes), next.at);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_READS, reads.length) }, readNext));
  return filled;
}

/** The file's bytes from `offset`, piece after piece. */
export function streamPieces(
  env: Bucket,
  assetId: string,
  placed: PlacedPieces,
  { offset, length }: { offset: number; length: number },
): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length);
  const send = async () => {
    for (const range of rangesOf(placed, offset, length)) {
      const { body } = await openRange(env, assetId, range);
      await body.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  };
  send().catch((error: unknown) => writable.abort(error).catch(() => undefined)); // the reader sees the error
  return readable;
}

async function openRange(env: Bucket, assetId: string, { piece, offset, length }: PieceRange): Promise<R2ObjectBody> {
  const object = await env.MEDIA.get(pieceKey(assetId, piece), { range: { offset, length } });
  if (object === null) throw new Error("a piece of the uploaded source is gone");
  return object;
}
