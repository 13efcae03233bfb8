import { z } from "@hono/zod-openapi";
import { INGEST_WARNING_CODES } from "../../protocol/ingest-warning.ts";
import { Timestamp } from "./fields.ts";

export const IngestWarningRecord = z
  .object({
    code: z.enum(INGEST_WARNING_CODES),
    message: z.string().openapi({ description: "For people", example: "No sound has arrived." }),
    since: Timestamp.openapi({ description: "First occurrence" }),
    count: z.int().positive().openapi({ description: "Occurrences in the broadcast" }),
  })
  .openapi("IngestWarning");

export const INGEST_WARNINGS = {
  description: "What was wrong with the last broadcast, up to 20 entries; kept until the next one begins",
};
