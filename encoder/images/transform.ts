/** Turns a decoded frame into the picture that a request asks for. */
import type { Frame } from "node-av/lib";
import { type StillFormat, STRONGEST_BLUR, type Transform } from "../../protocol/images.ts";
import { busiestWindow, detailOf, type SmallPicture } from "../../protocol/media/poster-score.ts";
import { PictureGraph } from "../media/picture-graph.ts";
import { colourFilterOf, encodePicture } from "./picture-encoder.ts";

const ANY_TIME_BASE = { num: 1, den: 1_000_000 };
/** Longest edge of the picture in which detail is measured. */
const SMALL_PX = 96;

const TURNS = { 0: "", 90: "transpose=clock", 180: "hflip,vflip", 270: "transpose=cclock" } as const;
const FLIPS = { none: "", h: "hflip", v: "vflip", hv: "hflip,vflip" } as const;

/** Runs one frame through a graph. The result is the caller's. */
async function filtered(frame: Frame, filters: string[]): Promise<Frame> {
  const graph = await PictureGraph.open(`[in]${chain(filters)}[out0]`, 1, frame, ANY_TIME_BASE);
  try {
    graph.put(frame);
    graph.put(null);
    return (await graph.take(0))!;
  } finally {
    graph.close();
  }
}

const chain = (filters: string[]) => filters.filter((filter) => filter !== "").join(",");

/** A small copy of a frame's luma. */
export async function smallPictureOf(frame: Frame, before: string[] = []): Promise<SmallPicture> {
  const shrink = `scale=w='if(gte(iw,ih),${SMALL_PX},-2)':h='if(gte(iw,ih),-2,${SMALL_PX})':flags=area:out_range=pc`;
  using small = await filtered(frame, [...before, shrink, "format=gray"]);
  return { widthPx: small.width, heightPx: small.height, luma: new Uint8Array(small.toBuffer()) };
}

/** @throws {JobError} encoder_failed */
export async function transformed(frame: Frame, transform: Transform, format: StillFormat): Promise<Buffer> {
  const { rotate, flip, scale, crop, pad, blur = 0 } = transform;
  const turned = [TURNS[rotate], FLIPS[flip]];
  const at = crop === null ? "" : await cropOf(frame, turned, scale, crop);
  const padded = pad === null ? "" : `pad=${pad.widthPx}:${pad.heightPx}:(ow-iw)/2:(oh-ih)/2:black`;
  const scaled = `scale=${scale.widthPx}:${scale.heightPx}:flags=bicubic,setsar=1`;
  const { widthPx, heightPx } = crop ?? scale;
  const sigma = Math.max(1, (Math.min(widthPx, heightPx) * STRONGEST_BLUR * blur) / 100);
  const blurred = blur === 0 ? "" : `gblur=sigma=${sigma.toFixed(2)}`;
  using picture = await filtered(frame, [...turned, scaled, at, blurred, padded, colourFilterOf(format)]);
  return await encodePicture(picture, format);
}

async function cropOf(
  frame: Frame,
  turned: string[],
  scale: Transform["scale"],
  { widthPx, heightPx, smart }: NonNullable<Transform["crop"]>,
): Promise<string> {
  if (!smart) return `crop=${widthPx}:${heightPx}`;
  const small = await smallPictureOf(frame, turned);
  const { columns, rows } = detailOf(small);
  const place = (detail: number[], scaledPx: number, windowPx: number) => {
    const window = Math.max(1, Math.min(detail.length, Math.round((windowPx / scaledPx) * detail.length)));
    const start = busiestWindow(detail, window);
    const free = detail.length - window;
    return free === 0 ? 0 : 2 * Math.round(((scaledPx - windowPx) * (start / free)) / 2);
  };
  return `crop=${widthPx}:${heightPx}:${place(columns, scale.widthPx, widthPx)}:${place(rows, scale.heightPx, heightPx)}`;
}
