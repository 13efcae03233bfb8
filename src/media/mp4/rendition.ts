import type { renditions } from "../../library/assets/tables.ts";

export type PassthroughRow = Omit<typeof renditions.$inferInsert, "assetId">;

/** A passthrough rendition: its row, and the index from which its segments are cut. */
export interface IndexedRendition {
  row: PassthroughRow;
  /** In pieces that follow each other. */
  index: Uint8Array<ArrayBuffer>[];
}
