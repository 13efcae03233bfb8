import { z } from "@hono/zod-openapi";
import { MAX_FILTERS, TIMESPANS } from "../questions/scope.ts";
import { EXPORT_FIELDS } from "./export-fields.ts";
import { ROW_FORMATS } from "../../platform/row-formats.ts";

const MAX_LIFETIME_SECONDS = 604_800; // 7 days
const SPANS = Object.keys(TIMESPANS);

const Span = z
  .union([z.string(), z.array(z.union([z.string(), z.int()])).max(2)])
  .default("24:hours")
  .transform((given) => [given].flat().map(String))
  .openapi({
    type: "array",
    items: { type: "string" },
    description: `One of ${SPANS.join(", ")}, as a text or a list of one; or a list of two: the start and the end in epoch seconds. A relative time span ends now: every download has the same views`,
    default: ["24:hours"],
  });

export const CreateExport = z
  .object({
    timespan: Span,
    filterby: z
      .array(z.string())
      .max(MAX_FILTERS)
      .default([])
      .openapi({ description: "dimension:value, or !dimension:value to exclude" }),
    fields: z
      .array(z.enum(EXPORT_FIELDS as [string, ...string[]]))
      .min(1)
      .max(EXPORT_FIELDS.length)
      .optional()
      .openapi({ description: "Fields of a view, in the order of the columns; by default all" }),
    format: z.enum(ROW_FORMATS).default("json").openapi({
      description: "json: one array; ndjson: one object per line; csv: with a line of names, for spreadsheets",
    }),
    expiresIn: z
      .int()
      .min(60)
      .max(MAX_LIFETIME_SECONDS)
      .default(3600)
      .openapi({ description: "Seconds for which it can be downloaded" }),
  })
  .openapi("CreateExport");

/** Without the URL, which only the creation's response has. */
export const ListedExport = z
  .object({
    exportId: z.uuid(),
    timespan: z.array(z.int()).openapi({ description: "The start and the end in epoch seconds" }),
    filterby: z.array(z.string()),
    fields: z.array(z.string()),
    format: z.enum(ROW_FORMATS),
    createdAt: z.string(),
    expiresAt: z.string(),
  })
  .openapi("ListedViewExport");

export const ViewExportRecord = z
  .object({
    exportId: z.uuid().openapi({ description: "Its deletion revokes the URL" }),
    url: z.url().openapi({ description: "Needs no credentials. Who has it can download the views" }),
    expiresAt: z.string(),
    format: z.enum(ROW_FORMATS),
    rows: z.int().openapi({ description: "Views at this moment" }),
  })
  .openapi("ViewExport");
