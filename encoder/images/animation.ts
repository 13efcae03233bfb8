/** Encodes the frames of an animation that repeats forever. */
import { Codec, CodecContext, Dictionary, FormatContext, type Frame, Packet, Rational } from "node-av/lib";
import { AV_PIX_FMT_PAL8, AV_PIX_FMT_YUV420P } from "node-av/constants";
import type { ClipFormat } from "../../protocol/images.ts";
import { JobError } from "../platform/errors.ts";
import { BytesWritten } from "./media-bytes.ts";

const PALETTE = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4";
const WAYS = {
  gif: { encoder: "gif", pixels: AV_PIX_FMT_PAL8, filter: PALETTE, options: {} },
  webp: {
    encoder: "libwebp_anim",
    pixels: AV_PIX_FMT_YUV420P,
    filter: "scale=out_range=tv:out_color_matrix=bt601,format=yuv420p",
    options: { quality: 60, compression_level: 2 },
  },
} as const;

export const animationFilterOf = (format: ClipFormat): string => WAYS[format].filter;

export class Animation {
  readonly #format: ClipFormat;
  readonly #framesPerSecond: number;
  readonly #written = new BytesWritten();
  readonly #packet = new Packet();
  #encoder: CodecContext | null = null;
  #output: FormatContext | null = null;

  constructor(format: ClipFormat, framesPerSecond: number) {
    this.#format = format;
    this.#framesPerSecond = framesPerSecond;
    this.#packet.alloc();
  }

  /** @param picture in the colours of `animationFilterOf`; its pts counts frames */
  async add(picture: Frame): Promise<void> {
    const encoder = (this.#encoder ??= await this.#open(picture));
    const sent = await encoder.sendFrame(picture);
    if (sent < 0) throw failed(sent);
    await this.#write(encoder);
  }

  async end(): Promise<Buffer> {
    if (this.#encoder === null || this.#output === null) throw failed(0);
    await this.#encoder.sendFrame(null);
    await this.#write(this.#encoder);
    const ended = await this.#output.writeTrailer();
    if (ended < 0) throw failed(ended);
    await this.#output.pb?.flush();
    return Buffer.from(this.#written.bytes());
  }

  close(): void {
    this.#packet.free();
    this.#encoder?.freeContext();
  }

  async #open(picture: Frame): Promise<CodecContext> {
    const { encoder, pixels, options: named } = WAYS[this.#format];
    const codec = Codec.findEncoderByName(encoder as never);
    const context = new CodecContext();
    context.allocContext3(codec);
    context.width = picture.width;
    context.height = picture.height;
    context.pixelFormat = pixels;
    context.timeBase = new Rational(1, this.#framesPerSecond);
    context.framerate = new Rational(this.#framesPerSecond, 1);
    context.threadCount = 1;
    using options = Dictionary.fromObject(named);
    const opened = await context.open2(codec, options);
    if (opened < 0) throw failed(opened);
    await this.#openOutput(context);
    return context;
  }

  async #openOutput(context: CodecContext): Promise<void> {
    const output = new FormatContext();
    const allocated = output.allocOutputContext2(null, this.#format, null);
    if (allocated < 0) throw failed(allocated);
    this.#written.attach(output);
    const stream = output.newStream();
    stream.codecpar.fromContext(context);
    stream.timeBase = context.timeBase;
    using options = Dictionary.fromObject({ loop: "0" });
    const headed = await output.writeHeader(options);
    if (headed < 0) throw failed(headed);
    this.#output = output;
  }

  async #write(encoder: CodecContext): Promise<void> {
    const output = this.#output!;
    const [stream] = output.streams;
    while ((await encoder.receivePacket(this.#packet)) >= 0) {
      this.#packet.streamIndex = 0;
      this.#packet.rescaleTs(encoder.timeBase, stream!.timeBase);
      const written = await output.writeFrame(this.#packet);
      this.#packet.unref();
      if (written < 0) throw failed(written);
    }
  }
}

const failed = (code: number) => new JobError("encoder_failed", `The animation could not be encoded (${code}).`);
