import type { renditions } from "../../assets/tables.ts";

export type NewRenditionRow = typeof renditions.$inferInsert;

/** A passthrough rendition: its row, and the index from which its segments are cut. */
export interface IndexedRendition {
  row: Omit<NewRenditionRow, "assetId">;
  index: Uint8Array<ArrayBuffer>;
}
