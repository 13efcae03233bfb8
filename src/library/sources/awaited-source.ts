import type { RangeReader } from "../../media/mp4/range-reader.ts";
import { atMost } from "../../platform/at-most.ts";
import { uploadFile } from "./upload-file-calls.ts";
import { NotArrived, openUploadedSource, type UploadEnv } from "./uploaded-source.ts";

/** Reads of one isolate that wait for uploads. Each is a request that stays open. */
const MAX_HELD_READS = 512;

/** @throws {NotArrived} when too many others wait */
export const holdRead = atMost(MAX_HELD_READS, () => new NotArrived("too many reads wait for uploads"));

/**
 * Opens an uploaded file for viewers. A read of bytes that are still to come waits for them for a bounded time (`upload-machine/arrival-waits.ts`).
 *
 * @throws {SourceError} source_not_found; reads throw `NotArrived` when the bytes have not come in time
 */
export async function openAwaitedSource(env: UploadEnv, assetId: string): Promise<RangeReader> {
  let source = await openUploadedSource(env, assetId);
  return {
    size: source.size,
    async read(offset, length) {
      try {
        return await source.read(offset, length);
      } catch (error) {
        if (!(error instanceof NotArrived) || !(await holdRead(() => arrival(env, assetId, offset + length))))
          throw error;
      }
      source = await openUploadedSource(env, assetId);
      return await source.read(offset, length);
    },
  };
}

async function arrival(env: UploadEnv, assetId: string, untilBytes: number): Promise<boolean> {
  const answer = await uploadFile(env, assetId).awaitArrival(assetId, untilBytes);
  return answer?.hasArrived === true;
}
