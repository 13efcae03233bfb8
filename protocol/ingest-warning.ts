/** Warnings about a broadcast, from the encoder to the record of its stream. */
import { z } from "zod";

/** What can be wrong with a broadcast that goes on all the same. */
export const INGEST_WARNING_CODES = [
  "no_picture",
  "no_sound",
  "silent",
  "codec_refused",
  "interleaving",
  "frames_dropped",
] as const;

export const IngestWarning = z.object({
  code: z.enum(INGEST_WARNING_CODES),
  /** For the broadcaster, in English. With the code it identifies the warning. */
  message: z.string().max(256),
  /** First occurrence, epoch ms; at most what a `Date` can hold. */
  since: z.number().min(0).max(8.64e15),
  /** Occurrences. */
  count: z.int().positive(),
});
export type IngestWarning = z.infer<typeof IngestWarning>;
export type IngestWarningCode = IngestWarning["code"];

/** Warnings of one connection, and of a stream's record. */
export const MAX_INGEST_WARNINGS = 20;
