/** A counter burnt into each frame: a row of light and dark blocks across the picture, which survives scaling down to tiles. */

const BITS = 12;
/** The row, as fractions of the picture's width and height. */
const [LEFT, STEP, TOP, HEIGHT] = [0.08, 0.07, 0.4, 0.2];
const BLOCK = 0.06;

/**
 * The source of a numbered film: ffmpeg's filter. Its background changes with each frame, so that every frame costs bits.
 *
 * @param rate as ffmpeg writes it, "25" or "30000/1001"
 */
export function countedFilm(rate: string, size = "320x180"): string[] {
  const blocks = Array.from({ length: BITS }, (_, bit) => {
    const x = (LEFT + bit * STEP).toFixed(4);
    const value = `floor(n/${2 ** (BITS - 1 - bit)})`;
    return `drawbox=x=iw*${x}:y=ih*${TOP}:w=iw*${BLOCK}:h=ih*${HEIGHT}:color=white:t=fill:enable='gte(mod(${value}\\,2)\\,1)'`;
  });
  const ground = `drawbox=x=0:y=ih*${TOP - 0.05}:w=iw:h=ih*${HEIGHT + 0.1}:color=black:t=fill`;
  return ["-f", "lavfi", "-i", `testsrc2=size=${size}:rate=${rate},${ground},${blocks.join(",")}`];
}

/** The number in a picture's luma; null when a block is neither light nor dark. */
export function readCounter({
  widthPx,
  heightPx,
  luma,
}: {
  widthPx: number;
  heightPx: number;
  luma: Uint8Array;
}): number | null {
  const y = Math.floor((TOP + HEIGHT / 2) * heightPx);
  let number = 0;
  for (let bit = 0; bit < BITS; bit++) {
    const x = Math.floor((LEFT + bit * STEP + BLOCK / 2) * widthPx);
    const value = luma[y * widthPx + x]!;
    if (value > 90 && value < 160) return null;
    number = number * 2 + (value >= 160 ? 1 : 0);
  }
  return number;
}
