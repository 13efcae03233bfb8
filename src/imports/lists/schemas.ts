import { z } from "@hono/zod-openapi";
import { Timestamp } from "../../records/fields.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { LIST_FORMATS } from "../sources/list.ts";
import type { ImportList } from "./repository.ts";

export const ImportListRecord = z
  .object({
    listId: z.uuid(),
    format: z.enum(LIST_FORMATS),
    rows: z.int().openapi({ description: "Videos that a batch will list. A repeated id counts each time" }),
    errors: z
      .array(
        z.object({
          row: z.int().openapi({ description: "Counts from 1, without the names of columns" }),
          message: z.string(),
        }),
      )
      .openapi({ description: "Rows that cannot be used, the first 100 of them" }),
    errorsTotal: z.int(),
    createdAt: Timestamp,
    usedAt: Timestamp.openapi({
      description: "When a batch last read it. A list that was not read for 30 days is deleted",
    }),
  })
  .openapi("ImportList");

export const toListRecord = (list: ImportList): z.output<typeof ImportListRecord> => ({
  listId: list.id,
  format: list.format,
  rows: list.rows,
  errors: list.errors,
  errorsTotal: list.errorsTotal,
  createdAt: toTimestamp(list.createdAt),
  usedAt: toTimestamp(list.usedAt),
});
