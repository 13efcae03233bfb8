/** Cuts the coded pictures of one rung of a chunk into fragments and segments. */
import { createHash } from "node:crypto";
import type { FrameGrid, InitFacts, RenditionFacts, SegmentFacts, VideoRung } from "../../protocol/jobs.ts";
import { decodeSchedule, type Fragment, initSegment, mediaSegment } from "../../protocol/media/cmaf.ts";
import { JobError } from "../platform/errors.ts";
import { codecOf, withoutSettingsSei } from "./h264.ts";
import { fileTicksPerFrame } from "./rung-plan.ts";
import type { ColorMatrix } from "./scale-graph.ts";
import type { Store } from "./store.ts";

export interface ChunkStart {
  firstFrame: number;
  frameCount: number;
  firstSegment: number;
  colorMatrix: ColorMatrix;
}

interface CodedPicture {
  /** Output frame, in the chunk. */
  frame: number;
  isSync: boolean;
  /** NAL units, each prefixed by its length in 4 bytes. */
  data: Buffer;
}

export class SegmentCutter {
  readonly #name: string;
  readonly #grid: FrameGrid;
  readonly #store: Store;
  readonly #init: InitFacts;
  readonly #segments: SegmentFacts[] = [];
  readonly #firstFrame: number;
  readonly #firstSegment: number;
  #gopStart: number; // output frame
  #gop: { data: Buffer; isSync: boolean; shownAt: number }[] = []; // in decode order
  #fragments: Fragment[] = [];
  #framesInSegment = 0;

  /** Stores the init segment. @param avcConfig AVCDecoderConfigurationRecord */
  constructor(rung: VideoRung, grid: FrameGrid, start: ChunkStart, avcConfig: Buffer, store: Store) {
    this.#name = rung.name;
    this.#grid = grid;
    this.#store = store;
    this.#firstFrame = start.firstFrame;
    this.#gopStart = start.firstFrame;
    this.#firstSegment = start.firstSegment;
    const { widthPx, heightPx } = rung;
    const { colorMatrix } = start;
    const timescale = (grid.frameRate.num * fileTicksPerFrame(grid.frameRate)) / grid.frameRate.den;
    const bytes = initSegment({ kind: "video", timescale, widthPx, heightPx, colorMatrix, avcConfig });
    this.#init = {
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      codec: codecOf(avcConfig),
    };
    store.put(rung.name, "init.mp4", bytes);
  }

  /** Takes the next picture in decode order. Fragments begin with key frames of the grid, and segments with fragments. */
  add({ frame, isSync, data }: CodedPicture): void {
    if (isSync && (frame - this.#firstFrame) % this.#grid.framesPerGop === 0) {
      this.#cutFragment();
      if (this.#framesInSegment >= this.#grid.framesPerSegment) this.#cutSegment();
    }
    this.#gop.push({ data: isSync ? withoutSettingsSei(data) : data, isSync, shownAt: frame - this.#gopStart });
  }

  finish(): void {
    this.#cutFragment();
    this.#cutSegment();
  }

  facts(): RenditionFacts {
    return { name: this.#name, timescale: this.#grid.frameRate.num, init: this.#init, segments: this.#segments };
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
    this.#framesInSegment += this.#gop.length;
    this.#gopStart += this.#gop.length;
    this.#gop = [];
  }

  #cutSegment(): void {
    if (this.#fragments.length === 0) return;
    const frames = this.#framesInSegment;
    const { framesPerGop, framesPerSegment, frameRate } = this.#grid;
    if (frames > framesPerSegment) throw new JobError("source_damaged", "The source lacks a key frame.");
    const { bytes, firstSamples } = mediaSegment(this.#fragments);
    this.#store.put(this.#name, `${this.#firstSegment + this.#segments.length}.m4s`, bytes);
    this.#segments.push({
      durationTicks: frames * frameRate.den,
      bytes: bytes.length,
      // A source that is copied may have fewer key frames than the grid.
      keyframes: this.#fragments.length === Math.ceil(frames / framesPerGop) ? firstSamples : [],
    });
    this.#fragments = [];
    this.#framesInSegment = 0;
  }
}
