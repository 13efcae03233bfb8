import type { Scope } from "../questions/scope.ts";

export const FORMATS = ["json", "ndjson", "csv"] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** The question of an export. Its time span is fixed at the creation, so that every download has the same views. */
export interface ExportQuery {
  scope: Scope;
  /** In the order of the columns. */
  fields: string[];
  format: ExportFormat;
}
