/**
 * A stretch of a broadcast without a seam: one kind of picture on one timeline of the source, from its first picture to the jump, the
 * change or the end that closes it. Its encoders begin and end with it.
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
import { SoundLine } from "./sound-line.ts";

export interface RunPicture {
  grid: LiveGrid;
  /** To be encoded, largest first; at least one. */
  rungs: VideoRung[];
  like: Frame;
  /** How far it must be turned clockwise to stand upright. */
  rotationDegrees: SourceVideo["rotationDegrees"];
  /** The rung above them that the source's own pictures are. */
  copy: Copy | null;
  /** Rungs that were copied before are encoded as what they were told to be, by name. */
  codecs: ReadonlyMap<string, H264Codec>;
}

export interface RunPlan {
  settings: BroadcastPlan["settings"];
  /** The source's time of its first picture, or of its first sound where there is no picture. */
  zeroSeconds: number;
  picture: RunPicture | null;
  sound: SoundFormat | null;
  /** How much later than its picture sound may come; then it is silence. */
  interleaveSeconds: number;
  capturedAtMs: (sourceSeconds: number) => number;
  /** The first segment is divided, because viewers wait for it. The source's own pictures begin behind its second half. */
  isFirstShort: boolean;
  /** Another encoder began this run. */
  continues: Continuation | null;
}

/** The rung that can be the source's own pictures. */
interface TopRung {
  copied: CopiedRung;
  /** Encodes it while its pictures are not the source's; among the ladder's rungs as long. */
  lead: LiveRung;
  phase: CopyPhase;
}

/**
 * Of a run's last segment, when a hold follows it: ffmpeg (libavformat 59, dashdec.c) finds its place in a renewed MPD by whole seconds
 * and plays a shorter segment again and again.
 */
const LEAST_SECONDS = 1;

export class Run {
  readonly #plan: RunPlan;
  readonly #listener: BroadcastListener;
  readonly #cutsAt: SegmentGrid;
  readonly #cuts: RunCuts;
  readonly #picker: LivePicker | null;
  #ladder: PictureLadder | null = null;
  #top: TopRung | null = null;
  #sound: SoundLine | null = null;
  #inits: { name: string; init: LiveRung["init"] }[] = [];
  #last: Frame | null = null;
  readonly #unwanted = new Set<string>();
  /** The first output frame that any encoded rung still needs. */
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
    this.#sound = await SoundLine.open(sound, times, new PartCutter(this.#cuts.sound(sound.sampleRateHz), from));
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
   * The picture of this time is the first that this encoder has.
   * @throws {CannotContinue} when one that is not out lies before it
   */
  beginAt(seconds: number): void {
    this.#picker!.startAt(seconds - this.#plan.zeroSeconds);
    const copiedFrom = this.isCopying ? this.#placeOf(this.#top!.copied.rung.name).sample : Infinity;
    const firstNew = Math.min(this.#firstNew, copiedFrom);
    if (this.#picker!.count > firstNew)
      throw new CannotContinue(`the source begins with frame ${this.#picker!.count}, and ${firstNew} is not out`);
  }

  /** How far behind its timestamps the sound lies, in samples. */
  get soundShift(): number {
    return this.#sound?.shift ?? 0;
  }

  /** Tells where it begins in the session, before the first picture or sound is put in. */
  begin(start: RunStart): void {
    this.#cuts.start = start;
    const { sound, picture } = this.#plan;
    const ticks = start.ticks[SOUND_NAME];
    if (sound === null || picture === null || ticks === undefined) return;
    // Sound goes on at the frame where it ended, which is not exactly where the picture did.
    this.#sound!.delay(ticks / sound.sampleRateHz - start.seconds);
  }

  /** Every rendition's init, in the order of the ladder. */
  get inits(): readonly { name: string; init: LiveRung["init"] }[] {
    return this.#inits;
  }

  /** The ones that are encoded and can be given up. */
  get rungs(): VideoRung[] {
    const lead = this.#top?.phase === "lead" ? this.#top.lead : null;
    const rungs = this.#ladder?.rungs.filter((rung) => rung !== lead).map(({ rung }) => rung) ?? [];
    return rungs.filter(({ name }) => !this.#unwanted.has(name));
  }

  /** Segments that are whole in every rendition. */
  get segments(): number {
    const copied = this.isCopying ? [this.#top!.copied] : [];
    const renditions = [...copied, ...(this.#ladder?.rungs ?? []), ...(this.#sound === null ? [] : [this.#sound])];
    return Math.min(...renditions.map(({ segments }) => segments));
  }

  get start(): RunStart {
    return this.#cuts.start;
  }

  /** Of the session: the one behind the last that is whole. */
  get nextMsn(): number {
    return this.start.msn + this.segments;
  }

  /** Pictures given to encoders. */
  get steps(): number {
    return this.#steps;
  }

  /** Null when no rung can be the source's own pictures. */
  get copyPhase(): CopyPhase | null {
    return this.#top?.phase ?? null;
  }

  get isCopying(): boolean {
    return this.copyPhase === "copied";
  }

  /** Seconds from its start to the end of what was put in. */
  get endSeconds(): number {
    const { picture } = this.#plan;
    if (picture === null) return this.#sound?.endSeconds ?? 0;
    return (this.#picker!.count * picture.grid.frameRate.den) / picture.grid.frameRate.num;
  }

  /** Whether a picture can go on in this run: always, but where the source's own pictures are a rung. */
  accepts(seconds: number, unit: AvcUnit | null): boolean {
    return !this.isCopying || this.#canCopy(seconds, unit);
  }

  #canCopy(seconds: number, unit: AvcUnit | null): boolean {
    const { copied } = this.#top!;
    const number = this.#picker!.count;
    // What another encoder has made of the source's first pictures need not be as these are: it encoded them.
    if (copied.isOut(number)) return true;
    return this.#picker!.isNext(seconds - this.#plan.zeroSeconds) && unit !== null && copied.accepts(unit, number);
  }

  /** Takes the frame; it must be accepted. @param seconds in the source's time @param unit the source's own, where it can be copied */
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

  /** The source's own pictures take over, or they never will. */
  async #endLead(top: TopRung, canCopy: boolean): Promise<void> {
    top.phase = canCopy ? "copied" : "encoded";
    if (!canCopy) return;
    await this.#ladder!.remove([top.lead]);
    await top.lead.encode(null);
    top.lead.close();
  }

  /** Whether at least one output frame is missing before that. @param seconds in the source's time */
  endsBefore(seconds: number): boolean {
    const { num, den } = this.#plan.picture!.grid.frameRate;
    return seconds - this.#plan.zeroSeconds >= ((this.#picker!.count + 1) * den) / num - 1e-6;
  }

  /** What stands when it ends, the receiver's, and the source's time of the frame behind it. */
  get still(): { frame: Frame; seconds: number } | null {
    const frame = this.#last?.clone() ?? null;
    return frame && { frame, seconds: this.#plan.zeroSeconds + this.endSeconds };
  }

  /** The picture has come to a standstill while the sound goes on: it stands. */
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

  /** Gives a rung up with the next segment. */
  drop(name: string): void {
    this.#unwanted.add(name);
  }

  /**
   * @param isHeld its broadcaster may come back, and its last picture stands until then: the last segment gets the least length
   * @returns where the next run begins, and the sound that belongs to it
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

  /** Holds the last picture until the last segment is long enough and does not end between two parts. */
  async #lengthen(grid: LiveGrid, isHeld: boolean): Promise<void> {
    const first = this.#picker!.count;
    const cuts = this.#cuts.picture("", grid, this.#canHold);
    let until = isHeld ? Math.max(first, leastEnd(first, Math.ceil(LEAST_SECONDS * hz(grid)), cuts)) : first;
    if (endsBetweenParts(until, cuts)) until += 1;
    if (until === first || this.#last === null || !this.#canHold) return;
    await this.#repeat(first, this.#picker!.holdUntil((until + 0.5) / hz(grid)), this.#last);
    if (this.isCopying) this.#top!.copied.hold(until - first);
  }

  /** Whether the last picture can be held in every rung. Where it cannot, all of them end with the source's own last picture. */
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
        leastEnd(frames, Math.ceil((LEAST_SECONDS * sound.sampleRateHz) / AAC_FRAME_SAMPLES), cuts),
      );
    if (endsBetweenParts(frames, cuts)) frames += 1;
    const rest = await this.#sound.finish(frames);
    return { soundSeconds: (frames * AAC_FRAME_SAMPLES) / sound.sampleRateHz, rest };
  }

  async #repeat(first: number, count: number, frame: Frame): Promise<void> {
    for (let i = 0; i < count; i++) await this.#encode(frame, first + i);
  }

  /** Every encoded rung of one output frame; the picture stays the caller's. */
  async #encode(picture: Frame, number: number): Promise<void> {
    this.#steps += 1;
    if (number < this.#firstNew) return;
    if (this.#cutsAt.intoSegment(number) === 0) await this.#giveUp(this.#cutsAt.segmentOf(number));
    await this.#ladder!.encode(picture, number);
  }

  async #giveUp(segment: number): Promise<void> {
    const dropped = this.#ladder!.rungs.filter(({ rung }) => this.#unwanted.has(rung.name));
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
