import { type Box, bytesOf, childBoxes, contentOf, descend, findBox, requireBox } from "./boxes.ts";
import { bufferedIndex, type IndexBytes } from "./index-bytes.ts";
import { standardOnlyIf } from "./not-standard.ts";
import { readSampleTable, type SampleTable } from "./sample-table.ts";

/** One track of the index; ticks are in its own `timescale`. */
export interface Track {
  kind: "video" | "audio" | "other";
  enabled: boolean;
  timescale: number;
  /** BCP 47; "und" when not tagged. */
  languageCode: string;
  /** The display matrix of the track or of the movie is not the identity: the picture is rotated, mirrored or scaled. */
  transformed: boolean;
  /** Display size of the track header, in pixels. */
  displayWidthPx: number;
  displayHeightPx: number;
  edit: Edit;
  /** The sample entry's type and its child boxes. */
  entry: { type: string; view: DataView; boxes: Box[] };
  table: SampleTable;
}

/** An edit list that only shifts the start of the track. */
export interface Edit {
  /** Ticks of the media that are skipped before presentation begins. */
  skippedTicks: number;
  /** Time from presentation time 0 to the first sample shown. */
  delayTicks: number;
  /** Presented duration; null = to the end. */
  shownTicks: number | null;
}

/** Real files have a few tracks, and parsing each costs time. */
const MAX_TRACKS = 64;

/** Reads all tracks. Those other than video and audio (time code, chapters, metadata) have kind "other" and no tables. */
export async function readTracks(bytes: IndexBytes): Promise<Track[]> {
  const moov = await childBoxes(bytes, 0, bytes.length);
  standardOnlyIf(findBox(moov, "mvex") === undefined, "the file is fragmented");
  const traks = moov.filter((box) => box.type === "trak");
  standardOnlyIf(traks.length <= MAX_TRACKS, "too many tracks");
  const movie = await contentOf(bytes, requireBox(moov, "mvhd"));
  const movieTimescale = readTimescale(movie).timescale;
  const isTurned = isTransform(movie, movie.getUint8(0) === 1 ? 48 : 36);
  const tracks: Track[] = [];
  for (const trak of traks) {
    const track = await readTrack(bytes, trak, movieTimescale);
    if (track !== null) tracks.push({ ...track, transformed: track.transformed || isTurned });
  }
  return tracks;
}

async function readTrack(bytes: IndexBytes, trak: Box, movieTimescale: number): Promise<Track | null> {
  const boxes = await childBoxes(bytes, trak.start, trak.end);
  const mdia = await descend(bytes, boxes, "mdia");
  const handler = await contentOf(bytes, requireBox(mdia, "hdlr"));
  const type = String.fromCharCode(...bytesOf(handler, { type: "", start: 8, end: 12 }));
  const kind = type === "vide" ? "video" : type === "soun" ? "audio" : null;
  if (kind === null) return null;
  const { timescale, language } = readTimescale(await contentOf(bytes, requireBox(mdia, "mdhd")));
  const stbl = await descend(bytes, mdia, "minf", "stbl");
  return {
    kind,
    timescale,
    languageCode: (await extendedLanguage(bytes, mdia)) ?? canonicalLanguage(language),
    ...readTrackHeader(await contentOf(bytes, requireBox(boxes, "tkhd"))),
    edit: await readEdit(bytes, boxes, timescale / movieTimescale),
    entry: await readSampleEntry(await contentOf(bytes, requireBox(stbl, "stsd")), kind),
    table: await readSampleTable(bytes, stbl),
  };
}

/** `mvhd` and `mdhd` have the same first fields; only `mdhd` has a language. */
function readTimescale(content: DataView): { timescale: number; language: number } {
  const wide = content.getUint8(0) === 1;
  const timescale = content.getUint32(wide ? 20 : 12);
  standardOnlyIf(timescale > 0, "a timescale of 0");
  return { timescale, language: content.getUint16(wide ? 32 : 20) };
}

function readTrackHeader(content: DataView) {
  const matrix = content.getUint8(0) === 1 ? 52 : 40;
  return {
    enabled: (content.getUint8(3) & 1) === 1,
    transformed: isTransform(content, matrix),
    displayWidthPx: content.getUint32(matrix + 36) / 65536,
    displayHeightPx: content.getUint32(matrix + 40) / 65536,
  };
}

/** Whether the upper left 2 × 2 of a matrix is another than the identity; one of zeros says nothing. */
function isTransform(content: DataView, matrix: number): boolean {
  if (content.byteLength < matrix + 20) return false;
  const [a, b, c, d] = [0, 4, 12, 16].map((at) => content.getInt32(matrix + at));
  const isIdentity = a === 0x10000 && b === 0 && c === 0 && d === 0x10000;
  return !isIdentity && [a, b, c, d].some((value) => value !== 0);
}

/** @param scale track ticks per movie tick; edit durations are in movie ticks */
async function readEdit(bytes: IndexBytes, trak: Box[], scale: number): Promise<Edit> {
  const edts = findBox(trak, "edts");
  const elst = edts && findBox(await childBoxes(bytes, edts.start, edts.end), "elst");
  if (!elst) return { skippedTicks: 0, delayTicks: 0, shownTicks: null };
  const content = await contentOf(bytes, elst);
  const wide = content.getUint8(0) === 1;
  const count = content.getUint32(4);
  const entryBytes = wide ? 20 : 12;
  standardOnlyIf(count <= 16 && 8 + count * entryBytes <= content.byteLength, "an edit list that rearranges the media");
  let delayTicks = 0;
  for (let entry = 0; entry < count; entry++) {
    const at = 8 + entry * entryBytes;
    const length = wide ? Number(content.getBigUint64(at)) : content.getUint32(at);
    const mediaTime = wide ? Number(content.getBigInt64(at + 8)) : content.getInt32(at + 4);
    const rate = content.getInt32(at + (wide ? 16 : 8));
    if (mediaTime === -1) {
      delayTicks += length * scale;
      continue;
    }
    standardOnlyIf(rate === 0x10000 && mediaTime >= 0 && entry === count - 1, "an edit list that rearranges the media");
    return { skippedTicks: mediaTime, delayTicks, shownTicks: length === 0 ? null : length * scale };
  }
  return { skippedTicks: 0, delayTicks, shownTicks: null };
}

/** Bytes of a sample entry before its child boxes (14496-12 §12.1.3, §12.2.3); QuickTime audio versions 1 and 2 have more. */
async function readSampleEntry(content: DataView, kind: "video" | "audio") {
  standardOnlyIf(content.getUint32(4) === 1, "a track that changes its format");
  // A copy, because the underlying memory is reused for other parts of the index.
  const view = new DataView(bytesOf(content, { type: "stsd", start: 0, end: content.byteLength }).slice().buffer);
  const stsd = bufferedIndex(view);
  const [entry] = await childBoxes(stsd, 8, view.byteLength);
  standardOnlyIf(entry !== undefined, "a track without a format");
  const soundVersion = kind === "audio" ? view.getUint16(entry.start + 8) : 0;
  const fixed = kind === "video" ? 78 : 28 + [0, 16, 36][Math.min(soundVersion, 2)]!;
  standardOnlyIf(entry.start + fixed <= entry.end, "a damaged track format");
  let boxes = await childBoxes(stsd, entry.start + fixed, entry.end);
  const wave = findBox(boxes, "wave");
  if (wave) boxes = await childBoxes(stsd, wave.start, wave.end);
  return { type: entry.type, view, boxes };
}

async function extendedLanguage(bytes: IndexBytes, mdia: Box[]): Promise<string | null> {
  const elng = findBox(mdia, "elng");
  if (!elng) return null;
  const text = new TextDecoder()
    .decode(await contentOf(bytes, elng))
    .slice(4)
    .replace(/\0.*$/s, "");
  return canonicalTag(text);
}

/** Three letters of five bits each (14496-12 §8.4.2). Values below 0x400 are old QuickTime codes and are ignored. */
function canonicalLanguage(packed: number): string {
  if (packed < 0x400) return "und";
  const letters = [10, 5, 0].map((shift) => String.fromCharCode(0x60 + ((packed >> shift) & 31))).join("");
  return canonicalTag(letters) ?? "und";
}

/** BCP 47 requires the shortest code: "eng" becomes "en". */
function canonicalTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
