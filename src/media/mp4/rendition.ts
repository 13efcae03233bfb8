import type { RenditionFacts } from "../manifest/model.ts";

/** A passthrough rendition: its row and its index. */
export interface IndexedRendition {
  row: RenditionFacts;
  /** In consecutive pieces. */
  index: Uint8Array<ArrayBuffer>[];
}
