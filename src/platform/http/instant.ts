import { z } from "@hono/zod-openapi";

/** Date, time with seconds and UTC offset; any number of fraction digits. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const IN_WORDS =
  "an ISO 8601 instant with seconds and a UTC offset, for example `2026-05-20T12:50:15.662Z`; in a URL, `+` is written `%2B`";

/** A time in a request (RFC 3339 §5.6, upper case), truncated to milliseconds. */
export const Instant = z.iso
  .datetime({ offset: true })
  .regex(RFC_3339, IN_WORDS)
  .transform((text) => new Date(text))
  .openapi({ type: "string", format: "date-time", example: "2026-05-20T12:50:15.662Z" });
