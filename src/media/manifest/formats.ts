/** The formats of a broadcast's rendition, which may change when its broadcaster does. Pure. */
import type { Fraction } from "../../../protocol/source-facts.ts";
import type { MediaFormat } from "../../../protocol/init-facts.ts";
import type { SegmentList, VersionedFormat } from "../types.ts";
import type { Rendition } from "./model.ts";
import { spansOf } from "./spans.ts";

/** The format of the media that needs this version of the init segment. @param formats in ascending order, at least one */
export const formatAt = <Format extends VersionedFormat>(formats: readonly Format[], version: number): Format =>
  formats.findLast((format) => format.version <= version) ?? formats[0]!;

/** Those of the media from this version on. */
export const formatsFrom = <Format extends VersionedFormat>(formats: readonly Format[], version: number): Format[] => [
  formatAt(formats, version),
  ...formats.filter((format) => format.version > version),
];

type Sized = Pick<MediaFormat, "widthPx" | "heightPx">;
const area = ({ widthPx, heightPx }: Sized): number => (widthPx ?? 0) * (heightPx ?? 0);

/** The one with the largest picture. @param formats at least one */
export const largestOf = <Format extends Sized>(formats: readonly Format[]): Format =>
  formats.reduce((largest, format) => (area(format) > area(largest) ? format : largest));

export const isSameFormat = (one: MediaFormat, other: MediaFormat): boolean =>
  one.codec === other.codec &&
  one.widthPx === other.widthPx &&
  one.heightPx === other.heightPx &&
  one.frameRate === other.frameRate;

/** Assumed frame rate of a source that states none. */
const USUAL_RATE = 30;

/** Frame durations are whole ticks (see PICTURE_TIMESCALE), so the fraction is exact: 29.97 Hz at 120000 is 4004 ticks, 30000/1001. */
export function frameRateOf(hz: number | null, timescale: number): Fraction {
  const ticks = Math.max(1, Math.round(timescale / (hz || USUAL_RATE)));
  const common = divisor(timescale, ticks);
  return { num: timescale / common, den: ticks / common };
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** The formats that media of a recording has, by their first versions. @param formats at least one */
export function formatsIn(segments: SegmentList, formats: readonly VersionedFormat[]): VersionedFormat[] {
  const versions = spansOf({ segments }).flatMap(({ isGap, count, initVersion }) =>
    isGap || count === 0 ? [] : [initVersion],
  );
  const found: VersionedFormat[] = [];
  for (const version of versions.length > 0 ? versions : [0]) {
    const { codec, widthPx, heightPx, frameRate } = formatAt(formats, version);
    const format = { version, codec, widthPx, heightPx, frameRate };
    const last = found.at(-1);
    if (last === undefined || !isSameFormat(last, format)) found.push(format);
  }
  return found;
}

/** What a row says about all of its media, or about a part of it. */
export type RowFormat = Pick<Rendition, "codec" | "widthPx" | "heightPx" | "frameRateNum" | "frameRateDen">;

/** All formats of a row, the first ones first. */
export const rowFormats = (row: Rendition): RowFormat[] =>
  (row.segments.formats ?? []).length > 0 ? row.segments.formats!.map((format) => asRow(row, format)) : [row];

/** The format of a row in one of its spans. */
export const rowFormatAt = (row: Rendition, initVersion: number): RowFormat =>
  (row.segments.formats ?? []).length > 0 ? asRow(row, formatAt(row.segments.formats!, initVersion)) : row;

function asRow({ timescale, kind }: Rendition, { codec, widthPx, heightPx, frameRate }: VersionedFormat): RowFormat {
  const { num, den } = frameRateOf(frameRate, timescale);
  const rate = kind === "video" ? { frameRateNum: num, frameRateDen: den } : { frameRateNum: null, frameRateDen: null };
  return { codec, widthPx, heightPx, ...rate };
}
