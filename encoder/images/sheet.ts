/** Puts frames side by side into one JPEG. */
import type { SheetRequest } from "../../protocol/images.ts";
import { JobError } from "../platform/errors.ts";
import { Canvas } from "./canvas.ts";
import { forWantedFrames } from "./frames.ts";
import { encodePicture, sheetFrame } from "./picture-encoder.ts";
import { Scaler } from "./scaler.ts";

/** @throws {JobError} source_damaged, encoder_failed */
export async function makeSheet(request: SheetRequest, body: Buffer): Promise<Buffer> {
  const { columns, rows, tile } = request;
  const canvas = new Canvas(columns * tile.widthPx, rows * tile.heightPx);
  const tiles = new Scaler(tileFilters(tile));
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

/** To a tile's size, in the colours of JPEG. */
export const tileFilters = ({ widthPx, heightPx }: { widthPx: number; heightPx: number }): string =>
  `scale=${widthPx}:${heightPx}:flags=bicubic:out_range=pc:out_color_matrix=bt601,format=yuv420p`;
