/** The AAC-LC encoder of jobs and broadcasts. */
import { Codec, CodecContext, Rational, avChannelLayoutDefault } from "node-av/lib";
import { AV_CODEC_FLAG_GLOBAL_HEADER, AV_SAMPLE_FMT_FLTP, FF_ENCODER_AAC } from "node-av/constants";
import { JobError } from "../platform/errors.ts";

export interface AacFormat {
  sampleRateHz: number;
  channels: number;
  bitrateBps: number;
}

/** Its `extraData` is the AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1). @throws {JobError} encoder_failed */
export async function openAacEncoder({ sampleRateHz, channels, bitrateBps }: AacFormat): Promise<CodecContext> {
  const codec = Codec.findEncoderByName(FF_ENCODER_AAC);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = sampleRateHz;
  context.channelLayout = avChannelLayoutDefault(channels);
  context.sampleFormat = AV_SAMPLE_FMT_FLTP;
  context.timeBase = new Rational(1, sampleRateHz);
  context.bitRate = BigInt(bitrateBps);
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  const opened = await context.open2(codec);
  if (opened < 0) throw new JobError("encoder_failed", `The AAC encoder did not start (${opened}).`);
  return context;
}
