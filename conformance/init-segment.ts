/** Reads init segments of CMAF. */
import { all, type Box, boxesIn, textAt, viewOf, whole, within } from "./boxes.ts";

export interface InitFacts {
  tracks: TrackFacts[];
}

export interface TrackFacts {
  id: number;
  timescale: number;
  handler: string;
  defaultDuration: number;
  defaultFlags: number;
  /**
   * As in CODECS (RFC 6381): with profile and level for AVC, otherwise the four-character code of the sample entry. Of encrypted media, the
   * original format.
   */
  codec: string | null;
}

/** @returns null when the bytes are not an init segment */
export function readInit(bytes: Uint8Array): InitFacts | null {
  const view = viewOf(bytes);
  const moov = within(view, whole(view), "moov");
  if (moov === undefined) return null;
  const extensions = within(view, moov, "mvex");
  const defaults = extensions === undefined ? [] : all(view, extensions, "trex");
  const tracks = all(view, moov, "trak").flatMap((trak) => {
    const [tkhd, mdhd, hdlr] = [["tkhd"], ["mdia", "mdhd"], ["mdia", "hdlr"]].map((path) =>
      within(view, trak, ...path),
    );
    if (tkhd === undefined || mdhd === undefined || hdlr === undefined) return [];
    const id = view.getUint32(tkhd.start + (view.getUint8(tkhd.start) === 1 ? 20 : 12));
    const timescale = view.getUint32(mdhd.start + (view.getUint8(mdhd.start) === 1 ? 20 : 12));
    const handler = textAt(view, hdlr.start + 8);
    const trex = defaults.find((box) => view.getUint32(box.start + 4) === id);
    const [defaultDuration, defaultFlags] = [12, 20].map((offset) =>
      trex === undefined ? 0 : view.getUint32(trex.start + offset),
    );
    const codec = codecOf(view, within(view, trak, "mdia", "minf", "stbl", "stsd"));
    return [{ id, timescale, handler, defaultDuration: defaultDuration!, defaultFlags: defaultFlags!, codec }];
  });
  return { tracks };
}

/** Bytes of a sample entry before its boxes (ISO/IEC 14496-12 §12.1.3, §12.2.3). */
const VISUAL_ENTRY_BYTES = 78;
const AUDIO_ENTRY_BYTES = 28;
const ENCRYPTED_ENTRY_BYTES: Record<string, number> = { encv: VISUAL_ENTRY_BYTES, enca: AUDIO_ENTRY_BYTES };

/** The codec of the first sample entry; AVC's profile and level are in its `avcC` (ISO/IEC 14496-15). */
function codecOf(view: DataView, stsd: Box | undefined): string | null {
  const [entry] = stsd === undefined ? [] : [...boxesIn(view, stsd.start + 8, stsd.end)];
  if (entry === undefined) return null;
  const format = originalFormat(view, entry) ?? entry.type;
  const avcC = within(view, { ...entry, start: entry.start + VISUAL_ENTRY_BYTES }, "avcC");
  if (!format.startsWith("avc") || avcC === undefined) return format;
  const hex = (offset: number) =>
    view
      .getUint8(avcC.start + offset)
      .toString(16)
      .padStart(2, "0");
  return `${format}.${hex(1)}${hex(2)}${hex(3)}`;
}

/** An encrypted entry keeps the boxes of the clear one, and names its format in `sinf` (ISO/IEC 14496-12 §8.12). */
function originalFormat(view: DataView, entry: Box): string | null {
  const bytes = ENCRYPTED_ENTRY_BYTES[entry.type];
  if (bytes === undefined) return null;
  const frma = within(view, { ...entry, start: entry.start + bytes }, "sinf", "frma");
  return frma === undefined ? null : textAt(view, frma.start);
}
