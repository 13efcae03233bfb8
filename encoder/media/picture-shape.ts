/** Sizes of pictures as they are shown: upright, in square pixels. Pure. */
import type { Frame, Stream } from "node-av/lib";
import type { Size } from "../../protocol/ladder.ts";
import type { Orientation } from "./orientation.ts";

/** Shapes that differ by less are the same one: rounded aspect ratios, and pictures that are cropped by a few lines. */
const SAME_SHAPE = 0.02;

export interface PixelAspect {
  num: number;
  den: number;
}

/** Aspect ratios of a stream's pixels. Read before the source is reopened, which invalidates its streams. */
export interface PixelAspects {
  /** The container's, which is that of all pictures. */
  container: PixelAspect;
  /** That of the codec's header, for pictures that have none. */
  header: PixelAspect;
}

export const pixelAspects = (stream: Stream | undefined): PixelAspects => ({
  container: aspectOf(stream?.sampleAspectRatio),
  header: aspectOf(stream?.codecpar.sampleAspectRatio),
});

const aspectOf = ({ num, den }: PixelAspect = { num: 0, den: 1 }): PixelAspect => ({ num, den });

/** Keeps the height and scales the width by the pixels' aspect ratio, then turns the picture. Odd sizes are not rounded here. */
export function shownSize(
  { width, height, sampleAspectRatio }: Pick<Frame, "width" | "height" | "sampleAspectRatio">,
  { container, header }: PixelAspects,
  { rotationDegrees }: Orientation,
): Size {
  const { num, den } = [container, sampleAspectRatio, header].find(isUsable) ?? { num: 1, den: 1 };
  const widthPx = Math.max(1, Math.round((width * num) / den));
  const isOnItsSide = rotationDegrees === 90 || rotationDegrees === 270;
  return isOnItsSide ? { widthPx: height, heightPx: widthPx } : { widthPx, heightPx: height };
}

const isUsable = ({ num, den }: PixelAspect) => num > 0 && den > 0 && num / den > 0.1 && num / den < 10;

export const haveSameShape = (a: Size, b: Size): boolean =>
  Math.abs((a.widthPx * b.heightPx) / (a.heightPx * b.widthPx) - 1) <= SAME_SHAPE;

/** Where a picture of one shape lies in a frame of another one: as large as possible, in the middle, at even places. */
export function placeInside(picture: Size, frame: Size): Size & { x: number; y: number } {
  const scale = Math.min(frame.widthPx / picture.widthPx, frame.heightPx / picture.heightPx);
  const even = (px: number, atMost: number) => Math.min(atMost, Math.max(2, 2 * Math.round((px * scale) / 2)));
  const widthPx = even(picture.widthPx, frame.widthPx);
  const heightPx = even(picture.heightPx, frame.heightPx);
  const before = (room: number) => 2 * Math.floor(room / 4);
  return { widthPx, heightPx, x: before(frame.widthPx - widthPx), y: before(frame.heightPx - heightPx) };
}
