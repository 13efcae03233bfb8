/** Burns a clock into a picture: readable digits, and a row of blocks for machines. */
import { CODE_PLACE, encodeClock } from "./clock-code.ts";

/** Five by seven dots: one number per row, with the leftmost dot as the highest bit. */
const GLYPHS: Record<string, number[]> = {
  "0": [0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e],
  "1": [0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e],
  "2": [0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f],
  "3": [0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e],
  "4": [0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02],
  "5": [0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e],
  "6": [0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e],
  "7": [0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
  "8": [0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e],
  "9": [0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c],
  ":": [0x00, 0x04, 0x04, 0x00, 0x04, 0x04, 0x00],
  ".": [0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c],
};
const GLYPH_WIDTH = 6; // including the space after it
const GLYPH_HEIGHT = 7;
const DARK = 16;
const LIGHT = 235;

/** The luma of a picture, 8 bit. */
export interface Luma {
  bytes: Uint8Array;
  strideBytes: number;
  widthPx: number;
  heightPx: number;
}

export function burnClock(luma: Luma, epochMs: number): void {
  const { widthPx, heightPx } = luma;
  const bits = encodeClock(epochMs);
  const [left, right] = [CODE_PLACE.left * widthPx, CODE_PLACE.right * widthPx];
  const [top, bottom] = [Math.round(CODE_PLACE.top * heightPx), Math.round(CODE_PLACE.bottom * heightPx)];
  const blockPx = (right - left) / bits.length;
  fill(luma, Math.floor(left - blockPx), top, Math.ceil(right + blockPx), bottom, DARK);
  for (const [index, bit] of bits.entries())
    if (bit === 1)
      fill(luma, Math.round(left + index * blockPx), top, Math.round(left + (index + 1) * blockPx), bottom, LIGHT);
  const text = new Date(epochMs).toISOString().slice(11, 23);
  const dotPx = Math.max(1, Math.floor((widthPx * 0.5) / (text.length * GLYPH_WIDTH)));
  write(luma, text, Math.round(CODE_PLACE.left * widthPx), Math.round(heightPx * 0.11), dotPx);
}

function write(luma: Luma, text: string, x: number, y: number, dotPx: number): void {
  const pad = 2 * dotPx;
  const right = x + text.length * GLYPH_WIDTH * dotPx;
  fill(luma, x - pad, y - pad, right - dotPx + pad, y + GLYPH_HEIGHT * dotPx + pad, DARK);
  for (const [at, char] of Array.from(text).entries())
    for (const [row, dots] of (GLYPHS[char] ?? []).entries())
      for (let column = 0; column < 5; column += 1) {
        if (((dots >> (4 - column)) & 1) === 0) continue;
        const [dotX, dotY] = [x + (at * GLYPH_WIDTH + column) * dotPx, y + row * dotPx];
        fill(luma, dotX, dotY, dotX + dotPx, dotY + dotPx, LIGHT);
      }
}

function fill(
  { bytes, strideBytes, widthPx, heightPx }: Luma,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  value: number,
) {
  const [left, right] = [Math.max(0, x0), Math.min(widthPx, x1)];
  for (let y = Math.max(0, y0); y < Math.min(heightPx, y1); y += 1)
    bytes.fill(value, y * strideBytes + left, y * strideBytes + right);
}
