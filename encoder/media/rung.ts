/** Encodes one rung of a chunk to H.264. */
import { type CodecContext, type Frame, Packet } from "node-av/lib";
import { AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_NONE } from "node-av/constants";
import type { FrameGrid, RenditionFacts, VideoRung } from "../../protocol/jobs.ts";
import { JobError } from "../platform/errors.ts";
import { encoderOptions, ENCODER_THREADS } from "./rung-plan.ts";
import { type ChunkStart, SegmentCutter } from "./segment-cutter.ts";
import type { Store } from "./store.ts";
import { configurationOf, openX264 } from "./x264.ts";

export class RungEncoder {
  readonly #store: Store;
  readonly #context: CodecContext;
  readonly #packet = new Packet();
  readonly #cutter: SegmentCutter;
  readonly #firstFrame: number;
  readonly #endFrame: number;
  readonly #endsGop: boolean;

  private constructor(rung: VideoRung, grid: FrameGrid, start: ChunkStart, context: CodecContext, store: Store) {
    this.#store = store;
    this.#context = context;
    this.#firstFrame = start.firstFrame;
    this.#endFrame = start.firstFrame + start.frameCount;
    this.#endsGop = start.frameCount % grid.framesPerGop === 0;
    this.#packet.alloc();
    this.#cutter = new SegmentCutter(rung, grid, start, configurationOf(context), store);
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
    if (frame === null) this.#cutter.finish();
    await this.#store.settled();
  }

  facts(): RenditionFacts {
    return this.#cutter.facts();
  }

  close(): void {
    this.#packet.free();
    this.#context.freeContext();
  }

  #add(packet: Packet): void {
    const frame = Number(packet.pts);
    if (frame < this.#firstFrame || frame >= this.#endFrame) return;
    this.#cutter.add({ frame, isSync: packet.isKeyframe, data: packet.data ?? Buffer.alloc(0) });
  }
}
