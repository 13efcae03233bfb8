import type { RenditionFacts } from "../manifest/model.ts";

/** A passthrough rendition: its row, and the index from which its segments are cut. */
export interface IndexedRendition {
  row: RenditionFacts;
  /** In pieces that follow each other. */
  index: Uint8Array<ArrayBuffer>[];
}
