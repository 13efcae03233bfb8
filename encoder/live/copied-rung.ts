/** The top rung of a source that is played as it is: its own access units in the same parts and segments as the encoded rungs. */
import { type LiveGrid, PICTURE_TIMESCALE } from "./live-grid.ts";
import type { AvcUnit } from "../media/avc-units.ts";
import { initSegment } from "../../protocol/media/cmaf.ts";
import { codecOf } from "../media/h264.ts";
import { mergedAvcRecord } from "../../protocol/media/h264/avc-record.ts";
import { skipPictures } from "../../protocol/media/h264/skip-picture.ts";
import type { ColorMatrix } from "../media/scale-graph.ts";
import type { VideoRung } from "../../protocol/jobs.ts";
import type { InitFacts } from "./output.ts";
import type { PartCutter } from "./part-cutter.ts";
import type { SegmentGrid } from "./segment-grid.ts";

export interface Copy {
  rung: VideoRung;
  avcConfig: Buffer;
  /** A parameter set id that the source does not use: the encoder's, which makes the rung before the source's own pictures begin. */
  leadParameterSetId: number;
  /** Of any segment at most. */
  bitrateBps: number;
}

/** Whether a picture of the source can be held by pictures in which nothing changes. */
export const canHoldCopy = ({ avcConfig }: Pick<Copy, "avcConfig">): boolean => skipPictures(avcConfig) !== null;

export class CopiedRung {
  readonly rung: VideoRung;
  readonly init: { bytes: Buffer; facts: InitFacts };
  readonly #cutsAt: SegmentGrid;
  readonly #cutter: PartCutter;
  readonly #firstFrame: number;
  readonly #bytesPerFrame: number; // at most, on average over a segment
  readonly #avcConfig: Buffer;
  #last: Buffer | null = null;
  #bytes = 0; // of the segment under way

  /**
   * @param leadConfig avcC of the encoder that makes the rung before the source's own pictures begin; the init segment has both
   * @param firstFrame the first one that is not out yet, in a run that another encoder began
   */
  constructor(
    { rung, avcConfig, bitrateBps }: Copy,
    leadConfig: Buffer,
    { ticksPerFrame }: LiveGrid,
    cutsAt: SegmentGrid,
    colorMatrix: ColorMatrix,
    cutter: PartCutter,
    firstFrame = 0,
  ) {
    this.#firstFrame = firstFrame;
    this.rung = rung;
    this.#cutsAt = cutsAt;
    this.#cutter = cutter;
    this.#avcConfig = avcConfig;
    const { widthPx, heightPx } = rung;
    const timescale = PICTURE_TIMESCALE;
    this.#bytesPerFrame = (bitrateBps / 8) * (ticksPerFrame / timescale);
    this.init = {
      bytes: initSegment({
        kind: "video",
        timescale,
        widthPx,
        heightPx,
        colorMatrix,
        avcConfig: mergedAvcRecord(avcConfig, leadConfig),
      }),
      facts: { codec: codecOf(avcConfig), widthPx, heightPx, timescale },
    };
  }

  /** Segments that are whole. */
  get segments(): number {
    return this.#cutter.segments;
  }

  /** In a run that another encoder began: whether the output frame of this number is out already. */
  isOut = (number: number): boolean => number < this.#firstFrame;

  /** Whether it can be the run's output frame of this number: a segment begins with a key frame, and is not too large. */
  accepts({ data, isIdr }: AvcUnit, number: number): boolean {
    const isFirst = this.#cutsAt.intoSegment(number) === 0;
    const bytesBefore = isFirst ? 0 : this.#bytes;
    const segment = this.#cutsAt.segmentOf(number);
    const frames = this.#cutsAt.end(segment) - this.#cutsAt.start(segment);
    return (isIdr || !isFirst) && bytesBefore + data.length <= frames * this.#bytesPerFrame;
  }

  put({ data, isIdr }: AvcUnit, number: number): void {
    if (this.#cutsAt.intoSegment(number) === 0) this.#bytes = 0;
    this.#bytes += data.length;
    this.#last = data;
    if (!this.isOut(number)) this.#cutter.add(data, isIdr);
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
