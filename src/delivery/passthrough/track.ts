import { type Box, bytesOf, childBoxes, descend, findBox, requireBox } from "./boxes.ts";
import { standardOnlyIf } from "./not-standard.ts";
import { readSampleTable, type SampleTable } from "./sample-table.ts";

/** One track of the index; ticks are of its own `timescale`. */
export interface Track {
  kind: "video" | "audio" | "other";
  enabled: boolean;
  timescale: number;
  /** BCP 47; "und" when not tagged. */
  languageCode: string;
  /** The upper left of the display matrix is not the identity. */
  transformed: boolean;
  /** Display size of the track header, in pixels. */
  displayWidthPx: number;
  displayHeightPx: number;
  edit: Edit;
  /** The sample entry's type and the boxes in it. */
  entry: { type: string; view: DataView; boxes: Box[] };
  table: SampleTable;
}

/** The edit list, as far as it only says where the track starts. */
export interface Edit {
  /** Ticks of the media that are skipped before presentation begins. */
  skippedTicks: number;
  /** Time from presentation time 0 to the first sample shown. */
  delayTicks: number;
  /** Length of what is shown; null = to the end. */
  shownTicks: number | null;
}

/** A real file has a handful; each costs a walk through its boxes. */
const MAX_TRACKS = 64;

/** Reads every track of picture or sound; others (time code, chapters, metadata) come as kind "other", without tables. */
export function readTracks(view: DataView): Track[] {
  const moov = childBoxes(view, 0, view.byteLength);
  standardOnlyIf(findBox(moov, "mvex") === undefined, "the file is fragmented");
  const traks = moov.filter((box) => box.type === "trak");
  standardOnlyIf(traks.length <= MAX_TRACKS, "too many tracks");
  const movieTimescale = readTimescale(view, requireBox(moov, "mvhd")).timescale;
  return traks.map((trak) => readTrack(view, trak, movieTimescale)).filter((track) => track !== null);
}

function readTrack(view: DataView, trak: Box, movieTimescale: number): Track | null {
  const boxes = childBoxes(view, trak.start, trak.end);
  const mdia = descend(view, boxes, "mdia");
  const handler = requireBox(mdia, "hdlr").start + 8;
  const type = String.fromCharCode(...bytesOf(view, { type: "", start: handler, end: handler + 4 }));
  const kind = type === "vide" ? "video" : type === "soun" ? "audio" : null;
  if (kind === null) return null;
  const { timescale, language } = readTimescale(view, requireBox(mdia, "mdhd"));
  const stbl = descend(view, mdia, "minf", "stbl");
  return {
    kind,
    timescale,
    languageCode: extendedLanguage(view, mdia) ?? canonicalLanguage(language),
    ...readTrackHeader(view, requireBox(boxes, "tkhd")),
    edit: readEdit(view, boxes, timescale / movieTimescale),
    entry: readSampleEntry(view, requireBox(stbl, "stsd"), kind),
    table: readSampleTable(view, stbl),
  };
}

/** `mvhd` and `mdhd` begin alike; the language stands in the latter only. */
function readTimescale(view: DataView, box: Box): { timescale: number; language: number } {
  const wide = view.getUint8(box.start) === 1;
  const timescale = view.getUint32(box.start + (wide ? 20 : 12));
  standardOnlyIf(timescale > 0, "a timescale of 0");
  return { timescale, language: view.getUint16(box.start + (wide ? 32 : 20)) };
}

function readTrackHeader(view: DataView, box: Box) {
  const matrix = box.start + (view.getUint8(box.start) === 1 ? 52 : 40);
  const [a, b, c, d] = [0, 4, 12, 16].map((at) => view.getInt32(matrix + at));
  return {
    enabled: (view.getUint8(box.start + 3) & 1) === 1,
    transformed: a !== 0x10000 || b !== 0 || c !== 0 || d !== 0x10000,
    displayWidthPx: view.getUint32(matrix + 36) / 65536,
    displayHeightPx: view.getUint32(matrix + 40) / 65536,
  };
}

/** @param scale ticks of the track for one of the movie, in which delays and lengths are given */
function readEdit(view: DataView, trak: Box[], scale: number): Edit {
  const edts = findBox(trak, "edts");
  const elst = edts && findBox(childBoxes(view, edts.start, edts.end), "elst");
  if (!elst) return { skippedTicks: 0, delayTicks: 0, shownTicks: null };
  const wide = view.getUint8(elst.start) === 1;
  const count = view.getUint32(elst.start + 4);
  const entryBytes = wide ? 20 : 12;
  standardOnlyIf(
    count <= 16 && elst.start + 8 + count * entryBytes <= elst.end,
    "an edit list that rearranges the media",
  );
  let delayTicks = 0;
  for (let entry = 0; entry < count; entry++) {
    const at = elst.start + 8 + entry * entryBytes;
    const length = wide ? Number(view.getBigUint64(at)) : view.getUint32(at);
    const mediaTime = wide ? Number(view.getBigInt64(at + 8)) : view.getInt32(at + 4);
    const rate = view.getInt32(at + (wide ? 16 : 8));
    if (mediaTime === -1) {
      delayTicks += length * scale;
      continue;
    }
    standardOnlyIf(rate === 0x10000 && mediaTime >= 0 && entry === count - 1, "an edit list that rearranges the media");
    return { skippedTicks: mediaTime, delayTicks, shownTicks: length === 0 ? null : length * scale };
  }
  return { skippedTicks: 0, delayTicks, shownTicks: null };
}

/** Bytes of a sample entry before its boxes: 14496-12 §12.1.3, §12.2.3; QuickTime's versions 1 and 2 of sound add some. */
function readSampleEntry(view: DataView, stsd: Box, kind: "video" | "audio") {
  standardOnlyIf(view.getUint32(stsd.start + 4) === 1, "a track that changes its format");
  const [entry] = childBoxes(view, stsd.start + 8, stsd.end);
  standardOnlyIf(entry !== undefined, "a track without a format");
  const soundVersion = kind === "audio" ? view.getUint16(entry.start + 8) : 0;
  const fixed = kind === "video" ? 78 : 28 + [0, 16, 36][Math.min(soundVersion, 2)]!;
  standardOnlyIf(entry.start + fixed <= entry.end, "a damaged track format");
  let boxes = childBoxes(view, entry.start + fixed, entry.end);
  const wave = findBox(boxes, "wave");
  if (wave) boxes = childBoxes(view, wave.start, wave.end);
  return { type: entry.type, view, boxes };
}

function extendedLanguage(view: DataView, mdia: Box[]): string | null {
  const elng = findBox(mdia, "elng");
  if (!elng) return null;
  const text = new TextDecoder().decode(bytesOf(view, elng).subarray(4)).replace(/\0.*$/s, "");
  return canonicalTag(text);
}

/** Three letters of five bits each (14496-12 §8.4.2); QuickTime's old numbers are below 0x400 and mean nothing here. */
function canonicalLanguage(packed: number): string {
  if (packed < 0x400) return "und";
  const letters = [10, 5, 0].map((shift) => String.fromCharCode(0x60 + ((packed >> shift) & 31))).join("");
  return canonicalTag(letters) ?? "und";
}

/** BCP 47 wants the shortest code: "eng" becomes "en". */
function canonicalTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
