/** The picture of a broadcast: decodes and deinterlaces it, and ends a run when the picture's format changes or it can no longer be copied. */
import type { Frame, Stream } from "node-av/lib";
import { CaptionInput } from "./caption-input.ts";
import { CannotContinue } from "./continuation.ts";
import { Deinterlacer } from "./deinterlacer.ts";
import type { LiveSource, TimedPacket } from "./live-source.ts";
import { refuseTooLarge } from "./live-streams.ts";
import type { PicturePlans } from "./picture-plans.ts";
import type { RunPicture } from "./run-plan.ts";
import type { RunSequence } from "./run-sequence.ts";
import { type DecodedFrame, StreamDecoder } from "./stream-decoder.ts";

/** Less sound than this after the last picture is not worth another picture. */
const SHORTEST_TAIL_SECONDS = 0.05;

export class PictureInput {
  readonly #runs: RunSequence;
  readonly #plans: PicturePlans;
  /** Earliest time of the first picture. */
  readonly #firstSeconds: number;
  readonly #source: LiveSource;
  readonly #decoder = new StreamDecoder();
  readonly #fields = new Deinterlacer();
  readonly #captions: CaptionInput;
  /** Format of the newest picture; "" before the first one. */
  #format = "";

  /**
   * @param firstSeconds earliest source time of the first picture
   * @param source of the pictures and their captions
   */
  constructor(runs: RunSequence, plans: PicturePlans, firstSeconds: number, source: LiveSource) {
    this.#captions = new CaptionInput(source);
    this.#source = source;
    this.#runs = runs;
    this.#plans = plans;
    this.#firstSeconds = firstSeconds;
  }

  /** Whether a picture has been decoded. */
  get hasBegun(): boolean {
    return this.#format !== "";
  }

  /** False for a packet of another stream or codec. Its run must be ended before. */
  isFor(stream: Stream): boolean {
    return this.#decoder.isFor(stream);
  }

  /** Yields the pictures that this packet completes; each must be given to `put`. */
  decode(timed: TimedPacket): AsyncGenerator<DecodedFrame> {
    this.#plans.copy?.put(timed);
    this.#captions.put(timed);
    return this.#decoder.decode(timed);
  }

  async put(decoded: DecodedFrame): Promise<void> {
    if (decoded.isDamaged) {
      // A connection that breaks off leaves a part of its last picture.
      if (this.#source.reader.isSpent) return decoded.frame.free();
      this.#source.problems.onDamaged();
      this.#plans.copy?.end();
    }
    for await (const frame of this.#fields.put(decoded)) await this.#show(frame);
    if (this.#fields.isActive) this.#plans.copy?.end();
  }

  /** Puts the pictures that are still in the decoder and in the deinterlacer. */
  async drain(): Promise<void> {
    for await (const frame of this.#decoder.rest()) await this.put(frame);
    for await (const frame of this.#fields.rest()) await this.#show(frame);
  }

  /** Discards access units and captions whose pictures have not been decoded. */
  forgetUnits(): void {
    this.#plans.copy?.forget();
    this.#captions.forget();
  }

  /** Whether the picture that is being copied ends before this source time. */
  mustStopCopying(seconds: number): boolean {
    const picture = this.#runs.current?.picture;
    return picture?.isCopying === true && picture.endsBefore(seconds);
  }

  /** Encodes all rungs from here on, because the source's pictures can no longer be copied. Fills a gap before them with the last picture. */
  async stopCopying(seconds: number): Promise<void> {
    const picture = this.#runs.current!.picture!;
    const still = picture.endsBefore(seconds) ? picture.still : null;
    this.#plans.copy!.end();
    await this.#runs.close(false, "its picture can no longer be copied");
    if (still === null) return;
    await this.#runs.open(still.seconds, this.#planPicture(still.frame, false));
    await this.#runs.current!.putPicture(still.frame, still.seconds, null, this.#captions.screens);
  }

  /** Repeats the last picture while there is sound, because no picture follows. */
  async holdUntilSoundEnds(): Promise<void> {
    const run = this.#runs.current;
    const picture = run?.picture ?? null;
    if (run === null || picture === null) return;
    const untilSeconds = run.soundEndsAtSeconds;
    if (untilSeconds - run.endsAtSeconds < SHORTEST_TAIL_SECONDS) return;
    if (picture.isCopying && !picture.canExtendCopy(untilSeconds)) {
      if (!picture.endsBefore(untilSeconds)) return;
      await this.stopCopying(untilSeconds);
    }
    await this.#runs.current!.extendPicture(untilSeconds);
  }

  [Symbol.dispose](): void {
    this.#decoder.close();
    this.#fields.close();
  }

  async #show({ frame, seconds: sourceSeconds }: DecodedFrame): Promise<void> {
    const runs = this.#runs;
    const unit = this.#plans.copy?.take(sourceSeconds) ?? null;
    this.#captions.showUntil(sourceSeconds);
    // The run of a crashed encoder had sound alone: it is continued before the picture begins.
    if (runs.continues?.run.grid === null) return frame.free();
    if (runs.current?.picture === null) await runs.close(false, "its picture has begun");
    if (runs.isPublished(sourceSeconds)) return frame.free();
    const seconds = runs.hasStarted ? sourceSeconds : Math.max(sourceSeconds, this.#firstSeconds);
    const format = formatOf(frame);
    if (format !== this.#format) {
      refuseTooLarge({ codecpar: frame });
      await runs.close(false, "its picture has another size or shape");
    }
    this.#format = format;
    const isCopying = runs.current?.picture?.isCopying === true;
    // Copying begins with a key frame only, so a copied run ends at the next one.
    if (runs.lacksSound && (!isCopying || unit?.isIdr === true)) await runs.close(false, "another sound has begun");
    if (runs.current?.picture?.accepts(seconds, unit) === false) await this.stopCopying(seconds);
    if (runs.continues?.run.copied?.phase === "copied" && unit === null)
      throw new CannotContinue("the first picture cannot be copied");
    if (runs.current === null) await runs.open(seconds, this.#planPicture(frame, unit?.isIdr === true));
    const run = runs.current!;
    const phase = run.picture!.copyPhase;
    await run.putPicture(frame, seconds, unit, this.#captions.screens);
    if (run.picture!.copyPhase === phase) return;
    runs.report();
    if (!run.picture!.isCopying) this.#plans.copy!.end();
  }

  #planPicture(like: Frame, canCopy: boolean): RunPicture {
    const { continues } = this.#runs;
    return continues === null ? this.#plans.next(like, canCopy) : this.#plans.continued(continues.run, like);
  }
}

/** Pictures of one run have the same size and shape. */
function formatOf({ width, height, sampleAspectRatio: { num, den } }: Frame): string {
  return [width, height, num, den].join();
}
