/** Fields of records, in answers of the API and in events. */
import { z } from "@hono/zod-openapi";

/** UTC with microseconds (media contract, Timestamps). */
export const Timestamp = z.iso.datetime({ precision: 6 });
/** Identifier of a stream or of a simulcast target. */
export const HexId = z.string().regex(/^[0-9a-f]{32}$/);
/** As stored; `Metadata` of `platform/http/fields.ts` checks what a request says. */
export const MetadataRecord = z.record(z.string(), z.string());

/** Of moderation: from 0 (certainly not) to 1 (certainly). */
export const Score = z.number().min(0).max(1);
