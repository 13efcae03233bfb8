import { boxHeader } from "../mp4/boxes.ts";

/** One sample of a fragment, as its tables describe it (ISO/IEC 14496-12 §8.8). */
export interface FragmentRow {
  durationTicks: number;
  bytes: number;
  flags: number;
  compositionTicks: number;
}

export interface FragmentTables {
  sequenceNumber: number;
  trackId: number;
  decodeTicks: number;
  rows: FragmentRow[];
}

/** A `moof` box that this code does not take apart. Our packagers and encoders write none. */
export class UnreadableFragment extends Error {
  override readonly name = "UnreadableFragment";
}

interface Part {
  type: string;
  start: number;
  end: number;
}

/**
 * @param moof a whole `moof` box of one track, whose media data follow at once in an `mdat`
 * @throws {UnreadableFragment}
 */
export function readFragment(moof: Uint8Array): FragmentTables {
  const view = new DataView(moof.buffer, moof.byteOffset, moof.byteLength);
  const parts = partsOf(view, 8, moof.length);
  const trafs = parts.filter(({ type }) => type === "traf");
  const [traf] = trafs;
  if (traf === undefined || trafs.length > 1) throw new UnreadableFragment(`${trafs.length} tracks in a fragment`);
  const inTraf = partsOf(view, traf.start, traf.end);
  if (inTraf.some(({ type }) => type === "senc")) throw new UnreadableFragment("the fragment is encrypted");
  const { trackId, defaults } = readHeader(view, requirePart(inTraf, "tfhd"));
  return {
    sequenceNumber: view.getUint32(requirePart(parts, "mfhd").start + 4),
    trackId,
    decodeTicks: readDecodeTicks(view, requirePart(inTraf, "tfdt")),
    rows: inTraf.filter(({ type }) => type === "trun").flatMap((trun) => readRun(view, trun, defaults)),
  };
}

function partsOf(view: DataView, start: number, end: number): Part[] {
  const found: Part[] = [];
  for (let at = start; at + 8 <= end;) {
    const { type, size, headerBytes } = boxHeader(view, at);
    if (size < headerBytes || at + size > end) throw new UnreadableFragment(`a damaged '${type}' box`);
    found.push({ type, start: at + headerBytes, end: at + size });
    at += size;
  }
  return found;
}

function requirePart(parts: Part[], type: string): Part {
  const part = parts.find((one) => one.type === type);
  if (part === undefined) throw new UnreadableFragment(`no '${type}' box`);
  return part;
}

type Defaults = Omit<FragmentRow, "compositionTicks">;

/** Flags of `tfhd`: the optional fields in their order. */
const [BASE_OFFSET, DESCRIPTION, DURATION, SIZE, FLAGS] = [0x1, 0x2, 0x8, 0x10, 0x20];

function readHeader(view: DataView, { start }: Part): { trackId: number; defaults: Defaults } {
  const flags = view.getUint32(start) & 0xffffff;
  let at = start + 8 + ((flags & BASE_OFFSET) === 0 ? 0 : 8) + ((flags & DESCRIPTION) === 0 ? 0 : 4);
  const take = (flag: number) => ((flags & flag) === 0 ? 0 : view.getUint32((at += 4) - 4));
  const [durationTicks, bytes, sampleFlags] = [take(DURATION), take(SIZE), take(FLAGS)];
  return { trackId: view.getUint32(start + 4), defaults: { durationTicks, bytes, flags: sampleFlags } };
}

function readDecodeTicks(view: DataView, { start }: Part): number {
  const isLong = view.getUint8(start) === 1;
  return isLong ? view.getUint32(start + 4) * 2 ** 32 + view.getUint32(start + 8) : view.getUint32(start + 4);
}

/** Flags of `trun`. */
const RUN = { offset: 0x1, firstFlags: 0x4, duration: 0x100, size: 0x200, flags: 0x400, composition: 0x800 };

function readRun(view: DataView, { start, end }: Part, defaults: Defaults): FragmentRow[] {
  const flags = view.getUint32(start) & 0xffffff;
  const has = (flag: number) => (flags & flag) !== 0;
  const count = view.getUint32(start + 4);
  let at = start + 8 + (has(RUN.offset) ? 4 : 0);
  const firstFlags = has(RUN.firstFlags) ? view.getUint32((at += 4) - 4) : null;
  const columns = [RUN.duration, RUN.size, RUN.flags, RUN.composition].filter(has).length;
  if (at + count * columns * 4 > end) throw new UnreadableFragment("a 'trun' box is too short");
  const take = (flag: number, otherwise: number) => (has(flag) ? view.getUint32((at += 4) - 4) : otherwise);
  return Array.from({ length: count }, (_, n) => ({
    durationTicks: take(RUN.duration, defaults.durationTicks),
    bytes: take(RUN.size, defaults.bytes),
    flags: take(RUN.flags, n === 0 && firstFlags !== null ? firstFlags : defaults.flags),
    compositionTicks: take(RUN.composition, 0) | 0, // offsets of version 0 never reach 2^31
  }));
}
