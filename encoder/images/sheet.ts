/** Puts frames side by side into one JPEG. */
import type { Frame } from "node-av/lib";
import type { SheetRequest } from "../../protocol/images.ts";
import { JobError } from "../platform/errors.ts";
import { forWantedFrames } from "./frames.ts";
import { PictureGraph } from "../media/picture-graph.ts";
import { encodePicture, sheetFrame } from "./picture-encoder.ts";

/** Black in the full range of JPEG: luma 0, chroma 128. */
const [BLACK, GREY] = [0, 128];

/** @throws {JobError} source_damaged, encoder_failed */
export async function makeSheet(request: SheetRequest, body: Buffer): Promise<Buffer> {
  const { columns, rows, tile } = request;
  const canvas = new Canvas(columns * tile.widthPx, rows * tile.heightPx);
  const tiles = new TileScaler(tile.widthPx, tile.heightPx);
  try {
    await forWantedFrames(request, body, async (frame, index) => {
      if (index >= columns * rows) throw new JobError("encoder_failed", "The sheet has fewer tiles than frames.");
      using scaled = await tiles.scale(frame);
      canvas.paste(scaled, (index % columns) * tile.widthPx, Math.floor(index / columns) * tile.heightPx);
    });
  } finally {
    tiles.close();
  }
  using sheet = sheetFrame(canvas.widthPx, canvas.heightPx, canvas.bytes);
  return await encodePicture(sheet, "jpg");
}

/** A 4:2:0 picture in memory. */
class Canvas {
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

/** Keeps its graph while the frames have the same format. */
class TileScaler {
  readonly #filters: string;
  #graph: PictureGraph | null = null;

  constructor(widthPx: number, heightPx: number) {
    this.#filters = `[in]scale=${widthPx}:${heightPx}:flags=bicubic:out_range=pc:out_color_matrix=bt601,format=yuv420p[out0]`;
  }

  async scale(frame: Frame): Promise<Frame> {
    if (this.#graph?.suits(frame) === false) this.close();
    this.#graph ??= await PictureGraph.open(this.#filters, 1, frame, { num: 1, den: 1_000_000 });
    this.#graph.put(frame);
    const scaled = await this.#graph.take(0);
    if (scaled === null) throw new JobError("encoder_failed", "A tile was not scaled.");
    return scaled;
  }

  close(): void {
    this.#graph?.close();
    this.#graph = null;
  }
}
