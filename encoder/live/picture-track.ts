/** The picture of a run: places the source's pictures on the frame grid, and encodes or copies each output frame in every rung. */
import type { Frame } from "node-av/lib";
import type { VideoRung } from "../../protocol/jobs.ts";
import type { AvcUnit } from "../media/avc-units.ts";
import type { CaptionScreen } from "./caption-screens.ts";
import { CannotContinue, placeOf } from "./continuation.ts";
import { LivePicker } from "./live-picker.ts";
import type { BroadcastListener } from "./output.ts";
import { PictureLadder } from "./picture-ladder.ts";
import type { RunCuts } from "./run-cuts.ts";
import { MIN_LAST_SEGMENT_SECONDS, runEnd } from "./run-end.ts";
import type { RunPicture, RunPlan } from "./run-plan.ts";
import { canHold, type RenditionInit, type RunRungs } from "./run-rungs.ts";
import type { CopyPhase } from "./run-state.ts";
import type { SegmentGrid } from "./segment-grid.ts";
import type { TopRung } from "./top-rung.ts";

export class PictureTrack {
  /** Init segments of the rungs, in ladder order. */
  readonly inits: readonly RenditionInit[];
  readonly #plan: RunPlan;
  readonly #picture: RunPicture;
  readonly #cutsAt: SegmentGrid;
  readonly #cuts: RunCuts;
  readonly #onRungDropped: BroadcastListener["onRungDropped"];
  readonly #picker: LivePicker;
  readonly #ladder: PictureLadder;
  readonly #top: TopRung | null;
  readonly #firstNew: number;
  #last: Frame | null = null;
  #steps = 0;

  constructor(
    plan: RunPlan,
    picture: RunPicture,
    cutsAt: SegmentGrid,
    cuts: RunCuts,
    listener: BroadcastListener,
    { encoded, top, inits, firstNew }: RunRungs,
  ) {
    this.inits = inits;
    this.#plan = plan;
    this.#picture = picture;
    this.#cutsAt = cutsAt;
    this.#cuts = cuts;
    this.#onRungDropped = (dropped) => listener.onRungDropped(dropped);
    this.#top = top;
    this.#firstNew = firstNew;
    const { frameRate } = picture.grid;
    this.#picker = new LivePicker(frameRate);
    this.#ladder = new PictureLadder(encoded, {
      frameRate,
      orientation: picture,
      onThumbnail: (bytes, number) => listener.onThumbnail(bytes, cuts.capturedAtMs(number, frameRate)),
      onThumbnailFailed: (reason) => listener.onThumbnailFailed(reason),
    });
  }

  /**
   * Sets the time of the first picture that this encoder has.
   * @throws {CannotContinue} when an earlier frame is unpublished
   */
  beginAt(seconds: number): void {
    this.#picker.startAt(seconds - this.#plan.zeroSeconds);
    const { continues } = this.#plan;
    const copiedFrom = this.isCopying ? placeOf(this.#top!.copied.rung.name, continues).sample : Infinity;
    const firstNew = Math.min(this.#firstNew, copiedFrom);
    if (this.#picker.count > firstNew)
      throw new CannotContinue(`the source begins with frame ${this.#picker.count}; frame ${firstNew} is unpublished`);
  }

  /** Null when no rung may be copied from the source. */
  get copyPhase(): CopyPhase | null {
    return this.#top?.phase ?? null;
  }

  get isCopying(): boolean {
    return this.copyPhase === "copied";
  }

  /** Encoded rungs that can be dropped. */
  get droppableRungs(): VideoRung[] {
    const lead = this.#top?.phase === "lead" ? this.#top.lead : null;
    return this.#ladder.kept.filter((rung) => rung !== lead).map(({ rung }) => rung);
  }

  /** Segments that are complete in every rung. */
  get segments(): number {
    const copied = this.isCopying ? [this.#top!.copied] : [];
    return Math.min(...[...copied, ...this.#ladder.rungs].map(({ segments }) => segments));
  }

  /** Segments that are complete in the largest encoded rung. */
  get encodedSegments(): number {
    return this.#ladder.rungs[0]!.segments;
  }

  /** Number of output frames processed, including published frames that are not encoded again. */
  get steps(): number {
    return this.#steps;
  }

  /** Seconds from the start of the run to the end of its last output frame. */
  get endSeconds(): number {
    const { frameRate } = this.#picture.grid;
    return (this.#picker.count * frameRate.den) / frameRate.num;
  }

  /** The last picture, owned by the receiver, and the source time of the frame after it. */
  get still(): { frame: Frame; seconds: number } | null {
    const frame = this.#last?.clone() ?? null;
    return frame && { frame, seconds: this.#plan.zeroSeconds + this.endSeconds };
  }

  /** Whether at least one output frame is missing before this time. @param seconds source time */
  endsBefore(seconds: number): boolean {
    const { num, den } = this.#picture.grid.frameRate;
    return seconds - this.#plan.zeroSeconds >= ((this.#picker.count + 1) * den) / num - 1e-6;
  }

  /** Whether the run can take this picture. It always can, unless a rung is being copied. */
  accepts(seconds: number, unit: AvcUnit | null): boolean {
    return !this.isCopying || this.#canCopy(seconds, unit);
  }

  #canCopy(seconds: number, unit: AvcUnit | null): boolean {
    const { copied } = this.#top!;
    const number = this.#picker.count;
    // A published frame need not match the source picture: the other encoder may have encoded it.
    if (copied.isPublished(number)) return true;
    return this.#picker.isNext(seconds - this.#plan.zeroSeconds) && unit !== null && copied.accepts(unit, number);
  }

  /**
   * Takes ownership of the frame, which must be accepted.
   *
   * @param seconds source time
   * @param unit the source's access unit, if copyable
   * @param screens what the source's captions show with the picture
   * @returns whether the picture extended the run
   */
  async put(frame: Frame, seconds: number, unit: AvcUnit | null, screens: CaptionScreen[]): Promise<boolean> {
    const canCopy = this.#top !== null && this.#canCopy(seconds, unit);
    const place = this.#picker.place(seconds - this.#plan.zeroSeconds);
    if (place === null) {
      frame.free();
      return false;
    }
    const still = this.#last ?? frame;
    for (let n = place.frame - place.repeated; n < place.frame; n += 1) await this.#encode(still, n);
    // Before the first rung cuts the part that ends with this picture.
    this.#cuts.captions.show(place.frame, screens, this.#picture.grid.frameRate);
    const copyBegins = this.#cutsAt.start(this.#cutsAt.firstUndivided);
    if (this.#top?.phase === "lead" && place.frame >= copyBegins)
      await this.#top.endLead(this.#ladder, canCopy && place.frame === copyBegins);
    if (this.isCopying && unit !== null) this.#top!.copied.put(unit, place.frame);
    this.#last?.free();
    this.#last = frame;
    await this.#encode(frame, place.frame);
    return true;
  }

  /** Repeats the last picture. @param untilSeconds from the start of the run @returns whether there is a picture to repeat */
  async hold(untilSeconds: number): Promise<boolean> {
    if (this.#last === null) return false;
    const first = this.#picker.count;
    const count = this.#picker.holdUntil(untilSeconds);
    for (let n = first; n < first + count; n += 1) await this.#encode(this.#last, n);
    return true;
  }

  /** Whether a copied run can go on to this time: its segment has to reach it, because a segment begins with a key frame. @param seconds source time */
  canExtendCopy(seconds: number): boolean {
    const first = this.#picker.count;
    const last = this.#framesUntil(seconds - this.#plan.zeroSeconds) - 1;
    const isInSegment =
      this.#cutsAt.intoSegment(first) > 0 && this.#cutsAt.segmentOf(last) === this.#cutsAt.segmentOf(first);
    return canHold(this.#picture) && isInSegment;
  }

  /** Repeats the last picture at the end of the run, also in a copied rung. @param untilSeconds from the start of the run */
  async extend(untilSeconds: number): Promise<void> {
    const first = this.#picker.count;
    const end = this.#framesUntil(untilSeconds);
    if (this.#last === null || end <= first) return;
    const { num, den } = this.#picture.grid.frameRate;
    await this.hold(((end + 0.5) * den) / num);
    if (this.isCopying) this.#top!.copied.hold(end - first);
  }

  #framesUntil(seconds: number): number {
    const { num, den } = this.#picture.grid.frameRate;
    return Math.ceil((seconds * num) / den - 1e-6);
  }

  /** Drops a rung at the next segment start. */
  drop(name: string): void {
    this.#ladder.drop(name);
  }

  /** Ends every rung. @param isHeld the last segment is extended to the minimum duration, because the session may continue */
  async finish(isHeld: boolean): Promise<void> {
    await this.#lengthen(isHeld);
    await this.#ladder.settle();
    if (this.isCopying) this.#top!.copied.finish();
    await Promise.all(this.#ladder.rungs.map((rung) => rung.finish()));
  }

  close(): void {
    this.#last?.free();
    this.#last = null;
    this.#ladder.close();
  }

  /** Repeats the last picture until the last segment is long enough and does not end between two parts. */
  async #lengthen(isHeld: boolean): Promise<void> {
    if (this.#last === null || !canHold(this.#picture)) return;
    const { grid } = this.#picture;
    const hz = grid.frameRate.num / grid.frameRate.den;
    const first = this.#picker.count;
    const minLastSegment = isHeld ? Math.ceil(MIN_LAST_SEGMENT_SECONDS * hz) : null;
    const end = runEnd(first, minLastSegment, this.#cuts.picture("", grid, true));
    if (end === first) return;
    await this.hold((end + 0.5) / hz);
    if (this.isCopying) this.#top!.copied.hold(end - first);
  }

  /** Encodes one output frame in every rung. The caller keeps ownership of the picture. */
  async #encode(picture: Frame, number: number): Promise<void> {
    this.#steps += 1;
    if (number < this.#firstNew) return;
    if (this.#cutsAt.intoSegment(number) === 0)
      for await (const rendition of this.#ladder.dropMarked())
        this.#onRungDropped({ rendition, fromMsn: this.#cuts.start.msn + this.#cutsAt.segmentOf(number) });
    await this.#ladder.encode(picture, number);
  }
}
