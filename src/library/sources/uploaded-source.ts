import type { RangeReader } from "../../media/mp4/range-reader.ts";
import type { Env } from "../../platform/env.ts";
import { placePieces, type PlacedPieces } from "./piece-list.ts";
import { SourceError } from "./source-errors.ts";
import { findPieces, readPieces } from "./stored-pieces.ts";
import { uploadFile } from "./upload-file-calls.ts";

export type UploadEnv = Pick<Env, "MEDIA" | "UPLOAD_MACHINE">;

/** An uploaded file, as far as it has arrived. */
export interface UploadedSource extends RangeReader {
  isWhole: boolean;
  storedBytes: number;
}

/** The bytes asked for are still to come. */
export class NotArrived extends Error {
  override readonly name = "NotArrived";
}

/**
 * Opens an uploaded file. Reads of one that is still coming in throw `NotArrived` beyond what is stored.
 *
 * @throws {SourceError} source_not_found when there is no such upload
 */
export async function openUploadedSource(env: UploadEnv, assetId: string): Promise<UploadedSource> {
  const whole = await findPieces(env, assetId);
  if (whole !== null) return readerOf(env, assetId, { placed: whole, isWhole: true, size: whole.size });
  const arrived = await uploadFile(env, assetId).readPieces(assetId);
  if (arrived === null) throw new SourceError("source_not_found");
  const placed = placePieces(arrived.pieces);
  return readerOf(env, assetId, { placed, isWhole: arrived.isWhole, size: arrived.totalBytes });
}

function readerOf(
  env: UploadEnv,
  assetId: string,
  { placed, isWhole, size }: { placed: PlacedPieces; isWhole: boolean; size: number | null },
): UploadedSource {
  async function readInto(offset: number, target: Uint8Array): Promise<number> {
    const wanted = target.subarray(0, Math.max(0, Math.min(target.byteLength, (size ?? Infinity) - offset)));
    if (offset + wanted.byteLength > placed.size) throw new NotArrived("these bytes are still to come");
    return await readPieces(env, assetId, placed, offset, wanted);
  }
  return {
    size,
    isWhole,
    storedBytes: placed.size,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, (size ?? Infinity) - offset)));
      await readInto(offset, bytes);
      return bytes;
    },
    readInto,
  };
}
