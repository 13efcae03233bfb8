/** What every job of the encoder has (protocol/jobs.ts). */
import { z } from "zod";

/** The requested range, in file time from its first frame. `endMs` null = to the end. */
export const ClipRange = z.object({ startMs: z.number().min(0), endMs: z.number().positive().nullable() });
export type ClipRange = z.infer<typeof ClipRange>;

export const JobBase = z.object({
  jobId: z.string(),
  assetId: z.string(),
  attempt: z.int().min(1),
  callbackUrl: z.url(),
  token: z.string(),
  expiresAt: z.number(), // epoch ms after which the token is refused
  leaseMs: z.number().positive(), // without a heartbeat for this long the job is reassigned
  clip: ClipRange,
});

/** Files of a montage. */
export const MAX_MONTAGE_FILES = 20;
/** A further file; file 0 is the source. */
export const MontageFile = z
  .int()
  .min(1)
  .max(MAX_MONTAGE_FILES - 1);
