import type { RangedPlan } from "./copy-state.ts";
import { missingParts, partRange } from "./copy-state.ts";
import { uploadPartStreamed } from "./part-upload.ts";
import type { SeenSource } from "./ranged-get.ts";
import { fetchRange } from "./ranged-get.ts";

/** Each part holds two connections, and a Worker has six. */
const PARALLEL_PARTS = 3;

export interface RangedProgress {
  plan: RangedPlan;
  /** The first failure. Parts that were running at that time have been completed. */
  failure: unknown;
}

/**
 * Copies missing parts until `isOver`; no part starts after that, but at least one starts. Never throws: parts copied before a failure
 * stay copied.
 */
export async function copyParts(
  source: SeenSource,
  upload: R2MultipartUpload,
  plan: RangedPlan,
  isOver: () => boolean,
): Promise<RangedProgress> {
  const etags = [...plan.etags];
  const queue = missingParts(plan);
  let failure: unknown = null;

  async function copyNext(): Promise<void> {
    do {
      const partNumber = queue.shift();
      if (partNumber === undefined) return;
      try {
        etags[partNumber - 1] = await copyPart(source, upload, plan, partNumber);
      } catch (error) {
        failure ??= error;
      }
    } while (failure === null && !isOver());
  }

  await Promise.all(Array.from({ length: PARALLEL_PARTS }, copyNext));
  return { plan: { ...plan, etags }, failure };
}

function copyPart(
  source: SeenSource,
  upload: R2MultipartUpload,
  plan: RangedPlan,
  partNumber: number,
): Promise<string> {
  const { first, last } = partRange(plan, partNumber);
  return uploadPartStreamed(upload, partNumber, last - first + 1, (write) => fetchRange(source, first, last, write));
}
