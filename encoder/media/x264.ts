/** Opens libx264 through libav with the settings that chunks and live broadcasts share. */
import { Codec, CodecContext, Dictionary, Rational } from "node-av/lib";
import {
  AVCOL_PRI_BT709,
  AVCOL_RANGE_MPEG,
  AVCOL_TRC_BT709,
  AV_CODEC_FLAG_CLOSED_GOP,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PIX_FMT_YUV420P,
  FF_ENCODER_LIBX264,
} from "node-av/constants";
import type { AVColorSpace } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import type { Fraction } from "../../protocol/source-facts.ts";
import type { ColorMatrix } from "./scale-graph.ts";

export interface X264Setup {
  widthPx: number;
  heightPx: number;
  frameRate: Fraction;
  colorMatrix: ColorMatrix;
  threads: number;
  /** libx264 options by libav's names. */
  options: Record<string, string | number>;
}

/** BT.709, 4:2:0, 8 bit, square pixels, closed GOPs; parameter sets in the configuration record. The time base is one frame. */
export async function openX264({
  widthPx,
  heightPx,
  frameRate,
  colorMatrix,
  threads,
  options: named,
}: X264Setup): Promise<CodecContext> {
  const codec = Codec.findEncoderByName(FF_ENCODER_LIBX264);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.width = widthPx;
  context.height = heightPx;
  context.pixelFormat = AV_PIX_FMT_YUV420P;
  context.timeBase = new Rational(frameRate.den, frameRate.num);
  context.framerate = new Rational(frameRate.num, frameRate.den);
  context.sampleAspectRatio = new Rational(1, 1);
  context.colorRange = AVCOL_RANGE_MPEG;
  context.colorPrimaries = AVCOL_PRI_BT709;
  context.colorTrc = AVCOL_TRC_BT709;
  context.colorSpace = colorMatrix as AVColorSpace; // both use H.273 numbers
  context.threadCount = threads;
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER, AV_CODEC_FLAG_CLOSED_GOP);
  using options = Dictionary.fromObject(named);
  const opened = await context.open2(codec, options);
  if (opened < 0) throw new JobError("encoder_failed", `The H.264 encoder did not start (${opened}).`);
  return context;
}

/** The avcC of an opened encoder. @throws {JobError} encoder_failed */
export function configurationOf(context: CodecContext): Buffer {
  const avcConfig = context.extraData;
  if (avcConfig === null || avcConfig[0] !== 1)
    throw new JobError("encoder_failed", "The encoder produced no configuration record.");
  return avcConfig;
}
