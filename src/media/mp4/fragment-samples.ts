import { boxHeader } from "./boxes.ts";

export interface FragmentSample {
  data: Uint8Array;
  durationTicks: number;
  isSync: boolean;
}

const HAS_DATA_OFFSET = 0x1;
const HAS_FIRST_FLAGS = 0x4;
const HAS_DURATION = 0x100;
const HAS_SIZE = 0x200;
const HAS_FLAGS = 0x400;
const HAS_COMPOSITION = 0x800;
const IS_DEPENDENT = 0x10000; // sample_is_non_sync_sample

/**
 * The samples of a live segment in decoding order (ISO/IEC 14496-12 §8.8). Null unless every sample has its own duration, size and flags,
 * as the live encoder writes them.
 */
export function fragmentSamples(segment: Uint8Array): FragmentSample[] | null {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  const samples: FragmentSample[] = [];
  for (const moof of boxesOf(view, 0, segment.length)) {
    if (moof.type !== "moof") continue;
    const traf = boxesOf(view, moof.at + 8, moof.end).find(({ type }) => type === "traf");
    const trun = traf && boxesOf(view, traf.at + 8, traf.end).find(({ type }) => type === "trun");
    if (trun === undefined || !readTrun(view, moof.at, trun.at + 8, trun.end, samples)) return null;
  }
  return samples.length > 0 ? samples : null;
}

function readTrun(view: DataView, moofAt: number, start: number, end: number, samples: FragmentSample[]): boolean {
  const flags = view.getUint32(start) & 0xffffff;
  const needed = HAS_DATA_OFFSET | HAS_DURATION | HAS_SIZE | HAS_FLAGS;
  if ((flags & needed) !== needed || (flags & HAS_FIRST_FLAGS) !== 0) return false;
  const count = view.getUint32(start + 4);
  const rowBytes = (flags & HAS_COMPOSITION) === 0 ? 12 : 16;
  if (start + 12 + count * rowBytes > end) return false;
  let dataAt = moofAt + view.getInt32(start + 8);
  for (let n = 0; n < count; n += 1) {
    const row = start + 12 + n * rowBytes;
    const size = view.getUint32(row + 4);
    if (dataAt < 0 || dataAt + size > view.byteLength) return false;
    samples.push({
      data: new Uint8Array(view.buffer, view.byteOffset + dataAt, size),
      durationTicks: view.getUint32(row),
      isSync: (view.getUint32(row + 8) & IS_DEPENDENT) === 0,
    });
    dataAt += size;
  }
  return true;
}

/** Stops at the first box that exceeds its container. */
function boxesOf(view: DataView, start: number, end: number): { type: string; at: number; end: number }[] {
  const found: { type: string; at: number; end: number }[] = [];
  for (let at = start; at + 8 <= end;) {
    const { type, size } = boxHeader(view, at);
    if (size < 8 || at + size > end) break;
    found.push({ type, at, end: at + size });
    at += size;
  }
  return found;
}

/** The content of the box at the end of a path of containers; null when one is missing. `skip` is the size of a sample entry's fixed fields. */
export function findContent(bytes: Uint8Array, path: { type: string; skip?: number }[]): Uint8Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [start, end] = [0, bytes.length];
  for (const { type, skip = 0 } of path) {
    const box = boxesOf(view, start, end).find((one) => one.type === type);
    if (box === undefined) return null;
    [start, end] = [box.at + 8 + skip, box.end];
  }
  return bytes.subarray(start, end);
}
