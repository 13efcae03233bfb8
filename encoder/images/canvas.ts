import type { Frame } from "node-av/lib";

/** Black in the full range of JPEG: luma 0, chroma 128. */
const [BLACK, GREY] = [0, 128];

/** A 4:2:0 picture in memory, black at first. */
export class Canvas {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bytes: Buffer;

  constructor(widthPx: number, heightPx: number) {
    this.widthPx = widthPx;
    this.heightPx = heightPx;
    this.bytes = Buffer.alloc((widthPx * heightPx * 3) / 2, GREY);
    this.bytes.fill(BLACK, 0, widthPx * heightPx);
  }

  /** Positions are even. */
  paste(frame: Frame, x: number, y: number): void {
    const packed = frame.toBuffer();
    let [from, to] = [0, 0];
    for (const half of [1, 2, 2]) {
      const [width, height, line] = [frame.width / half, frame.height / half, this.widthPx / half];
      for (let row = 0; row < height; row++) {
        const at = to + (y / half + row) * line + x / half;
        packed.copy(this.bytes, at, from + row * width, from + (row + 1) * width);
      }
      from += width * height;
      to += line * (this.heightPx / half);
    }
  }
}
