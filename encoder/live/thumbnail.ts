/** Creates live thumbnails: a JPEG of the first picture and one every 5 s, from an already scaled rung. */
import { Codec, CodecContext, Dictionary, type Frame, Packet, Rational } from "node-av/lib";
import { AVCOL_RANGE_JPEG, AV_PIX_FMT_YUV420P, FF_ENCODER_MJPEG } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { PictureGraph } from "../media/picture-graph.ts";
import type { Fraction } from "../../protocol/source-facts.ts";

const THUMBNAIL_SECONDS = 5;
const THUMBNAIL_WIDTH_PX = 640;
/** libav mjpeg quantizer, 2 (best) to 31; about 40 KB at 640×360. */
const QUANTIZER = 4;

/** Whether this output frame of the run gets a thumbnail. Pure. */
export const isThumbnailFrame = (number: number, { num, den }: Fraction): boolean =>
  number % Math.max(1, Math.round((THUMBNAIL_SECONDS * num) / den)) === 0;

/** Index of the width to make a thumbnail from: the smallest that needs no upscaling, otherwise the largest. Pure. */
export function thumbnailSource(widthsPx: number[]): number {
  const enough = widthsPx.filter((widthPx) => widthPx >= THUMBNAIL_WIDTH_PX);
  return widthsPx.indexOf(enough.length > 0 ? Math.min(...enough) : Math.max(...widthsPx));
}

/** @param picture square pixels; owned by the caller @throws {JobError} encoder_failed */
export async function jpegOf(picture: Frame): Promise<Buffer> {
  const widthPx = Math.min(THUMBNAIL_WIDTH_PX, picture.width);
  const heightPx = Math.max(2, 2 * Math.round((picture.height * widthPx) / picture.width / 2));
  // JPEG holds the full range, in the matrix of BT.601 (JFIF §"Color space").
  const scale = `scale=${widthPx}:${heightPx}:flags=bilinear:out_range=pc:out_color_matrix=bt601,format=yuv420p`;
  const graph = await PictureGraph.open(`[in]${scale}[out0]`, 1, picture, { num: 1, den: 1_000_000 });
  try {
    graph.put(picture);
    using scaled = (await graph.take(0))!;
    return await encode(scaled);
  } finally {
    graph.close();
  }
}

async function encode(picture: Frame): Promise<Buffer> {
  const codec = Codec.findEncoderByName(FF_ENCODER_MJPEG);
  using context = new CodecContext();
  context.allocContext3(codec);
  context.width = picture.width;
  context.height = picture.height;
  context.pixelFormat = AV_PIX_FMT_YUV420P;
  context.colorRange = AVCOL_RANGE_JPEG;
  context.timeBase = new Rational(1, 1);
  context.threadCount = 1;
  using options = Dictionary.fromObject({ qmin: QUANTIZER, qmax: QUANTIZER });
  using packet = new Packet();
  packet.alloc();
  const opened = await context.open2(codec, options);
  const sent = opened < 0 ? opened : await context.sendFrame(picture);
  const received = sent < 0 ? sent : await context.receivePacket(packet);
  if (received < 0) throw new JobError("encoder_failed", `The thumbnail could not be made (${received}).`);
  return Buffer.from(packet.data ?? []);
}
