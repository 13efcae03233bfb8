/** Encodes single pictures: JPEG, PNG, WebP and AVIF. */
import { Codec, CodecContext, Dictionary, FormatContext, Frame, Packet, Rational } from "node-av/lib";
import {
  AVCOL_RANGE_JPEG,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUV420P,
  type AVCodecFlag,
  type AVPixelFormat,
} from "node-av/constants";
import type { StillFormat } from "../../protocol/images.ts";
import { JobError } from "../platform/errors.ts";
import { BytesWritten } from "./media-bytes.ts";

interface Way {
  encoder: string;
  pixels: AVPixelFormat;
  /** The end of the filter graph: the colours that the format holds. */
  filter: string;
  options: Record<string, string | number>;
  range?: typeof AVCOL_RANGE_JPEG;
  flags?: AVCodecFlag[];
}

/** JPEG and WebP hold the matrix of BT.601 (JFIF; RFC 6386 §9.2); AVIF says which one it holds. */
const WAYS: Record<StillFormat, Way> = {
  jpg: {
    encoder: "mjpeg",
    pixels: AV_PIX_FMT_YUV420P,
    filter: "scale=out_range=pc:out_color_matrix=bt601,format=yuv420p",
    options: { qmin: 3, qmax: 3 },
    range: AVCOL_RANGE_JPEG,
  },
  png: {
    encoder: "png",
    pixels: AV_PIX_FMT_RGB24,
    filter: "format=rgb24",
    options: { compression_level: 2, pred: "up" },
  },
  webp: {
    encoder: "libwebp",
    pixels: AV_PIX_FMT_YUV420P,
    filter: "scale=out_range=tv:out_color_matrix=bt601,format=yuv420p",
    options: { quality: 80, compression_level: 2 },
  },
  avif: {
    encoder: "libsvtav1",
    pixels: AV_PIX_FMT_YUV420P,
    filter: "scale=out_range=pc:out_color_matrix=bt709,format=yuv420p",
    // Without `avif=1`: SVT-AV1 counts pictures of that mode in the process, and refuses all but the first.
    options: { preset: 9, crf: 30 },
    range: AVCOL_RANGE_JPEG,
    flags: [AV_CODEC_FLAG_GLOBAL_HEADER],
  },
};

export const colourFilterOf = (format: StillFormat): string => WAYS[format].filter;

/**
 * @param picture in the colours of `colourFilterOf`
 * @param further options of libav's encoder
 * @throws {JobError} encoder_failed
 */
export async function encodePicture(
  picture: Frame,
  format: StillFormat,
  further: Record<string, string | number> = {},
): Promise<Buffer> {
  const { encoder, pixels, options: named, range, flags = [] } = WAYS[format];
  const codec = Codec.findEncoderByName(encoder as never);
  using context = new CodecContext();
  context.allocContext3(codec);
  context.width = picture.width;
  context.height = picture.height;
  context.pixelFormat = pixels;
  if (range !== undefined) context.colorRange = range;
  context.colorSpace = picture.colorSpace;
  context.timeBase = new Rational(1, 1);
  context.framerate = new Rational(1, 1);
  context.threadCount = 1;
  context.setFlags(...flags);
  using options = Dictionary.fromObject({ ...named, ...further });
  using packet = new Packet();
  packet.alloc();
  picture.pts = 0n;
  const opened = await context.open2(codec, options);
  const sent = opened < 0 ? opened : await context.sendFrame(picture);
  if (sent >= 0) await context.sendFrame(null);
  const received = sent < 0 ? sent : await context.receivePacket(packet);
  if (received < 0) throw new JobError("encoder_failed", `The picture could not be encoded (${received}).`);
  return format === "avif" ? await wrapAvif(context, packet) : Buffer.from(packet.data ?? []);
}

/** AVIF is AV1 in HEIF boxes, which libav's muxer writes. */
async function wrapAvif(context: CodecContext, packet: Packet): Promise<Buffer> {
  const output = new FormatContext();
  const written = new BytesWritten();
  const allocated = output.allocOutputContext2(null, "avif", null);
  if (allocated < 0) throw new JobError("encoder_failed", "There is no AVIF muxer.");
  written.attach(output);
  const stream = output.newStream();
  const copied = stream.codecpar.fromContext(context);
  stream.timeBase = new Rational(1, 1);
  packet.streamIndex = stream.index;
  const headed = copied < 0 ? copied : await output.writeHeader(null);
  const framed = headed < 0 ? headed : await output.writeFrame(packet);
  const ended = framed < 0 ? framed : await output.writeTrailer();
  if (ended < 0) throw new JobError("encoder_failed", `The AVIF file could not be written (${ended}).`);
  await output.pb?.flush();
  return Buffer.from(written.bytes());
}

/** A frame in the colours of JPEG. @param bytes planes of 4:2:0, one after the other */
export function sheetFrame(widthPx: number, heightPx: number, bytes: Buffer): Frame {
  const frame = new Frame();
  frame.alloc();
  frame.width = widthPx;
  frame.height = heightPx;
  frame.format = AV_PIX_FMT_YUV420P;
  frame.colorRange = AVCOL_RANGE_JPEG;
  frame.getBuffer();
  const filled = frame.fromBuffer(bytes);
  if (filled < 0) throw new JobError("encoder_failed", `The sheet could not be put together (${filled}).`);
  return frame;
}
