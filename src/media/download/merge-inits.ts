import { boxHeader } from "../mp4/boxes.ts";
import { ByteWriter } from "../mp4/byte-writer.ts";

/** An init segment that cannot become a track of a file. Our packagers and encoders write none. */
class UnreadableInit extends Error {
  override readonly name = "UnreadableInit";
}

interface Part {
  type: string;
  /** Positions of its header, its content and the next part. */
  at: number;
  content: number;
  end: number;
}

export interface MergedInit {
  bytes: Uint8Array<ArrayBuffer>;
  /** Timescales of the tracks' media, in ticks per second. They may be multiples of a `Rendition`'s timescale. */
  timescales: number[];
}

/**
 * The start of a fragmented file with the tracks of several init segments (ISO/IEC 14496-12 §8.1 to §8.8): track ids are 1, 2, … in their order.
 *
 * @param inits of one track each; the first one's movie header is the file's
 * @throws {UnreadableInit}
 */
export function mergeInits(inits: readonly Uint8Array[], durationSeconds: number): MergedInit {
  const tracks = inits.map((init, position) => readTrack(init, position + 1));
  const [first] = tracks;
  if (first === undefined) throw new UnreadableInit("no track");
  const out = new ByteWriter(4096);
  out.box("ftyp", () => {
    out.text("isom");
    out.u32(0x200);
    out.text("isomiso6mp41");
  });
  out.box("moov", () => {
    setU32(first.mvhd, first.mvhd.length - 4, tracks.length + 1); // next_track_ID is its last field
    out.raw(first.mvhd);
    for (const { trak } of tracks) out.raw(trak);
    out.box("mvex", () => {
      out.fullBox("mehd", 1, 0, () => out.u64(Math.round(durationSeconds * first.movieTimescale)));
      for (const { trex } of tracks) out.raw(trex);
    });
  });
  return { bytes: out.written().slice(), timescales: tracks.map(({ timescale }) => timescale) };
}

/** Copies of the boxes that describe a track, with its new id. */
function readTrack(init: Uint8Array, trackId: number) {
  const view = new DataView(init.buffer, init.byteOffset, init.byteLength);
  const inside = (part: Part) => partsOf(view, part.content, part.end);
  const moov = inside(require(partsOf(view, 0, init.length), "moov"));
  const [mvhd, trak, mvex] = [require(moov, "mvhd"), require(moov, "trak"), require(moov, "mvex")];
  const inTrak = inside(trak);
  const tkhd = require(inTrak, "tkhd");
  const mdhd = require(inside(require(inTrak, "mdia")), "mdhd");
  const trex = require(inside(mvex), "trex");
  const trackCopy = init.slice(trak.at, trak.end);
  setU32(trackCopy, tkhd.content - trak.at + idOffset(view, tkhd), trackId);
  const trexCopy = init.slice(trex.at, trex.end);
  setU32(trexCopy, trex.content - trex.at + 4, trackId);
  const timescaleOf = (part: Part) => view.getUint32(part.content + idOffset(view, part));
  return {
    mvhd: init.slice(mvhd.at, mvhd.end),
    trak: trackCopy,
    trex: trexCopy,
    movieTimescale: timescaleOf(mvhd),
    timescale: timescaleOf(mdhd),
  };
}

/** Where the track id of `tkhd`, and the timescale of `mvhd` and `mdhd`, are in its content: behind two dates, which are longer in version 1. */
const idOffset = (view: DataView, { content }: Part): number => (view.getUint8(content) === 1 ? 20 : 12);

function partsOf(view: DataView, start: number, end: number): Part[] {
  const found: Part[] = [];
  for (let at = start; at + 8 <= end; at = found.at(-1)!.end) {
    const { type, size, headerBytes } = boxHeader(view, at);
    if (size < headerBytes || at + size > end) throw new UnreadableInit(`a damaged '${type}' box`);
    found.push({ type, at, content: at + headerBytes, end: at + size });
  }
  return found;
}

function require(parts: Part[], type: string): Part {
  const part = parts.find((one) => one.type === type);
  if (part === undefined) throw new UnreadableInit(`no '${type}' box`);
  return part;
}

const setU32 = (bytes: Uint8Array, at: number, value: number) =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).setUint32(at, value);
