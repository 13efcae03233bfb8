import type { Scope } from "../questions/scope.ts";

export const FORMATS = ["json", "ndjson", "csv"] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** What an export has. Its time span is fixed when it is made, so that every download has the same views. */
export interface ExportQuery {
  scope: Scope;
  /** In the order of the columns. */
  fields: string[];
  format: ExportFormat;
}
