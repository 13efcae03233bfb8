/**
 * A run: continuous media of a broadcast with one picture format on one source timeline. It starts with the first picture, or with the first sound when the source has no picture. It ends at a timestamp jump, at a format change, when a copied rung has to be encoded instead, or at the end of the source. Its encoders are opened and closed with it.
 */
import type { Continuation, CopyPhase, RunStart } from "./run-state.ts";
import type { Frame } from "node-av";
import type { SourceVideo, VideoRung } from "../../protocol/jobs.ts";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import type { AvcUnit } from "../media/avc-units.ts";
import type { H264Codec } from "../media/h264.ts";
import { colorPlan } from "../media/scale-graph.ts";
import { CannotContinue, type CutPlace, placeOf } from "./continuation.ts";
import { canHoldCopy, type Copy, CopiedRung } from "./copied-rung.ts";
import type { LiveGrid } from "./live-grid.ts";
import { LivePicker } from "./live-picker.ts";
import { liveEncoderOptions, LiveRung } from "./live-rung.ts";
import { type BroadcastListener, type BroadcastPlan, SOUND_NAME } from "./output.ts";
import { type CutPlan, endsBetweenParts, leastEnd, PartCutter } from "./part-cutter.ts";
import { hdrOf, PictureLadder } from "./picture-ladder.ts";
import { RunCuts } from "./run-cuts.ts";
import { SegmentGrid } from "./segment-grid.ts";
import type { SoundFormat, SoundPiece } from "./sound-converter.ts";
import { SoundRendition } from "./sound-rendition.ts";

export interface RunPicture {
  grid: LiveGrid;
  /** Encoded rungs, largest first; at least one. */
  rungs: VideoRung[];
  like: Frame;
  /** Clockwise rotation that makes the picture upright. */
  rotationDegrees: SourceVideo["rotationDegrees"];
  /** The top rung, if it may be copied from the source. */
  copy: Copy | null;
  /** Profile and level of rungs that were copied earlier, by name; they are encoded to match. */
  codecs: ReadonlyMap<string, H264Codec>;
}

export interface RunPlan {
  settings: BroadcastPlan["settings"];
  /** Source time of its first picture, or of its first sound without a picture. */
  zeroSeconds: number;
  picture: RunPicture | null;
  sound: SoundFormat | null;
  /** How much later than its picture sound may arrive before it is replaced by silence. */
  interleaveSeconds: number;
  capturedAtMs: (sourceSeconds: number) => number;
  /** Divide the first segment to shorten the startup delay. Copying then starts at the first undivided segment. */
  isFirstShort: boolean;
  /** Set when another encoder started this run. */
  continues: Continuation | null;
}

/** The rung that may be copied from the source. */
interface TopRung {
  copied: CopiedRung;
  /** Encodes the rung while it is not copied; part of the ladder during that time. */
  lead: LiveRung;
  phase: CopyPhase;
}

/**
 * Minimum duration of a run's last segment when the session is held after it. ffmpeg (libavformat 59, dashdec.c) finds its position in an
 * updated MPD by whole seconds, so it would play a shorter segment repeatedly.
 */
const MIN_LAST_SEGMENT_SECONDS = 1;

export class Run {
  readonly #plan: RunPlan;
  readonly #listener: BroadcastListener;
  readonly #cutsAt: SegmentGrid;
  readonly #cuts: RunCuts;
  readonly #picker: LivePicker | null;
  #ladder: PictureLadder | null = null;
  #top: TopRung | null = null;
  #sound: SoundRendition | null = null;
  #inits: { name: string; init: LiveRung["init"] }[] = [];
  #last: Frame | null = null;
  readonly #toDrop = new Set<string>();
  /** The first unpublished output frame of any encoded rung. */
  #firstNew = 0;
  #steps = 0;

  private constructor(plan: RunPlan, listener: BroadcastListener) {
    this.#plan = plan;
    this.#listener = listener;
    const { picture, settings, isFirstShort, continues } = plan;
    this.#cutsAt = new SegmentGrid(picture?.grid ?? null, settings, isFirstShort);
    this.#cuts = new RunCuts(this.#cutsAt, plan, continues, (...part) => listener.onPart(...part));
    this.#picker = picture && new LivePicker(picture.grid.frameRate);
  }

  static async open(plan: RunPlan, listener: BroadcastListener): Promise<Run> {
    const run = new Run(plan, listener);
    const { picture, sound } = plan;
    if (picture !== null) await run.#openPicture(picture);
    if (sound !== null) await run.#openSound(sound);
    return run;
  }

  async #openPicture(picture: RunPicture): Promise<void> {
    const rungs: LiveRung[] = [];
    if (picture.copy !== null) {
      this.#top = await this.#openTop(picture, picture.copy);
      this.#inits.push({ name: picture.copy.rung.name, init: this.#top.copied.init });
      if (this.#top.phase === "copied") this.#top.lead.close();
      else rungs.push(this.#top.lead);
    }
    for (const rung of picture.rungs) {
      const opened = await this.#openRung(picture, rung, new PartCutter(this.#cutsOf(rung), this.#placeOf(rung.name)));
      this.#inits.push({ name: rung.name, init: opened.init });
      rungs.push(opened);
    }
    this.#firstNew = Math.min(...rungs.map(({ rung }) => this.#placeOf(rung.name).sample));
    this.#ladder = new PictureLadder(rungs, {
      frameRate: picture.grid.frameRate,
      rotationDegrees: picture.rotationDegrees,
      onThumbnail: (bytes, number) => this.#listener.onThumbnail(bytes, this.#capturedAtMs(number)),
      onThumbnailFailed: (reason) => this.#listener.onThumbnailFailed?.(reason),
    });
  }

  async #openTop(picture: RunPicture, copy: Copy): Promise<TopRung> {
    const { continues, isFirstShort } = this.#plan;
    const from = this.#placeOf(copy.rung.name);
    const cutter = new PartCutter(this.#cutsOf(copy.rung), from);
    const lead = await this.#openRung(picture, copy.rung, cutter, copy.leadParameterSetId);
    return {
      lead,
      copied: new CopiedRung(copy, lead.avcConfig, picture.grid, this.#cutsAt, matrixOf(picture), cutter, from.sample),
      phase: continues?.run.copied?.phase ?? (isFirstShort && this.#cutsAt.firstUndivided > 0 ? "lead" : "copied"),
    };
  }

  #openRung(picture: RunPicture, rung: VideoRung, cutter: PartCutter, parameterSetId = 0): Promise<LiveRung> {
    const { isFirstShort } = this.#plan;
    const codec = picture.codecs.get(rung.name) ?? null;
    const options = liveEncoderOptions(rung, picture.grid, { codec, isFirstShort, parameterSetId });
    const firstFrame = this.#placeOf(rung.name).sample;
    return LiveRung.open(rung, picture.grid, this.#cutsAt, matrixOf(picture), cutter, options, firstFrame);
  }

  async #openSound(sound: SoundFormat): Promise<void> {
    const from = this.#placeOf(SOUND_NAME);
    const { zeroSeconds, interleaveSeconds, continues } = this.#plan;
    const times = { zeroSeconds, interleaveSeconds, firstFrame: from.sample, shift: continues?.soundShift ?? 0 };
    this.#sound = await SoundRendition.open(sound, times, new PartCutter(this.#cuts.sound(sound.sampleRateHz), from));
    this.#inits.push({ name: SOUND_NAME, init: this.#sound.init });
  }

  #cutsOf({ name }: VideoRung): CutPlan {
    return this.#cuts.picture(name, this.#plan.picture!.grid, this.#canHold);
  }

  #placeOf(rendition: string): CutPlace {
    const { continues } = this.#plan;
    return continues === null ? { segment: 0, part: 0, sample: 0 } : placeOf(rendition, continues);
  }

  /**
   * Sets the time of the first picture that this encoder has.
   * @throws {CannotContinue} when an earlier frame is unpublished
   */
  beginAt(seconds: number): void {
    this.#picker!.startAt(seconds - this.#plan.zeroSeconds);
    const copiedFrom = this.isCopying ? this.#placeOf(this.#top!.copied.rung.name).sample : Infinity;
    const firstNew = Math.min(this.#firstNew, copiedFrom);
    if (this.#picker!.count > firstNew)
      throw new CannotContinue(`the source begins with frame ${this.#picker!.count}; frame ${firstNew} is unpublished`);
  }

  /** Samples by which sound is placed after its timestamps. */
  get soundShift(): number {
    return this.#sound?.shift ?? 0;
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

  /** Init segments of all renditions, in ladder order. */
  get inits(): readonly { name: string; init: LiveRung["init"] }[] {
    return this.#inits;
  }

  /** Encoded rungs that can be dropped. */
  get rungs(): VideoRung[] {
    const lead = this.#top?.phase === "lead" ? this.#top.lead : null;
    const rungs = this.#ladder?.rungs.filter((rung) => rung !== lead).map(({ rung }) => rung) ?? [];
    return rungs.filter(({ name }) => !this.#toDrop.has(name));
  }

  /** Segments that are complete in every rendition. */
  get segments(): number {
    const copied = this.isCopying ? [this.#top!.copied] : [];
    const renditions = [...copied, ...(this.#ladder?.rungs ?? []), ...(this.#sound === null ? [] : [this.#sound])];
    return Math.min(...renditions.map(({ segments }) => segments));
  }

  get start(): RunStart {
    return this.#cuts.start;
  }

  /** The session's media sequence number after the last complete segment. */
  get nextMsn(): number {
    return this.start.msn + this.segments;
  }

  /** Number of output frames processed, including published frames that are not encoded again. */
  get steps(): number {
    return this.#steps;
  }

  /** Null when no rung may be copied from the source. */
  get copyPhase(): CopyPhase | null {
    return this.#top?.phase ?? null;
  }

  get isCopying(): boolean {
    return this.copyPhase === "copied";
  }

  /** Seconds from the start of the run to the end of its input. */
  get endSeconds(): number {
    const { picture } = this.#plan;
    if (picture === null) return this.#sound?.endSeconds ?? 0;
    return (this.#picker!.count * picture.grid.frameRate.den) / picture.grid.frameRate.num;
  }

  /** Whether the run can take this picture. It always can, unless a rung is being copied. */
  accepts(seconds: number, unit: AvcUnit | null): boolean {
    return !this.isCopying || this.#canCopy(seconds, unit);
  }

  #canCopy(seconds: number, unit: AvcUnit | null): boolean {
    const { copied } = this.#top!;
    const number = this.#picker!.count;
    // A published frame need not match the source picture: the other encoder may have encoded it.
    if (copied.isPublished(number)) return true;
    return this.#picker!.isNext(seconds - this.#plan.zeroSeconds) && unit !== null && copied.accepts(unit, number);
  }

  /** Takes ownership of the frame, which must be accepted. @param seconds source time @param unit the source's access unit, if copyable */
  async putPicture(frame: Frame, seconds: number, unit: AvcUnit | null): Promise<void> {
    const canCopy = this.#top !== null && this.#canCopy(seconds, unit);
    const place = this.#picker!.place(seconds - this.#plan.zeroSeconds);
    if (place === null) return frame.free();
    await this.#repeat(place.frame - place.repeated, place.repeated, this.#last ?? frame);
    const copyBegins = this.#cutsAt.start(this.#cutsAt.firstUndivided);
    if (this.#top?.phase === "lead" && place.frame >= copyBegins)
      await this.#endLead(this.#top, canCopy && place.frame === copyBegins);
    if (this.isCopying && unit !== null) this.#top!.copied.put(unit, place.frame);
    this.#last?.free();
    this.#last = frame;
    await this.#encode(frame, place.frame);
    await this.#sound?.encodeUntil(this.endSeconds);
  }

  /** Ends the lead phase: the rung is copied from here on, or encoded until the end of the run. */
  async #endLead(top: TopRung, canCopy: boolean): Promise<void> {
    top.phase = canCopy ? "copied" : "encoded";
    if (!canCopy) return;
    await this.#ladder!.remove([top.lead]);
    await top.lead.encode(null);
    top.lead.close();
  }

  /** Whether at least one output frame is missing before this time. @param seconds source time */
  endsBefore(seconds: number): boolean {
    const { num, den } = this.#plan.picture!.grid.frameRate;
    return seconds - this.#plan.zeroSeconds >= ((this.#picker!.count + 1) * den) / num - 1e-6;
  }

  /** The last picture, owned by the receiver, and the source time of the frame after it. */
  get still(): { frame: Frame; seconds: number } | null {
    const frame = this.#last?.clone() ?? null;
    return frame && { frame, seconds: this.#plan.zeroSeconds + this.endSeconds };
  }

  /** Repeats the last picture up to this time, because the picture has stalled while the sound continues. */
  async holdPicture(untilSeconds: number): Promise<void> {
    if (this.#last === null) return;
    const first = this.#picker!.count;
    await this.#repeat(first, this.#picker!.holdUntil(untilSeconds - this.#plan.zeroSeconds), this.#last);
    await this.#sound?.encodeUntil(this.endSeconds);
  }

  async putSound(piece: SoundPiece): Promise<void> {
    this.#sound?.write(piece);
    await this.#sound?.encodeUntil(this.endSeconds);
  }

  /** Drops a rung at the next segment start. */
  drop(name: string): void {
    this.#toDrop.add(name);
  }

  /**
   * @param isHeld the broadcaster may reconnect, so the session is held and the last segment is extended to the minimum duration
   * @returns the end of this run, and the sound after it, which belongs to the next run
   */
  async finish(
    isHeld: boolean,
  ): Promise<{ msn: number; seconds: number; initVersion: number; sound: SoundPiece | null }> {
    const { picture } = this.#plan;
    const { seconds, initVersion } = this.start;
    if (picture !== null) await this.#lengthen(picture.grid, isHeld);
    await this.#ladder?.settle();
    if (this.isCopying) this.#top!.copied.finish();
    await Promise.all(this.#ladder?.rungs.map((rung) => rung.finish()) ?? []);
    const { soundSeconds, rest } = await this.#finishSound(isHeld);
    const end = seconds + Math.max(this.endSeconds, soundSeconds);
    const found = { msn: this.nextMsn, seconds: end, initVersion, sound: rest };
    this.close();
    return found;
  }

  /** Repeats the last picture until the last segment is long enough and does not end between two parts. */
  async #lengthen(grid: LiveGrid, isHeld: boolean): Promise<void> {
    const first = this.#picker!.count;
    const cuts = this.#cuts.picture("", grid, this.#canHold);
    let until = isHeld ? Math.max(first, leastEnd(first, Math.ceil(MIN_LAST_SEGMENT_SECONDS * hz(grid)), cuts)) : first;
    if (endsBetweenParts(until, cuts)) until += 1;
    if (until === first || this.#last === null || !this.#canHold) return;
    await this.#repeat(first, this.#picker!.holdUntil((until + 0.5) / hz(grid)), this.#last);
    if (this.isCopying) this.#top!.copied.hold(until - first);
  }

  /** Whether the last picture can be repeated in every rung. If not, all rungs end with the source's last picture. */
  get #canHold(): boolean {
    const { copy } = this.#plan.picture!;
    return copy === null || canHoldCopy(copy);
  }

  close(): void {
    this.#last?.free();
    this.#last = null;
    this.#ladder?.close();
    this.#ladder = null;
    this.#sound?.close();
    this.#sound = null;
  }

  async #finishSound(isHeld: boolean): Promise<{ soundSeconds: number; rest: SoundPiece | null }> {
    const { sound, picture } = this.#plan;
    if (sound === null || this.#sound === null) return { soundSeconds: 0, rest: null };
    const cuts = this.#cuts.sound(sound.sampleRateHz);
    let frames = Math.max(1, Math.ceil(this.#sound.endSeconds * (sound.sampleRateHz / AAC_FRAME_SAMPLES) - 1e-6));
    if (picture !== null)
      frames = this.#cutsAt.soundFramesUntil(this.endSeconds, this.#ladder!.rungs[0]!.segments, sound.sampleRateHz);
    else if (isHeld)
      frames = Math.max(
        frames,
        leastEnd(frames, Math.ceil((MIN_LAST_SEGMENT_SECONDS * sound.sampleRateHz) / AAC_FRAME_SAMPLES), cuts),
      );
    if (endsBetweenParts(frames, cuts)) frames += 1;
    const rest = await this.#sound.finish(frames);
    return { soundSeconds: (frames * AAC_FRAME_SAMPLES) / sound.sampleRateHz, rest };
  }

  async #repeat(first: number, count: number, frame: Frame): Promise<void> {
    for (let i = 0; i < count; i++) await this.#encode(frame, first + i);
  }

  /** Encodes one output frame in every rung. The caller keeps ownership of the picture. */
  async #encode(picture: Frame, number: number): Promise<void> {
    this.#steps += 1;
    if (number < this.#firstNew) return;
    if (this.#cutsAt.intoSegment(number) === 0) await this.#dropRungs(this.#cutsAt.segmentOf(number));
    await this.#ladder!.encode(picture, number);
  }

  async #dropRungs(segment: number): Promise<void> {
    const dropped = this.#ladder!.rungs.filter(({ rung }) => this.#toDrop.has(rung.name));
    if (dropped.length === 0) return;
    await this.#ladder!.remove(dropped);
    for (const rung of dropped) {
      await rung.finish();
      rung.close();
      this.#listener.onRungDropped({ rendition: rung.rung.name, fromMsn: this.start.msn + segment });
    }
  }

  #capturedAtMs(number: number): number {
    const { frameRate } = this.#plan.picture!.grid;
    const { capturedAtMs } = this.#cuts.segmentFacts(this.#cutsAt.segmentOf(number));
    return capturedAtMs + (1000 * this.#cutsAt.intoSegment(number) * frameRate.den) / frameRate.num;
  }
}

const hz = ({ frameRate }: LiveGrid) => frameRate.num / frameRate.den;

const matrixOf = ({ like }: RunPicture) => colorPlan(like.colorSpace, like.height, hdrOf(like)).matrix;
