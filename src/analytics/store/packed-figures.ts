import type { Measure } from "./columns.ts";

/**
 * Measures that are stored a second time in one blob per view, 8 bytes each: SQLite concatenates blobs ten times as fast as it returns values.
 * A changed list needs a new column (`PACKED_COLUMN`): a store converts its views when a column is new.
 */
const PACKED = [
  "playing_ms",
  "startup_ms",
  "player_startup_ms",
  "page_load_ms",
  "total_startup_ms",
  "live_latency_ms",
  "average_bitrate_bps",
  "buffer_count",
  "buffer_ms",
  "buffer_ratio",
  "buffer_frequency",
  "jump_latency_ms",
  "avg_upscaling",
  "avg_downscaling",
  "max_upscaling",
  "max_downscaling",
  "playback_score",
  "startup_score",
  "stability_score",
  "render_quality_score",
  "experience_score",
  "has_failed",
  "failed_at_startup",
  "left_before_start",
] as const satisfies readonly Measure[];

export const PACKED_COLUMN = "figures";
/** The columns that `packFigures` reads. */
export const PACKED_FROM = [...PACKED, "viewer_key"] as const;
/** Number of doubles per view. */
export const SLOTS = PACKED.length + 1;
/** Position of the hash of the viewer's key. */
export const VIEWER_SLOT = PACKED.length;
export const FAILED_SLOT = PACKED.indexOf("has_failed");

/** Position of a measure. @throws {Error} for one that is not packed */
export function slotOf(column: Measure): number {
  const slot = (PACKED as readonly Measure[]).indexOf(column);
  if (slot < 0) throw new Error(`${column} is not packed`);
  return slot;
}

/** @param row of the table of views @returns doubles of the machine's byte order; NaN = the view has no such figure */
export function packFigures(row: Record<string, unknown>): ArrayBuffer {
  const numbers = Float64Array.from(PACKED, (name) => (typeof row[name] === "number" ? row[name] : NaN));
  return Float64Array.of(...numbers, hashOf(String(row["viewer_key"]))).buffer;
}

/** 53 bits: two of ten million viewers collide in one of 180 stores. */
function hashOf(text: string): number {
  let [high, low] = [0x9e37_79b9, 0x85eb_ca6b];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x0100_0193);
    low = Math.imul((low << 5) | (low >>> 27), 0x27d4_eb2f) ^ code;
  }
  // Mixes the lower bits: the last characters have changed only the upper bits of the product.
  high = Math.imul(high ^ (high >>> 15) ^ low, 0x2c1b_3c6d);
  low = Math.imul(low ^ (low >>> 13) ^ high, 0x297a_2d39);
  return ((high ^ (high >>> 16)) >>> 11) * 2 ** 32 + ((low ^ (low >>> 15)) >>> 0);
}
