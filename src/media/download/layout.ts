/** The bytes of a file that is assembled from segments, known before any media is read. */
import { ByteWriter } from "../mp4/byte-writer.ts";
import type { MergedInit } from "./merge-inits.ts";
import type { SegmentList } from "../types.ts";

/** One segment in the file. */
export interface Piece {
  /** Position of its track in the file. */
  track: number;
  segment: number;
  /** Position of its first byte in the file. */
  offset: number;
  bytes: number;
}

export interface Layout {
  /** Init segment and segment index. */
  header: Uint8Array<ArrayBuffer>;
  pieces: Piece[];
  /** Timescales of the tracks' media, in ticks per second. */
  timescales: number[];
  /** Size of the whole file, in bytes. */
  size: number;
}

interface Track {
  timescale: number;
  segments: Pick<SegmentList, "durationTicks" | "bytes">;
}

/** The number of references that one `sidx` holds. */
const MOST_UNITS = 65_535;

/**
 * Interleaves the segments of the tracks: the first ones of all, then the second ones. A segment index (`sidx`) after the init segment lets
 * players seek without reading the media in between (ISO/IEC 14496-12 §8.16.3).
 *
 * @param tracks the first one decides about the units of the index
 * @returns null for more segments than an index holds
 */
export function layoutOf(init: MergedInit, tracks: readonly [Track, ...Track[]]): Layout | null {
  const units = unitsOf(tracks);
  if (units.length > MOST_UNITS) return null;
  const header = new ByteWriter(init.bytes.length + 64 + units.length * 12);
  header.raw(init.bytes);
  // Players take the index's ticks for those of the track.
  const timescale = init.timescales[0] ?? tracks[0].timescale;
  writeIndex(header, timescale, timescale / tracks[0].timescale, units);
  const pieces: Piece[] = [];
  let offset = header.length;
  for (const unit of units)
    for (const { track, segment, bytes } of unit.pieces) {
      pieces.push({ track, segment, offset, bytes });
      offset += bytes;
    }
  return { header: header.written().slice(), pieces, timescales: init.timescales, size: offset };
}

interface Unit {
  durationTicks: number;
  pieces: Omit<Piece, "offset">[];
}

/** Segments of the same number. One that was lost has no bytes; its time belongs to the unit before. */
function unitsOf(tracks: readonly [Track, ...Track[]]): Unit[] {
  const units: Unit[] = [];
  const count = Math.max(...tracks.map(({ segments }) => segments.bytes.length));
  let leadingTicks = 0;
  for (let segment = 0; segment < count; segment += 1) {
    const durationTicks = tracks[0].segments.durationTicks[segment] ?? 0;
    const pieces = tracks
      .map(({ segments }, track) => ({ track, segment, bytes: segments.bytes[segment] ?? 0 }))
      .filter(({ bytes }) => bytes > 0);
    const last = units.at(-1);
    const isBeyond = segment >= tracks[0].segments.bytes.length; // sound that outlasts the picture
    if (last !== undefined && (pieces.length === 0 || isBeyond)) {
      last.pieces.push(...pieces);
      last.durationTicks += durationTicks;
    } else if (pieces.length === 0) leadingTicks += durationTicks;
    else units.push({ durationTicks: durationTicks + (units.length === 0 ? leadingTicks : 0), pieces });
  }
  return units;
}

/** Every unit begins with a key frame. */
const STARTS_WITH_SAP = 0x90000000;

function writeIndex(out: ByteWriter, timescale: number, scale: number, units: Unit[]): void {
  out.fullBox("sidx", 1, 0, () => {
    out.u32(1); // of the first track
    out.u32(timescale);
    out.u64(0); // earliest presentation time
    out.u64(0); // the media follow at once
    out.u16(0);
    out.u16(units.length);
    for (const { durationTicks, pieces } of units) {
      out.u32(pieces.reduce((sum, { bytes }) => sum + bytes, 0));
      out.u32(Math.round(durationTicks * scale));
      out.u32(STARTS_WITH_SAP);
    }
  });
}

/** Segments that one invocation of the Worker reads. Each is a subrequest, of which Cloudflare allows 10,000 (Workers limits). */
const MOST_PIECES = 9000;

/** Cuts a byte range into parts for one invocation each. @param to exclusive */
export function splitRange(layout: Layout, from: number, to: number): [number, number][] {
  const touched = piecesIn(layout, from, to);
  const cuts = touched.filter((_, n) => n > 0 && n % MOST_PIECES === 0).map(({ offset }) => offset);
  return [from, ...cuts].map((start, n) => [start, cuts[n] ?? to]);
}

/** The pieces that a byte range touches, by binary search. @param to exclusive */
export function piecesIn({ pieces }: Layout, from: number, to: number): Piece[] {
  const firstEndingAfter = (at: number) => {
    let [low, high] = [0, pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { offset, bytes } = pieces[middle]!;
      if (offset + bytes > at) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const last = firstEndingAfter(to - 1);
  const isTouched = last < pieces.length && pieces[last]!.offset < to; // the range may end in the header
  return pieces.slice(firstEndingAfter(from), isTouched ? last + 1 : last);
}
