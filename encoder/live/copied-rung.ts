/** The top rung of a source that is played as it is: its own access units in the same parts and segments as the encoded rungs. */
import type { AvcUnit } from "../media/avc-units.ts";
import { initSegment } from "../media/cmaf.ts";
import { codecOf } from "../media/h264.ts";
import { skipPictures } from "../media/h264/skip-picture.ts";
import type { ColorMatrix } from "../media/scale-graph.ts";
import type { VideoRung } from "../protocol.ts";
import type { LiveGrid } from "./live-grid.ts";
import { type InitFacts, PICTURE_TIMESCALE } from "./output.ts";
import type { PartCutter } from "./part-cutter.ts";

export interface Copy {
  rung: VideoRung;
  avcConfig: Buffer;
  /** Of any segment at most. */
  bitrateBps: number;
}

/** Whether a picture of the source can be held by pictures in which nothing changes. */
export const canHoldCopy = ({ avcConfig }: Pick<Copy, "avcConfig">): boolean => skipPictures(avcConfig) !== null;

export class CopiedRung {
  readonly rung: VideoRung;
  readonly init: { bytes: Buffer; facts: InitFacts };
  readonly #grid: LiveGrid;
  readonly #cutter: PartCutter;
  readonly #segmentBytes: number;
  readonly #avcConfig: Buffer;
  #last: Buffer | null = null;
  #bytes = 0; // of the segment under way

  constructor({ rung, avcConfig, bitrateBps }: Copy, grid: LiveGrid, colorMatrix: ColorMatrix, cutter: PartCutter) {
    this.rung = rung;
    this.#grid = grid;
    this.#cutter = cutter;
    this.#avcConfig = avcConfig;
    const { widthPx, heightPx } = rung;
    const timescale = PICTURE_TIMESCALE;
    this.#segmentBytes = (bitrateBps / 8) * ((grid.framesPerSegment * grid.ticksPerFrame) / timescale);
    this.init = {
      bytes: initSegment({ kind: "video", timescale, widthPx, heightPx, colorMatrix, avcConfig }),
      facts: { codec: codecOf(avcConfig), widthPx, heightPx, timescale },
    };
  }

  /** Segments that are whole. */
  get segments(): number {
    return this.#cutter.segments;
  }

  /** Whether it can be the run's output frame of this number: a segment begins with a key frame, and is not too large. */
  accepts({ data, isIdr }: AvcUnit, number: number): boolean {
    const isFirst = number % this.#grid.framesPerSegment === 0;
    const bytesBefore = isFirst ? 0 : this.#bytes;
    return (isIdr || !isFirst) && bytesBefore + data.length <= this.#segmentBytes;
  }

  put({ data, isIdr }: AvcUnit, number: number): void {
    if (number % this.#grid.framesPerSegment === 0) this.#bytes = 0;
    this.#bytes += data.length;
    this.#last = data;
    this.#cutter.add(data, isIdr);
  }

  /** The last picture stands for so many frames more; nothing is put behind it. Only where `canHoldCopy`. */
  hold(frames: number): void {
    const skip = this.#last && skipPictures(this.#avcConfig, this.#last);
    if (skip === null) return;
    for (let n = 1; n <= frames; n += 1) this.#cutter.add(Buffer.from(skip(n)), false);
  }

  finish(): void {
    this.#cutter.finish();
  }
}
