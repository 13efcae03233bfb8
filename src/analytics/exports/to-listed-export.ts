import type { z } from "@hono/zod-openapi";
import { toTimestamp } from "../../platform/timestamp.ts";
import type { ViewExport } from "./repository.ts";
import type { ListedExport } from "./schemas.ts";

export function toListedExport({ id, query, createdAt, expiresAt }: ViewExport): z.infer<typeof ListedExport> {
  const { scope, fields, format } = query;
  return {
    exportId: id,
    timespan: [scope.fromMs / 1000, scope.toMs / 1000],
    filterby: scope.filters.map(({ dimension, value, isExcluded }) => `${isExcluded ? "!" : ""}${dimension}:${value}`),
    fields,
    format,
    createdAt: toTimestamp(createdAt),
    expiresAt: toTimestamp(expiresAt),
  };
}
