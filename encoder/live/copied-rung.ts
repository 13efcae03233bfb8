/** A top rung that copies the source's access units without re-encoding, cut into the same parts and segments as the encoded rungs. */
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
  /** A parameter set ID unused by the source. The encoder uses it for the rung's pictures before the copy starts. */
  leadParameterSetId: number;
  /** Maximum over all segments. */
  bitrateBps: number;
}

/** Whether a source picture can be repeated by appending skip pictures. */
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
  /** Repetitions of the last picture. */
  #held = 0;
  #bytes = 0; // of the current segment

  /**
   * @param leadConfig avcC of the encoder that produces the rung before the copy starts; the init segment has both
   * @param firstFrame the first unpublished frame, in a run that another encoder started
   */
  constructor(
    { rung, avcConfig, bitrateBps }: Copy,
    leadConfig: Buffer,
    { ticksPerFrame, frameRate }: LiveGrid,
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
      facts: { codec: codecOf(avcConfig), widthPx, heightPx, timescale, frameRate },
    };
  }

  /** Number of complete segments. */
  get segments(): number {
    return this.#cutter.segments;
  }

  /** Whether this output frame has already been published by the encoder that started the run. */
  isPublished = (number: number): boolean => number < this.#firstFrame;

  /** Whether the unit can be this output frame: a segment must start with a key frame and must not exceed the bitrate. */
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
    if (!this.isPublished(number)) this.#cutter.add(data, isIdr);
  }

  /** Repeats the last picture for this many frames. No picture may follow. Requires `canHoldCopy`. */
  hold(frames: number): void {
    const skip = this.#last && skipPictures(this.#avcConfig, this.#last);
    if (skip === null) return;
    for (let n = 1; n <= frames; n += 1) this.#cutter.add(Buffer.from(skip(this.#held + n)), false);
    this.#held += frames;
  }

  finish(): void {
    this.#cutter.finish();
  }
}
