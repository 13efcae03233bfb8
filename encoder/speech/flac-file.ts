/** Writes a FLAC file of one channel (RFC 9639). */
import { avChannelLayoutDefault, Codec, CodecContext, Frame, Packet, Rational } from "node-av/lib";
import { AV_CODEC_ID_FLAC, AV_SAMPLE_FMT_S16 } from "node-av/constants";
import { JobError } from "../platform/errors.ts";

const FRAME_SAMPLES = 4096;
/** "fLaC", and the header of STREAMINFO as the last block of metadata (RFC 9639 §8.1), 34 bytes long. */
const MARK = Buffer.from([0x66, 0x4c, 0x61, 0x43, 0x80, 0, 0, 34]);
const STREAMINFO_BYTES = 34;

export class FlacFile {
  readonly #context: CodecContext;
  readonly #rateHz: number;
  readonly #packet = new Packet();
  readonly #chunks: Buffer[] = [];
  #samples = new Int16Array(FRAME_SAMPLES);
  #filled = 0;
  #position = 0;

  private constructor(context: CodecContext, rateHz: number) {
    this.#context = context;
    this.#rateHz = rateHz;
    this.#packet.alloc();
  }

  /** @throws {JobError} encoder_failed */
  static async open(rateHz: number): Promise<FlacFile> {
    const codec = Codec.findEncoder(AV_CODEC_ID_FLAC);
    const context = new CodecContext();
    context.allocContext3(codec);
    context.sampleRate = rateHz;
    context.channelLayout = avChannelLayoutDefault(1);
    context.sampleFormat = AV_SAMPLE_FMT_S16;
    context.timeBase = new Rational(1, rateHz);
    context.frameSize = FRAME_SAMPLES;
    const opened = await context.open2(codec);
    if (opened < 0) throw new JobError("encoder_failed", `The FLAC encoder did not start (${opened}).`);
    return new FlacFile(context, rateHz);
  }

  /** @param samples -1 to 1 */
  put(samples: Float32Array): void {
    for (const value of samples) {
      this.#samples[this.#filled++] = Math.max(-32_768, Math.min(32_767, Math.round(value * 32_767)));
      if (this.#filled === FRAME_SAMPLES) this.#encode();
    }
  }

  finish(): Buffer {
    if (this.#filled > 0) this.#encode();
    this.#context.sendFrameSync(null);
    this.#receive();
    const info = this.#context.extraData;
    this.#packet.free();
    this.#context.freeContext();
    if (info?.length !== STREAMINFO_BYTES)
      throw new JobError("encoder_failed", "The FLAC encoder described no stream.");
    return Buffer.concat([MARK, info, ...this.#chunks]);
  }

  #encode(): void {
    const bytes = Buffer.from(this.#samples.buffer, 0, this.#filled * 2);
    using frame = Frame.fromAudioBuffer(Buffer.from(bytes), {
      nbSamples: this.#filled,
      format: AV_SAMPLE_FMT_S16,
      sampleRate: this.#rateHz,
      channelLayout: avChannelLayoutDefault(1),
      timeBase: { num: 1, den: this.#rateHz },
      pts: BigInt(this.#position),
    });
    this.#position += this.#filled;
    this.#filled = 0;
    const sent = this.#context.sendFrameSync(frame);
    if (sent < 0) throw new JobError("encoder_failed", `The FLAC encoder refused a sound (${sent}).`);
    this.#receive();
  }

  #receive(): void {
    while (this.#context.receivePacketSync(this.#packet) >= 0) {
      this.#chunks.push(Buffer.from(this.#packet.data ?? []));
      this.#packet.unref();
    }
  }
}
