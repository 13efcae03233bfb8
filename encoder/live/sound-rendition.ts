/** Encodes the sound of one run to AAC and cuts it into parts, up to the end of the picture. */
import { type CodecContext, Frame, Packet, avChannelLayoutDefault } from "node-av/lib";
import { AV_SAMPLE_FMT_FLTP } from "node-av/constants";
import { openAacEncoder } from "../media/aac-encoder.ts";
import { JobError } from "../platform/errors.ts";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import { initSegment } from "../../protocol/media/cmaf.ts";
import type { SoundFormat } from "./broadcast-sounds.ts";
import type { InitFacts } from "./output.ts";
import type { PartCutter } from "./part-cutter.ts";
import { Pcm } from "./pcm.ts";
import type { SoundPiece } from "./sound-converter.ts";

export interface SoundTimes {
  /** Source time of the run's first sample. */
  zeroSeconds: number;
  /** How much later than its picture sound may arrive before it is replaced by silence, in seconds. */
  delaySeconds: () => number;
  /** The AAC frame at which to continue a run that another encoder started. */
  firstFrame?: number;
  /** Samples by which that encoder placed sound after its timestamps. */
  shift?: number;
}

/** AAC frames encoded and discarded before the first published one, because each frame overlaps the previous one. */
const WARM_UP_FRAMES = 4;

export const soundBitrate = ({ channels }: SoundFormat) => (channels === 1 ? 96_000 : 128_000);

export class SoundRendition {
  readonly init: { bytes: Buffer; facts: InitFacts };
  readonly #format: SoundFormat;
  #zeroSeconds: number;
  readonly #delaySeconds: () => number;
  readonly #context: CodecContext;
  readonly #cutter: PartCutter;
  readonly #packet = new Packet();
  readonly #pcm: Pcm;
  readonly #shift: number;
  readonly #firstFrame: number;
  #frames: number; // AAC frames of the run given to the encoder

  private constructor(format: SoundFormat, plan: SoundTimes, context: CodecContext, cutter: PartCutter) {
    this.#format = format;
    this.#zeroSeconds = plan.zeroSeconds;
    this.#delaySeconds = plan.delaySeconds;
    this.#context = context;
    this.#cutter = cutter;
    this.#packet.alloc();
    this.#firstFrame = plan.firstFrame ?? 0;
    this.#shift = plan.shift ?? 0;
    this.#frames = Math.max(0, this.#firstFrame - WARM_UP_FRAMES);
    this.#pcm = new Pcm(format.sampleRateHz, format.channels, this.#frames * AAC_FRAME_SAMPLES);
    const audioSpecificConfig = context.extraData ?? Buffer.alloc(0);
    const timescale = format.sampleRateHz;
    const [channels, bitrateBps] = [format.channels, soundBitrate(format)];
    this.init = {
      bytes: initSegment({ kind: "audio", timescale, channels, audioSpecificConfig, bitrateBps }),
      facts: { codec: "mp4a.40.2", widthPx: null, heightPx: null, timescale, frameRate: null },
    };
  }

  static async open(format: SoundFormat, plan: SoundTimes, cutter: PartCutter): Promise<SoundRendition> {
    const context = await openAacEncoder({ ...format, bitrateBps: soundBitrate(format) });
    return new SoundRendition(format, plan, context, cutter);
  }

  get segments(): number {
    return this.#cutter.segments;
  }

  /** End of the sound, in seconds from the start of the run. */
  get endSeconds(): number {
    return this.#pcm.end / this.#format.sampleRateHz;
  }

  /** Shifts the source time of the run's first sample, later or earlier. Must precede the first `write`. */
  delay(seconds: number): void {
    this.#zeroSeconds += seconds;
  }

  /** Samples by which sound is placed after its timestamps. */
  get shift(): number {
    return this.#shift + this.#pcm.shift;
  }

  /** Drops samples before the start of the run. */
  write({ seconds, planes }: SoundPiece): void {
    const at = Math.round((seconds - this.#zeroSeconds) * this.#format.sampleRateHz) + this.#shift;
    const early = Math.min(planes[0]!.length, Math.max(0, -at));
    this.#pcm.write(Math.max(0, at), early > 0 ? planes.map((plane) => plane.subarray(early)) : planes);
  }

  /** Encodes sound up to this picture time. Sound later than `delaySeconds` is replaced by silence. */
  async encodeUntil(pictureSeconds: number): Promise<void> {
    this.#pcm.padTo(Math.floor((pictureSeconds - this.#delaySeconds()) * this.#format.sampleRateHz));
    const wanted = Math.round((pictureSeconds * this.#format.sampleRateHz) / AAC_FRAME_SAMPLES);
    while (this.#frames < wanted) {
      const planes = this.#pcm.read(AAC_FRAME_SAMPLES);
      if (planes === null) return;
      await this.#encodeFrame(planes);
    }
  }

  /**
   * Ends the run's sound after `frames` AAC frames in total, padded with silence.
   * @returns the sound after that, with its source time
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
      // Discard priming (output before the first sample) and frames that are already published.
      if (this.#packet.pts >= BigInt(this.#firstFrame * AAC_FRAME_SAMPLES))
        this.#cutter.add(Buffer.from(this.#packet.data ?? []), true);
      this.#packet.unref();
    }
  }
}
