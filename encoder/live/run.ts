/**
 * A run: continuous media of a broadcast with one picture format on one source timeline. It starts with the first picture, or with the first
 * sound when the source has no picture. It ends at a timestamp jump, at a format change, when a copied rung has to be encoded instead, or at
 * the end of the source. Its encoders are opened and closed with it.
 */
import type { Frame } from "node-av/lib";
import type { AvcUnit } from "../media/avc-units.ts";
import type { CaptionScreen } from "./caption-screens.ts";
import type { BroadcastListener } from "./output.ts";
import { PictureTrack } from "./picture-track.ts";
import { RunCuts } from "./run-cuts.ts";
import type { RunPicture, RunPlan } from "./run-plan.ts";
import { openRungs, type RenditionInit } from "./run-rungs.ts";
import { RunSounds } from "./run-sounds.ts";
import type { RunStart, SoundShifts } from "./run-state.ts";
import { SegmentGrid } from "./segment-grid.ts";
import type { SoundPiece } from "./sound-converter.ts";

/** End of a run in its session. */
interface RunEnd {
  msn: number;
  seconds: number;
  initVersion: number;
  /** The sound after the end, which belongs to the next run, by the name of its rendition. */
  sounds: Map<string, SoundPiece>;
}

export class Run {
  readonly #plan: RunPlan;
  readonly #cutsAt: SegmentGrid;
  readonly #cuts: RunCuts;
  #picture: PictureTrack | null = null;
  readonly #sounds: RunSounds;

  private constructor(plan: RunPlan, listener: BroadcastListener) {
    this.#plan = plan;
    const { picture, settings, isFirstShort, continues } = plan;
    this.#cutsAt = new SegmentGrid(picture?.grid ?? null, settings, isFirstShort);
    this.#cuts = new RunCuts(this.#cutsAt, plan, continues, (...part) => listener.onPart(...part));
    this.#sounds = new RunSounds(plan, this.#cutsAt, this.#cuts);
  }

  static async open(plan: RunPlan, listener: BroadcastListener): Promise<Run> {
    const run = new Run(plan, listener);
    if (plan.picture !== null) await run.#openPicture(plan.picture, listener);
    await run.#sounds.open();
    return run;
  }

  async #openPicture(picture: RunPicture, listener: BroadcastListener): Promise<void> {
    const rungs = await openRungs(this.#plan, picture, this.#cutsAt, this.#cuts);
    this.#picture = new PictureTrack(this.#plan, picture, this.#cutsAt, this.#cuts, listener, rungs);
  }

  /** Sets the run's start in the session. Must precede the first picture and sound. */
  begin(start: RunStart): void {
    this.#cuts.start = start;
    this.#sounds.begin(start);
  }

  get start(): RunStart {
    return this.#cuts.start;
  }

  /** Null in a run without a picture. Pictures are added with `putPicture` and `holdPicture`. */
  get picture(): Omit<PictureTrack, "put" | "hold" | "extend" | "finish" | "close"> | null {
    return this.#picture;
  }

  /** Init segments of all renditions, in ladder order. */
  get inits(): readonly RenditionInit[] {
    return [...(this.#picture?.inits ?? []), ...this.#sounds.inits];
  }

  /** The session's media sequence number after the last segment that is complete in every rendition. */
  get nextMsn(): number {
    return this.start.msn + Math.min(this.#picture?.segments ?? Infinity, this.#sounds.segments);
  }

  /** Seconds from the start of the run to the end of its input. */
  get endSeconds(): number {
    return this.#picture?.endSeconds ?? this.#sounds.endSeconds;
  }

  /** Source time of the end of its input. */
  get endsAtSeconds(): number {
    return this.#plan.zeroSeconds + this.endSeconds;
  }

  /** Source time of the end of the sound that is furthest. */
  get soundEndsAtSeconds(): number {
    return this.#plan.zeroSeconds + this.#sounds.endSeconds;
  }

  /** @param name of its rendition */
  hasSound(name: string): boolean {
    return this.#plan.sounds.some((sound) => sound.name === name);
  }

  get soundShifts(): SoundShifts {
    return this.#sounds.shifts;
  }

  /**
   * Takes ownership of the frame, which `picture` must accept.
   *
   * @param seconds source time
   * @param unit the source's access unit, if copyable
   * @param screens what the source's captions show with the picture
   */
  async putPicture(frame: Frame, seconds: number, unit: AvcUnit | null, screens: CaptionScreen[]): Promise<void> {
    if (await this.#picture!.put(frame, seconds, unit, screens)) await this.#sounds.encodeUntil(this.endSeconds);
  }

  /** Repeats the last picture up to this source time, because the picture has stalled while the sound continues. */
  async holdPicture(untilSeconds: number): Promise<void> {
    if (await this.#picture!.hold(untilSeconds - this.#plan.zeroSeconds))
      await this.#sounds.encodeUntil(this.endSeconds);
  }

  /** Repeats the last picture up to this source time. No picture may follow. */
  async extendPicture(untilSeconds: number): Promise<void> {
    await this.#picture!.extend(untilSeconds - this.#plan.zeroSeconds);
  }

  /** @param name of its rendition */
  async putSound(name: string, piece: SoundPiece): Promise<void> {
    this.#sounds.write(name, piece);
    await this.#sounds.encodeUntil(this.endSeconds);
  }

  /** @param isHeld the broadcaster may reconnect, so the session is held and the last segment is extended to the minimum duration */
  async finish(isHeld: boolean): Promise<RunEnd> {
    await this.#picture?.finish(isHeld);
    const pictureEnd = this.#picture && { seconds: this.endSeconds, segments: this.#picture.encodedSegments };
    const { soundSeconds, rest } = await this.#sounds.finish(pictureEnd, isHeld);
    const { seconds, initVersion } = this.start;
    const end = seconds + Math.max(this.endSeconds, soundSeconds);
    const found = { msn: this.nextMsn, seconds: end, initVersion, sounds: rest };
    this.close();
    return found;
  }

  close(): void {
    this.#picture?.close();
    this.#sounds.close();
  }
}
