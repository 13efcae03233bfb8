/**
 * A run: continuous media of a broadcast with one picture format on one source timeline. It starts with the first picture, or with the first
 * sound when the source has no picture. It ends at a timestamp jump, at a format change, when a copied rung has to be encoded instead, or at
 * the end of the source. Its encoders are opened and closed with it.
 */
import type { Frame } from "node-av/lib";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import type { AvcUnit } from "../media/avc-units.ts";
import type { CaptionScreen } from "./caption-screens.ts";
import { placeOf } from "./continuation.ts";
import { type BroadcastListener, SOUND_NAME } from "./output.ts";
import { PartCutter } from "./part-cutter.ts";
import { PictureTrack } from "./picture-track.ts";
import { RunCuts } from "./run-cuts.ts";
import { MIN_LAST_SEGMENT_SECONDS, runEnd } from "./run-end.ts";
import type { RunPicture, RunPlan } from "./run-plan.ts";
import { openRungs, type RenditionInit } from "./run-rungs.ts";
import type { RunStart } from "./run-state.ts";
import { SegmentGrid } from "./segment-grid.ts";
import type { SoundFormat, SoundPiece } from "./sound-converter.ts";
import { SoundRendition } from "./sound-rendition.ts";

/** End of a run in its session. */
interface RunEnd {
  msn: number;
  seconds: number;
  initVersion: number;
  /** The sound after the end, which belongs to the next run. */
  sound: SoundPiece | null;
}

export class Run {
  readonly #plan: RunPlan;
  readonly #cutsAt: SegmentGrid;
  readonly #cuts: RunCuts;
  #picture: PictureTrack | null = null;
  #sound: SoundRendition | null = null;

  private constructor(plan: RunPlan, listener: BroadcastListener) {
    this.#plan = plan;
    const { picture, settings, isFirstShort, continues } = plan;
    this.#cutsAt = new SegmentGrid(picture?.grid ?? null, settings, isFirstShort);
    this.#cuts = new RunCuts(this.#cutsAt, plan, continues, (...part) => listener.onPart(...part));
  }

  static async open(plan: RunPlan, listener: BroadcastListener): Promise<Run> {
    const run = new Run(plan, listener);
    const { picture, sound } = plan;
    if (picture !== null) await run.#openPicture(picture, listener);
    if (sound !== null) await run.#openSound(sound);
    return run;
  }

  async #openPicture(picture: RunPicture, listener: BroadcastListener): Promise<void> {
    const rungs = await openRungs(this.#plan, picture, this.#cutsAt, this.#cuts);
    this.#picture = new PictureTrack(this.#plan, picture, this.#cutsAt, this.#cuts, listener, rungs);
  }

  async #openSound(sound: SoundFormat): Promise<void> {
    const { zeroSeconds, interleaveSeconds, continues } = this.#plan;
    const from = placeOf(SOUND_NAME, continues);
    const times = { zeroSeconds, interleaveSeconds, firstFrame: from.sample, shift: continues?.soundShift ?? 0 };
    this.#sound = await SoundRendition.open(sound, times, new PartCutter(this.#cuts.sound(sound.sampleRateHz), from));
  }

  /** Sets the run's start in the session. Must precede the first picture and sound. */
  begin(start: RunStart): void {
    this.#cuts.start = start;
    const { sound, picture } = this.#plan;
    const ticks = start.ticks[SOUND_NAME];
    if (sound === null || picture === null || ticks === undefined) return;
    // Sound continues at its last AAC frame, which does not end exactly where the picture did.
    this.#sound!.delay(ticks / sound.sampleRateHz - start.seconds);
  }

  get start(): RunStart {
    return this.#cuts.start;
  }

  /** Null in a run without a picture. Pictures are added with `putPicture` and `holdPicture`. */
  get picture(): Omit<PictureTrack, "put" | "hold" | "finish" | "close"> | null {
    return this.#picture;
  }

  /** Init segments of all renditions, in ladder order. */
  get inits(): readonly RenditionInit[] {
    const sound = this.#sound === null ? [] : [{ name: SOUND_NAME, init: this.#sound.init }];
    return [...(this.#picture?.inits ?? []), ...sound];
  }

  /** The session's media sequence number after the last segment that is complete in every rendition. */
  get nextMsn(): number {
    const renditions = [this.#picture, this.#sound].filter((rendition) => rendition !== null);
    return this.start.msn + Math.min(...renditions.map(({ segments }) => segments));
  }

  /** Seconds from the start of the run to the end of its input. */
  get endSeconds(): number {
    return this.#picture?.endSeconds ?? this.#sound?.endSeconds ?? 0;
  }

  /** Samples by which sound is placed after its timestamps. */
  get soundShift(): number {
    return this.#sound?.shift ?? 0;
  }

  /**
   * Takes ownership of the frame, which `picture` must accept.
   *
   * @param seconds source time
   * @param unit the source's access unit, if copyable
   * @param screens what the source's captions show with the picture
   */
  async putPicture(frame: Frame, seconds: number, unit: AvcUnit | null, screens: CaptionScreen[]): Promise<void> {
    if (await this.#picture!.put(frame, seconds, unit, screens)) await this.#sound?.encodeUntil(this.endSeconds);
  }

  /** Repeats the last picture up to this source time, because the picture has stalled while the sound continues. */
  async holdPicture(untilSeconds: number): Promise<void> {
    if (await this.#picture!.hold(untilSeconds - this.#plan.zeroSeconds))
      await this.#sound?.encodeUntil(this.endSeconds);
  }

  async putSound(piece: SoundPiece): Promise<void> {
    this.#sound?.write(piece);
    await this.#sound?.encodeUntil(this.endSeconds);
  }

  /** @param isHeld the broadcaster may reconnect, so the session is held and the last segment is extended to the minimum duration */
  async finish(isHeld: boolean): Promise<RunEnd> {
    await this.#picture?.finish(isHeld);
    const { soundSeconds, rest } = await this.#finishSound(isHeld);
    const { seconds, initVersion } = this.start;
    const end = seconds + Math.max(this.endSeconds, soundSeconds);
    const found = { msn: this.nextMsn, seconds: end, initVersion, sound: rest };
    this.close();
    return found;
  }

  async #finishSound(isHeld: boolean): Promise<{ soundSeconds: number; rest: SoundPiece | null }> {
    const { sound } = this.#plan;
    if (sound === null || this.#sound === null) return { soundSeconds: 0, rest: null };
    const frameHz = sound.sampleRateHz / AAC_FRAME_SAMPLES;
    const isLengthened = isHeld && this.#picture === null;
    const minLastSegment = isLengthened ? Math.ceil(MIN_LAST_SEGMENT_SECONDS * frameHz) : null;
    const given =
      this.#picture === null
        ? Math.max(1, Math.ceil(this.#sound.endSeconds * frameHz - 1e-6))
        : this.#cutsAt.soundFramesUntil(this.endSeconds, this.#picture.encodedSegments, sound.sampleRateHz);
    const frames = runEnd(given, minLastSegment, this.#cuts.sound(sound.sampleRateHz));
    const rest = await this.#sound.finish(frames);
    return { soundSeconds: frames / frameHz, rest };
  }

  close(): void {
    this.#picture?.close();
    this.#sound?.close();
    this.#sound = null;
  }
}
