/** Adjusts absolute offsets in MP4 fragments for a reader that starts at another byte of the source. Pure. */

const BOX_HEADER_BYTES = 8;
const BASE_DATA_OFFSET_PRESENT = 0x000001; // ISO/IEC 14496-12 §8.8.7
/** Offset in `tfhd`, after version, flags and track ID. */
const BASE_DATA_OFFSET_AT = BOX_HEADER_BYTES + 8;

/**
 * Shifts the absolute base data offsets of a `moof` by `by` bytes. Other boxes are returned unchanged; with `default-base-is-moof`
 * offsets are relative.
 */
export function movedFragment(bytes: Buffer, by: number): Buffer {
  if (by === 0 || typeOf(bytes, 0) !== "moof" || bytes.readUInt32BE(0) !== bytes.length) return bytes;
  const moved = Buffer.from(bytes);
  for (const traf of childrenOf(moved, 0, "traf"))
    for (const tfhd of childrenOf(moved, traf, "tfhd")) {
      const isAbsolute = (moved.readUInt32BE(tfhd + BOX_HEADER_BYTES) & BASE_DATA_OFFSET_PRESENT) !== 0;
      const at = tfhd + BASE_DATA_OFFSET_AT;
      if (isAbsolute && at + 8 <= moved.length) moved.writeBigUInt64BE(moved.readBigUInt64BE(at) + BigInt(by), at);
    }
  return moved;
}

const typeOf = (bytes: Buffer, at: number): string => bytes.toString("latin1", at + 4, at + BOX_HEADER_BYTES);

/** Offsets of the child boxes of a type in the box at `at`. */
function childrenOf(bytes: Buffer, at: number, type: string): number[] {
  const found: number[] = [];
  const end = Math.min(bytes.length, at + bytes.readUInt32BE(at));
  for (let child = at + BOX_HEADER_BYTES; child + BOX_HEADER_BYTES <= end;) {
    const size = bytes.readUInt32BE(child);
    if (size < BOX_HEADER_BYTES || child + size > end) break;
    if (typeOf(bytes, child) === type) found.push(child);
    child += size;
  }
  return found;
}
