import { type IndexBytes, MAX_PIECE_BYTES } from "./index-bytes.ts";
import { NotStandard, standardOnlyIf } from "./not-standard.ts";

/** The position of a box's content in the index or its buffer; `end` is exclusive. */
export interface Box {
  type: string;
  start: number;
  end: number;
}

/** More children than any real container has, so that hostile files are refused early. */
const MAX_CHILDREN = 4096;
const MAX_HEADER_BYTES = 16;

/** The header at `at` (ISO/IEC 14496-12 §4.2); `size` includes the header, 0 means "to the end of the file". */
export function boxHeader(view: DataView, at: number): { type: string; size: number; headerBytes: number } {
  const size = view.getUint32(at);
  const type = String.fromCharCode(
    view.getUint8(at + 4),
    view.getUint8(at + 5),
    view.getUint8(at + 6),
    view.getUint8(at + 7),
  );
  if (size !== 1) return { type, size, headerBytes: 8 };
  return { type, size: view.getUint32(at + 8) * 2 ** 32 + view.getUint32(at + 12), headerBytes: 16 };
}

/**
 * The boxes between two positions, which they must fill exactly. Up to 8 trailing bytes are accepted: QuickTime ends some containers with
 * a zero word.
 * @throws {NotStandard} when a box is larger than its container
 */
export async function childBoxes(bytes: IndexBytes, start: number, end: number): Promise<Box[]> {
  const found: Box[] = [];
  let at = start;
  while (at + 8 <= end) {
    const header = bytes.piece(at, Math.min(MAX_HEADER_BYTES, bytes.length - at));
    const { type, size, headerBytes } = boxHeader(header instanceof DataView ? header : await header, 0);
    if (size === 0 && end - at <= 8) break;
    const next = size === 0 ? end : at + size;
    standardOnlyIf(next >= at + headerBytes && next <= end, `a '${printable(type)}' box is larger than its container`);
    found.push({ type, start: at + headerBytes, end: next });
    standardOnlyIf(found.length <= MAX_CHILDREN, "a container holds too many boxes");
    at = next;
  }
  return found;
}

export const findBox = (boxes: Box[], type: string) => boxes.find((box) => box.type === type);

export function requireBox(boxes: Box[], type: string): Box {
  const box = findBox(boxes, type);
  if (box === undefined) throw new NotStandard(`the '${type}' box is missing`);
  return box;
}

/** Follows a path of containers, e.g. `mdia`, `minf`, `stbl`. */
export async function descend(bytes: IndexBytes, boxes: Box[], ...path: string[]): Promise<Box[]> {
  let children = boxes;
  for (const type of path) {
    const box = requireBox(children, type);
    children = await childBoxes(bytes, box.start, box.end);
  }
  return children;
}

/** The content of a box that describes a track. Unlike a table's, it is short. */
export async function contentOf(bytes: IndexBytes, box: Box): Promise<DataView> {
  standardOnlyIf(box.end - box.start <= MAX_PIECE_BYTES, `a '${printable(box.type)}' box is too long`);
  return await bytes.piece(box.start, box.end - box.start);
}

export const bytesOf = (view: DataView, box: Box) =>
  new Uint8Array(view.buffer, view.byteOffset + box.start, box.end - box.start);

const printable = (type: string) => type.replace(/[^\x20-\x7e]/g, "?");
