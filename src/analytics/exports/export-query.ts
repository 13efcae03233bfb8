import type { RowFormat } from "../../platform/row-formats.ts";
import type { Scope } from "../questions/scope.ts";

/** The question of an export. Its time span is fixed at the creation, so that every download has the same views. */
export interface ExportQuery {
  scope: Scope;
  /** In the order of the columns. */
  fields: string[];
  format: RowFormat;
}
