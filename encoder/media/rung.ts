/** One H.264 encoder and the segments that come out of it. */
import { createHash } from "node:crypto";
import { type CodecContext, type Frame, Packet } from "node-av";
import { AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_NONE } from "node-av/constants";
import type { Fraction, FrameGrid, InitFacts, RenditionFacts, SegmentFacts, VideoRung } from "../../protocol/jobs.ts";
import { JobError } from "../errors.ts";
import { decodeSchedule, type Fragment, initSegment, mediaSegment } from "../../protocol/media/cmaf.ts";
import { codecOf, withoutEncoderNote } from "./h264.ts";
import { x264Instructions } from "./instructions.ts";
import type { ColorMatrix } from "./scale-graph.ts";
import type { Store } from "./store.ts";
import { configurationOf, openX264 } from "./x264.ts";

/**
 * Threads of one encoder. Fixed, because x264 decides the rate with as many frames under way as it has threads: the
 * same chunk must come out the same on a machine with more processors.
 */
const ENCODER_THREADS = 4;

/** What x264 is told. The GOP is closed and of one length, so that chunks meet wherever they were cut. */
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
    // annexb=0: samples as ISO files want them, and the avcC as extradata.
    "x264-params": ["annexb=0:open-gop=0:scenecut=0:repeat-headers=0:force-cfr=1", x264Instructions(rung.widthPx)]
      .filter(Boolean)
      .join(":"),
  };
}

/**
 * Frames encoded around a chunk and thrown away, so that it comes out as it would in a single pass. Before it: x264 gives the very
 * first picture of a stream its quality by a rule of thumb, a later key frame by the pictures before it (1.7 dB apart at 480×270).
 * After it: at the end of a stream x264 places its B-frames otherwise, and gives the last pictures less (0.6 dB).
 * The lead is even, so that key frames next to each other (GOPs of one frame) differ in idr_pic_id (H.264 §7.4.3) across chunks too.
 */
const LEAD_FRAMES = 8;
const TAIL_FRAMES = 4;

/** The frames to give to an encoder for a chunk; the source may end before. */
export function framesAround(chunk: { firstFrame: number; frameCount: number }): {
  firstFrame: number;
  frameCount: number;
} {
  const lead = Math.min(chunk.firstFrame, LEAD_FRAMES);
  return { firstFrame: chunk.firstFrame - lead, frameCount: lead + chunk.frameCount + TAIL_FRAMES };
}

/**
 * Ticks of one frame inside the files, a multiple of the rate's denominator: decode times need parts of a frame, and 30/1 has none.
 * Facts count in the rate's own numerator; a file's timescale is its own affair (ISO/IEC 23009-1 §5.3.9.6).
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
  #gop: { data: Buffer; isSync: boolean; shownAt: number }[] = []; // in the order of decoding
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

  /** @param frame with the output frame's number as its pts, one of `framesAround` the chunk; null ends it */
  async encode(frame: Frame | null): Promise<void> {
    if (frame !== null) {
      const startsChunk = Number(frame.pts) === this.#firstFrame;
      frame.pictType = startsChunk ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE; // the source's choice of key frames is not ours
    }
    const sent = await this.#context.sendFrame(frame);
    if (sent < 0) throw new JobError("encoder_failed", `The H.264 encoder refused a picture (${sent}).`);
    // Encoding happens while a picture is sent; receiving only collects, except at the end.
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
      data: isSync ? withoutEncoderNote(data) : data,
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
