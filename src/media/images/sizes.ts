import type { Transform } from "../../../protocol/images.ts";

export interface Size {
  widthPx: number;
  heightPx: number;
}

export const FIT_MODES = ["preserve", "stretch", "crop", "smartcrop", "pad"] as const;
export type FitMode = (typeof FIT_MODES)[number];

/** How a still is wanted. Sizes are snapped; null = by the other one and the aspect ratio, or the size of the source. */
export interface Fit {
  widthPx: number | null;
  heightPx: number | null;
  mode: FitMode;
  rotate: Transform["rotate"];
  flip: Transform["flip"];
  /** Percent of the strongest one; 0 = none. */
  blur: number;
}

/** The whole picture, as it is. */
export const PLAIN_FIT: Fit = { widthPx: null, heightPx: null, mode: "preserve", rotate: 0, flip: "none", blur: 0 };

export const MAX_SIZE_PX = 4096;
const MIN_SIZE_PX = 16;
const MAX_SCALED_PX = 8192;

/**
 * Snaps a size to steps of 16 px, so that strangers cannot ask for every size; of 8 px up to 256 px, where the media contract has an
 * example of 200 px.
 */
export function snap(px: number): number {
  const step = px <= 256 ? 8 : 16;
  return Math.min(MAX_SIZE_PX, Math.max(MIN_SIZE_PX, step * Math.round(px / step)));
}

const even = (px: number) => Math.min(MAX_SCALED_PX, Math.max(2, 2 * Math.round(px / 2)));

/**
 * How a picture becomes the wanted one. `preserve` fits it into the box (media contract: 16:9 at 200×200 gives 200×112); `stretch` distorts it;
 * `crop` and `smartcrop` fill the box; `pad` adds black borders. No picture is enlarged: a box beyond the source becomes the largest of its shape
 * within it.
 *
 * @param source as displayed, before the wanted rotation
 */
export function planTransform({ widthPx, heightPx, mode, rotate, flip, blur }: Fit, source: Size): Transform {
  const isOnItsSide = rotate === 90 || rotate === 270;
  const [sourceWidth, sourceHeight] = isOnItsSide
    ? [source.heightPx, source.widthPx]
    : [source.widthPx, source.heightPx];
  const scaledBy = (factor: number): Size => ({
    widthPx: even(sourceWidth * factor),
    heightPx: even(sourceHeight * factor),
  });
  const plain = (scale: Size): Transform => ({
    rotate,
    flip,
    scale,
    crop: null,
    pad: null,
    ...(blur === 0 ? {} : { blur }),
  });
  const byWidth = widthPx === null ? null : widthPx / sourceWidth;
  const byHeight = heightPx === null ? null : heightPx / sourceHeight;
  const factors = [byWidth, byHeight].filter((factor) => factor !== null);
  if (mode === "preserve" || factors.length === 0) return plain(scaledBy(Math.min(1, ...factors)));
  const longest = Math.max(sourceWidth, sourceHeight);
  const box = withinSource(
    { widthPx: widthPx ?? even(sourceWidth * byHeight!), heightPx: heightPx ?? even(sourceHeight * byWidth!) },
    // Borders enlarge nothing, so a square around the picture is within it.
    mode === "pad" ? { widthPx: longest, heightPx: longest } : { widthPx: sourceWidth, heightPx: sourceHeight },
  );
  if (mode === "stretch") return plain(box);
  const boxFactors = [box.widthPx / sourceWidth, box.heightPx / sourceHeight];
  if (mode === "pad") {
    const { widthPx: width, heightPx: height } = scaledBy(Math.min(...boxFactors));
    const scale = { widthPx: Math.min(width, box.widthPx), heightPx: Math.min(height, box.heightPx) };
    return { ...plain(scale), pad: box };
  }
  const { widthPx: width, heightPx: height } = scaledBy(Math.max(...boxFactors));
  const scale = { widthPx: Math.max(width, box.widthPx), heightPx: Math.max(height, box.heightPx) };
  return { ...plain(scale), crop: { ...box, smart: mode === "smartcrop" } };
}

function withinSource(box: Size, source: Size): Size {
  const factor = Math.min(1, source.widthPx / box.widthPx, source.heightPx / box.heightPx);
  if (factor === 1) return box;
  return {
    widthPx: Math.min(even(box.widthPx * factor), source.widthPx),
    heightPx: Math.min(even(box.heightPx * factor), source.heightPx),
  };
}

/** The width before rotation that a transform needs of its source. */
const neededPx = ({ rotate, scale }: Transform) => (rotate === 90 || rotate === 270 ? scale.heightPx : scale.widthPx);

/** The smallest rung that has as many pixels as the picture needs, else the largest. */
export function nearestRung<Rung extends { widthPx: number | null; heightPx: number | null }>(
  rungs: readonly Rung[],
  fit: Fit,
): { rung: Rung; transform: Transform } | null {
  const bySize = rungs.filter((rung) => rung.widthPx !== null && rung.heightPx !== null).toSorted(bySmallest);
  const largest = bySize.at(-1);
  if (largest === undefined) return null;
  const needed = neededPx(planTransform(fit, sizeOfRung(largest)));
  const rung = bySize.find(({ widthPx }) => widthPx! >= needed) ?? largest;
  return { rung, transform: planTransform(fit, sizeOfRung(rung)) };
}

type Sized = { widthPx: number | null; heightPx: number | null };
const sizeOfRung = ({ widthPx, heightPx }: Sized): Size => ({ widthPx: widthPx!, heightPx: heightPx! });
export const bySmallest = (a: Sized, b: Sized) => a.widthPx! * a.heightPx! - b.widthPx! * b.heightPx!;
