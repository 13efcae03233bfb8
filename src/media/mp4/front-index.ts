import { boxHeader } from "./boxes.ts";
import type { RangeReader } from "./range-reader.ts";

/** More boxes before the index than any muxer writes. */
const MAX_BOXES = 6;
const BEFORE_INDEX = new Set(["ftyp", "free", "skip", "wide", "uuid", "pdin"]);

/**
 * Where the index of an MP4 or MOV file ends, if it precedes the media data. For a file that is still coming in.
 *
 * @param storedBytes no byte after these is read
 * @returns null when it does not precede the media data, or the file is of another kind; "unknown" when too few bytes are stored
 */
export async function frontIndexEnd(
  reader: Pick<RangeReader, "read">,
  storedBytes: number,
): Promise<number | "unknown" | null> {
  for (let at = 0, boxes = 0; boxes < MAX_BOXES; boxes += 1) {
    if (at + 16 > storedBytes) return "unknown";
    const bytes = await reader.read(at, 16);
    const { type, size, headerBytes } = boxHeader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0);
    if (size < headerBytes) return null;
    if (type === "moov") return at + size;
    if (!BEFORE_INDEX.has(type)) return null;
    at += size;
  }
  return null;
}
