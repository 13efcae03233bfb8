/** Reads pictures that the platform has made: each format by a decoder that is not the platform's. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface ReadPicture {
  codec: string;
  widthPx: number;
  heightPx: number;
  /** Luma of one frame, row by row. */
  luma: Uint8Array;
  frames: number;
}

/** Decodes a picture, or every frame of an animation or video, with ffmpeg. @param frame whose luma is returned, from 0 */
export async function readPicture(bytes: Uint8Array, extension: string, frame = 0): Promise<ReadPicture> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-picture-"));
  try {
    const path = join(folder, `picture.${extension}`);
    await writeFile(path, bytes);
    const probe = ["-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "json", path];
    const { stdout } = await run("ffprobe", probe);
    const [stream] = (JSON.parse(stdout) as { streams: { codec_name: string; width: number; height: number }[] })
      .streams;
    const decode = ["-v", "error", "-i", path, "-vsync", "passthrough", "-pix_fmt", "gray", "-f", "rawvideo", "-"];
    const { stdout: raw } = await run("ffmpeg", decode, { encoding: "buffer", maxBuffer: 1 << 29 });
    const { codec_name: codec, width: widthPx, height: heightPx } = stream!;
    const size = widthPx * heightPx;
    const luma = raw.subarray(frame * size, (frame + 1) * size);
    return { codec, widthPx, heightPx, luma, frames: Math.floor(raw.length / size) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A part of a picture. */
export function cutPicture(
  picture: ReadPicture,
  { x, y, widthPx, heightPx }: { x: number; y: number; widthPx: number; heightPx: number },
): { widthPx: number; heightPx: number; luma: Uint8Array } {
  const luma = new Uint8Array(widthPx * heightPx);
  for (let row = 0; row < heightPx; row++) {
    const from = (y + row) * picture.widthPx + x;
    luma.set(picture.luma.subarray(from, from + widthPx), row * widthPx);
  }
  return { widthPx, heightPx, luma };
}
