/** Encodes one rung of a chunk to H.264 and cuts it into segments. */
import { createHash } from "node:crypto";
import { type CodecContext, type Frame, Packet } from "node-av";
import { AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_NONE } from "node-av/constants";
import type { Fraction, FrameGrid, InitFacts, RenditionFacts, SegmentFacts, VideoRung } from "../../protocol/jobs.ts";
import { JobError } from "../errors.ts";
import { decodeSchedule, type Fragment, initSegment, mediaSegment } from "../../protocol/media/cmaf.ts";
import { codecOf, withoutSettingsSei } from "./h264.ts";
import { x264Instructions } from "./instructions.ts";
import type { ColorMatrix } from "./scale-graph.ts";
import type { Store } from "./store.ts";
import { configurationOf, openX264 } from "./x264.ts";

/**
 * Threads of one encoder. Fixed, because x264's rate control depends on the number of frame threads, and a chunk must be encoded to
 * identical bytes on any machine.
 */
const ENCODER_THREADS = 4;

/** x264 options. GOPs are closed and of constant length, so chunks can be cut at any GOP boundary. */
function encoderOptions(rung: VideoRung, grid: FrameGrid): Record<string, string | number> {
  return {
    preset: rung.preset,
    profile: "high",
    crf: rung.crf,
    maxrate: rung.maxBitrateBps,
    bufsize: rung.maxBitrateBps * 2,
    g: grid.framesPerGop,
    keyint_min: grid.framesPerGop,
    sc_threshold: 0,
    forced_idr: 1,
    // annexb=0: length-prefixed samples for ISO BMFF, and the avcC as extradata.
    "x264-params": ["annexb=0:open-gop=0:scenecut=0:repeat-headers=0:force-cfr=1", x264Instructions(rung.widthPx)]
      .filter(Boolean)
      .join(":"),
  };
}

/**
 * Frames encoded around a chunk and discarded, so that the chunk equals the same range of a single pass. Lead: x264 estimates the quality
 * of a stream's first picture, but derives that of a later key frame from the preceding pictures (1.7 dB difference at 480×270). Tail: at
 * the end of a stream x264 places B-frames differently and spends fewer bits on the last pictures (0.6 dB). The lead is even, so that
 * adjacent key frames (GOPs of one frame) differ in idr_pic_id (H.264 §7.4.3) across chunks too.
 */
const LEAD_FRAMES = 8;
const TAIL_FRAMES = 4;

/** The frames to encode for a chunk, including lead and tail; the source may end earlier. */
export function framesAround(chunk: { firstFrame: number; frameCount: number }): {
  firstFrame: number;
  frameCount: number;
} {
  const lead = Math.min(chunk.firstFrame, LEAD_FRAMES);
  return { firstFrame: chunk.firstFrame - lead, frameCount: lead + chunk.frameCount + TAIL_FRAMES };
}

/**
 * Ticks per frame in the media files, a multiple of the rate's denominator: decode times need fractions of a frame. Facts use the rate's
 * numerator as timescale; a file's timescale may differ (ISO/IEC 23009-1 §5.3.9.6).
 */
function fileTicksPerFrame({ den }: Fraction): number {
  return den * Math.ceil(MIN_TICKS_PER_FRAME / den);
}
const MIN_TICKS_PER_FRAME = 500;

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
      const startsChunk = Number(frame.pts) === this.#firstFrame;
      frame.pictType = startsChunk ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE; // ignore the source's key frames
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
    const sequenceNumber = this.#gopStart / this.#grid.framesPerGop + 1;
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
