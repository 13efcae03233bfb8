/** The sound of one run: samples in, AAC in parts out, as far as the picture has come. */
import { Codec, CodecContext, Frame, Packet, Rational, avChannelLayoutDefault } from "node-av";
import { AV_CODEC_FLAG_GLOBAL_HEADER, AV_SAMPLE_FMT_FLTP, FF_ENCODER_AAC } from "node-av/constants";
import { JobError } from "../errors.ts";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import { initSegment } from "../../protocol/media/cmaf.ts";
import type { InitFacts } from "./output.ts";
import type { PartCutter } from "./part-cutter.ts";
import { Pcm } from "./pcm.ts";
import type { SoundFormat, SoundPiece } from "./sound-converter.ts";

export interface SoundTimes {
  /** The source's time of the run's first sample. */
  zeroSeconds: number;
  /** How much later than its picture sound may come; then it is silence. */
  interleaveSeconds: number;
  /** Where it goes on in a run that another encoder began, in AAC frames. */
  firstFrame?: number;
  /** Samples by which that one had put the sound behind its timestamps. */
  shift?: number;
}

/** AAC frames that are encoded before the first one that counts: each overlaps the one before it. */
const WARM_UP_FRAMES = 4;

export const soundBitrate = ({ channels }: SoundFormat) => (channels === 1 ? 96_000 : 128_000);

export class SoundLine {
  readonly init: { bytes: Buffer; facts: InitFacts };
  readonly #format: SoundFormat;
  #zeroSeconds: number;
  readonly #patienceSeconds: number;
  readonly #context: CodecContext;
  readonly #cutter: PartCutter;
  readonly #packet = new Packet();
  readonly #pcm: Pcm;
  readonly #shift: number;
  readonly #firstOut: number;
  #frames: number; // AAC frames of the run given to the encoder

  private constructor(format: SoundFormat, plan: SoundTimes, context: CodecContext, cutter: PartCutter) {
    this.#format = format;
    this.#zeroSeconds = plan.zeroSeconds;
    this.#patienceSeconds = plan.interleaveSeconds;
    this.#context = context;
    this.#cutter = cutter;
    this.#packet.alloc();
    this.#firstOut = plan.firstFrame ?? 0;
    this.#shift = plan.shift ?? 0;
    this.#frames = Math.max(0, this.#firstOut - WARM_UP_FRAMES);
    this.#pcm = new Pcm(format.sampleRateHz, format.channels, this.#frames * AAC_FRAME_SAMPLES);
    const audioSpecificConfig = context.extraData ?? Buffer.alloc(0);
    const timescale = format.sampleRateHz;
    const [channels, bitrateBps] = [format.channels, soundBitrate(format)];
    this.init = {
      bytes: initSegment({ kind: "audio", timescale, channels, audioSpecificConfig, bitrateBps }),
      facts: { codec: "mp4a.40.2", widthPx: null, heightPx: null, timescale },
    };
  }

  static async open(format: SoundFormat, plan: SoundTimes, cutter: PartCutter): Promise<SoundLine> {
    const codec = Codec.findEncoderByName(FF_ENCODER_AAC);
    const context = new CodecContext();
    context.allocContext3(codec);
    context.sampleRate = format.sampleRateHz;
    context.channelLayout = avChannelLayoutDefault(format.channels);
    context.sampleFormat = AV_SAMPLE_FMT_FLTP;
    context.timeBase = new Rational(1, format.sampleRateHz);
    context.bitRate = BigInt(soundBitrate(format));
    context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
    const opened = await context.open2(codec);
    if (opened < 0) throw new JobError("encoder_failed", `The AAC encoder did not start (${opened}).`);
    return new SoundLine(format, plan, context, cutter);
  }

  get segments(): number {
    return this.#cutter.segments;
  }

  /** Seconds from the run's start up to which there is sound. */
  get endSeconds(): number {
    return this.#pcm.end / this.#format.sampleRateHz;
  }

  /** Moves the run's first sample to a later time of the source, or an earlier one. Before anything is written. */
  delay(seconds: number): void {
    this.#zeroSeconds += seconds;
  }

  /** Samples by which the sound lies behind its timestamps. */
  get shift(): number {
    return this.#shift + this.#pcm.shift;
  }

  /** What lies before the run's start is dropped. */
  write({ seconds, planes }: SoundPiece): void {
    const at = Math.round((seconds - this.#zeroSeconds) * this.#format.sampleRateHz) + this.#shift;
    const early = Math.min(planes[0]!.length, Math.max(0, -at));
    this.#pcm.write(Math.max(0, at), early > 0 ? planes.map((plane) => plane.subarray(early)) : planes);
  }

  /** Encodes what belongs to the picture up to there; what does not come is silence after a while. */
  async encodeUntil(pictureSeconds: number): Promise<void> {
    this.#pcm.padTo(Math.floor((pictureSeconds - this.#patienceSeconds) * this.#format.sampleRateHz));
    const wanted = Math.round((pictureSeconds * this.#format.sampleRateHz) / AAC_FRAME_SAMPLES);
    while (this.#frames < wanted) {
      const planes = this.#pcm.read(AAC_FRAME_SAMPLES);
      if (planes === null) return;
      await this.#encodeFrame(planes);
    }
  }

  /**
   * Ends with so many AAC frames in all: silence fills up.
   * @returns the sound behind that, with its place in the source's time
   */
  async finish(frames: number): Promise<SoundPiece | null> {
    this.#pcm.padTo(frames * AAC_FRAME_SAMPLES);
    while (this.#frames < frames) await this.#encodeFrame(this.#pcm.read(AAC_FRAME_SAMPLES)!);
    await this.#send(null);
    this.#cutter.finish();
    const count = this.#pcm.end - this.#frames * AAC_FRAME_SAMPLES;
    const planes = count > 0 ? this.#pcm.read(count) : null;
    const seconds = this.#zeroSeconds + (this.#frames * AAC_FRAME_SAMPLES) / this.#format.sampleRateHz;
    return planes && { seconds, planes };
  }

  close(): void {
    this.#packet.free();
    this.#context.freeContext();
  }

  async #encodeFrame(planes: Float32Array[]): Promise<void> {
    const bytes = Buffer.concat(planes.map((plane) => Buffer.from(plane.buffer, plane.byteOffset, plane.byteLength)));
    const frame = Frame.fromAudioBuffer(bytes, {
      nbSamples: AAC_FRAME_SAMPLES,
      format: AV_SAMPLE_FMT_FLTP,
      sampleRate: this.#format.sampleRateHz,
      channelLayout: avChannelLayoutDefault(this.#format.channels),
      timeBase: { num: 1, den: this.#format.sampleRateHz },
      pts: BigInt(this.#frames * AAC_FRAME_SAMPLES),
    });
    this.#frames += 1;
    await this.#send(frame);
    frame.free();
  }

  async #send(frame: Frame | null): Promise<void> {
    const sent = await this.#context.sendFrame(frame);
    if (sent < 0) throw new JobError("encoder_failed", `The AAC encoder refused sound (${sent}).`);
    while ((await this.#context.receivePacket(this.#packet)) >= 0) {
      // Priming: what the encoder emits for the time before its first sample; and what is out already.
      if (this.#packet.pts >= BigInt(this.#firstOut * AAC_FRAME_SAMPLES))
        this.#cutter.add(Buffer.from(this.#packet.data ?? []), true);
      this.#packet.unref();
    }
  }
}
