/** Where a watermark lies in a picture. Pure. */
import type { MarkLength, Watermark } from "../jobs.ts";
import type { Size } from "../ladder.ts";

export interface MarkPlace extends Size {
  x: number;
  y: number;
}

/** 4:2:0 has one chroma sample for two pixels, so a mark begins and ends at even places. */
const even = (px: number) => 2 * Math.round(px / 2);

/**
 * @param image the size of the mark's file
 * @param canvas the displayed size of the media, to which pixels of the request refer
 * @param rung in which the place is; all of a ladder show the mark at the same place of the picture
 */
export function placeMark(mark: Watermark, image: Size, canvas: Size, rung: Size): MarkPlace {
  const scale = rung.widthPx / canvas.widthPx;
  const lengthOf = ({ value, unit }: MarkLength, side: number) =>
    unit === "percent" ? (side * value) / 100 : value * scale;
  const margin = {
    x: mark.xAlign === "center" ? 0 : lengthOf(mark.xMargin, rung.widthPx),
    y: mark.yAlign === "middle" ? 0 : lengthOf(mark.yMargin, rung.heightPx),
  };
  const wanted = wantedSize(mark, image, {
    scale,
    width: (it) => lengthOf(it, rung.widthPx),
    height: (it) => lengthOf(it, rung.heightPx),
  });
  const room = { width: Math.max(2, rung.widthPx - margin.x), height: Math.max(2, rung.heightPx - margin.y) };
  const fit = Math.min(1, room.width / wanted.widthPx, room.height / wanted.heightPx);
  const widthPx = Math.max(2, Math.min(rung.widthPx, even(wanted.widthPx * fit)));
  const heightPx = Math.max(2, Math.min(rung.heightPx, even(wanted.heightPx * fit)));
  const place = (free: number, own: number, align: "start" | "middle" | "end") =>
    Math.max(0, Math.min(even(free), even(align === "start" ? own : align === "end" ? free - own : free / 2)));
  return {
    widthPx,
    heightPx,
    x: place(
      rung.widthPx - widthPx,
      margin.x,
      ({ left: "start", center: "middle", right: "end" } as const)[mark.xAlign],
    ),
    y: place(
      rung.heightPx - heightPx,
      margin.y,
      ({ top: "start", middle: "middle", bottom: "end" } as const)[mark.yAlign],
    ),
  };
}

interface Lengths {
  scale: number;
  width: (length: MarkLength) => number;
  height: (length: MarkLength) => number;
}

/** One side alone keeps the shape of the image. */
function wantedSize({ width, height }: Watermark, image: Size, lengths: Lengths): Size {
  const shape = image.widthPx / image.heightPx;
  if (width !== null && height !== null) return { widthPx: lengths.width(width), heightPx: lengths.height(height) };
  if (width !== null) return { widthPx: lengths.width(width), heightPx: lengths.width(width) / shape };
  if (height !== null) return { widthPx: lengths.height(height) * shape, heightPx: lengths.height(height) };
  return { widthPx: image.widthPx * lengths.scale, heightPx: image.heightPx * lengths.scale };
}
