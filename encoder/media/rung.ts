/** Encodes one rung of a chunk to H.264 and cuts it into segments. */
import { createHash } from "node:crypto";
import { type CodecContext, type Frame, Packet } from "node-av/lib";
import { AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_NONE } from "node-av/constants";
import type { FrameGrid, InitFacts, RenditionFacts, SegmentFacts, VideoRung } from "../../protocol/jobs.ts";
import { JobError } from "../platform/errors.ts";
import { decodeSchedule, type Fragment, initSegment, mediaSegment } from "../../protocol/media/cmaf.ts";
import { codecOf, withoutSettingsSei } from "./h264.ts";
import { encoderOptions, ENCODER_THREADS, fileTicksPerFrame } from "./rung-plan.ts";
import type { ColorMatrix } from "./scale-graph.ts";
import type { Store } from "./store.ts";
import { configurationOf, openX264 } from "./x264.ts";

export class RungEncoder {
  readonly #rung: VideoRung;
  readonly #grid: FrameGrid;
  readonly #store: Store;
  readonly #context: CodecContext;
  readonly #packet = new Packet();
  readonly #segments: SegmentFacts[] = [];
  readonly #init: InitFacts;
  readonly #firstFrame: number;
  readonly #endFrame: number;
  readonly #endsGop: boolean;
  readonly #firstSegment: number;
  #gopStart: number; // output frame
  #gop: { data: Buffer; isSync: boolean; shownAt: number }[] = []; // in decode order
  #fragments: Fragment[] = [];

  private constructor(rung: VideoRung, grid: FrameGrid, start: ChunkStart, context: CodecContext, store: Store) {
    this.#rung = rung;
    this.#grid = grid;
    this.#store = store;
    this.#context = context;
    this.#firstFrame = start.firstFrame;
    this.#endFrame = start.firstFrame + start.frameCount;
    this.#endsGop = start.frameCount % grid.framesPerGop === 0;
    this.#gopStart = start.firstFrame;
    this.#firstSegment = start.firstSegment;
    this.#packet.alloc();
    const avcConfig = configurationOf(context);
    const timescale = (grid.frameRate.num * fileTicksPerFrame(grid.frameRate)) / grid.frameRate.den;
    const bytes = initSegment({
      kind: "video",
      timescale,
      widthPx: rung.widthPx,
      heightPx: rung.heightPx,
      colorMatrix: start.colorMatrix,
      avcConfig,
    });
    this.#init = {
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      codec: codecOf(avcConfig),
    };
    store.put(rung.name, "init.mp4", bytes);
  }

  static async open(rung: VideoRung, grid: FrameGrid, start: ChunkStart, store: Store): Promise<RungEncoder> {
    const { widthPx, heightPx } = rung;
    const context = await openX264({
      widthPx,
      heightPx,
      frameRate: grid.frameRate,
      colorMatrix: start.colorMatrix,
      threads: ENCODER_THREADS,
      options: encoderOptions(rung, grid),
    });
    return new RungEncoder(rung, grid, start, context, store);
  }

  /** @param frame its pts is the output frame number, within `framesAround` the chunk; null flushes the encoder */
  async encode(frame: Frame | null): Promise<void> {
    if (frame !== null) {
      const number = Number(frame.pts);
      // A chunk that ends inside of a GOP is closed too: its last pictures refer to none of those that are discarded behind it.
      const isCut = number === this.#firstFrame || (number === this.#endFrame && !this.#endsGop);
      frame.pictType = isCut ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE; // ignore the source's key frames
    }
    const sent = await this.#context.sendFrame(frame);
    if (sent < 0) throw new JobError("encoder_failed", `The H.264 encoder refused a picture (${sent}).`);
    // Sending a picture encodes it; receiving only collects packets, except when flushing.
    for (;;) {
      const received =
        frame === null
          ? await this.#context.receivePacket(this.#packet)
          : this.#context.receivePacketSync(this.#packet);
      if (received < 0) break;
      this.#add(this.#packet);
      this.#packet.unref();
    }
    if (frame === null) this.#cutSegment();
    await this.#store.settled();
  }

  facts(): RenditionFacts {
    return { name: this.#rung.name, timescale: this.#grid.frameRate.num, init: this.#init, segments: this.#segments };
  }

  close(): void {
    this.#packet.free();
    this.#context.freeContext();
  }

  #add(packet: Packet): void {
    const outputFrame = Number(packet.pts);
    if (outputFrame < this.#firstFrame || outputFrame >= this.#endFrame) return;
    const isSync = packet.isKeyframe;
    if (isSync) {
      this.#cutFragment();
      if (this.#fragments.length * this.#grid.framesPerGop >= this.#grid.framesPerSegment) this.#cutSegment();
    }
    const data = packet.data ?? Buffer.alloc(0);
    this.#gop.push({
      data: isSync ? withoutSettingsSei(data) : data,
      isSync,
      shownAt: outputFrame - this.#gopStart,
    });
  }

  #cutFragment(): void {
    if (this.#gop.length === 0) return;
    const frameTicks = fileTicksPerFrame(this.#grid.frameRate);
    const schedule = decodeSchedule(
      this.#gop.map(({ shownAt }) => shownAt),
      frameTicks,
    );
    const samples = this.#gop.map(({ data, isSync }, i) => ({ data, isSync, ...schedule[i]! }));
    const sequenceNumber = Math.floor(this.#gopStart / this.#grid.framesPerGop) + 1; // edges of clips begin anywhere
    this.#fragments.push({ sequenceNumber, decodeTicks: this.#gopStart * frameTicks, samples });
    this.#gopStart += this.#gop.length;
    this.#gop = [];
  }

  #cutSegment(): void {
    this.#cutFragment();
    if (this.#fragments.length === 0) return;
    const frames = this.#fragments.reduce((sum, fragment) => sum + fragment.samples.length, 0);
    const { bytes, firstSamples } = mediaSegment(this.#fragments);
    this.#store.put(this.#rung.name, `${this.#firstSegment + this.#segments.length}.m4s`, bytes);
    this.#segments.push({
      durationTicks: frames * this.#grid.frameRate.den,
      bytes: bytes.length,
      keyframes: firstSamples,
    });
    this.#fragments = [];
  }
}

export interface ChunkStart {
  firstFrame: number;
  frameCount: number;
  firstSegment: number;
  colorMatrix: ColorMatrix;
}
