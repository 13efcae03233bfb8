/**
 * A stretch of a broadcast without a seam: one kind of picture on one timeline of the source, from its first picture to the jump, the
 * change or the end that closes it. Its encoders begin and end with it.
 */
import type { Frame } from "node-av";
import { AVCOL_TRC_ARIB_STD_B67, AVCOL_TRC_SMPTE2084 } from "node-av/constants";
import type { SourceVideo, VideoRung } from "../protocol.ts";
import { AAC_FRAME_SAMPLES } from "../media/audio-plan.ts";
import type { AvcUnit } from "../media/avc-units.ts";
import type { H264Codec } from "../media/h264.ts";
import { PictureGraph } from "../media/picture-graph.ts";
import { colorPlan, scaleGraph } from "../media/scale-graph.ts";
import { CannotContinue, type Continuation, type CutPlace, placeOf } from "./continuation.ts";
import { canHoldCopy, type Copy, CopiedRung } from "./copied-rung.ts";
import type { LiveGrid } from "./live-grid.ts";
import { LivePicker } from "./live-picker.ts";
import { liveEncoderOptions, LiveRung } from "./live-rung.ts";
import {
  type BroadcastListener,
  type BroadcastPlan,
  PICTURE_TIMESCALE,
  type RunStart,
  SESSION_START,
  SOUND_NAME,
} from "./output.ts";
import { type CutPlan, endsBetweenParts, leastEnd, PartCutter, type SegmentFacts } from "./part-cutter.ts";
import { type FirstSegment, SegmentGrid } from "./segment-grid.ts";
import type { SoundFormat, SoundPiece } from "./sound-converter.ts";
import { SoundLine } from "./sound-line.ts";
import { isThumbnailFrame, jpegOf, thumbnailSource } from "./thumbnail.ts";

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
  /** The first segment is a second long, if the source's key frames allow it: viewers wait for it. */
  isFirstShort: boolean;
  /** Another encoder began this run. */
  continues: Continuation | null;
}

/**
 * Of a run's last segment, when a hold follows it: ffmpeg (libavformat 59, dashdec.c) finds its place in a renewed MPD by whole seconds
 * and plays a shorter segment again and again.
 */
const LEAST_SECONDS = 1;
/** Encoders work at their own pace; decoding goes on until the slowest is this far behind. */
const PICTURES_AHEAD = 4;

export class Run {
  readonly #plan: RunPlan;
  readonly #listener: BroadcastListener;
  readonly #segments: SegmentFacts[] = [];
  readonly #cutsAt: SegmentGrid;
  readonly #picker: LivePicker | null;
  #start: RunStart = SESSION_START;
  #rungs: LiveRung[] = [];
  #copied: CopiedRung | null = null;
  #sound: SoundLine | null = null;
  #turns: Promise<void>[] = [];
  readonly #underWay: Promise<unknown>[] = [];
  #graph: PictureGraph | undefined;
  #last: Frame | null = null;
  #thumbnail: Promise<void> = Promise.resolve();
  readonly #unwanted = new Set<string>();
  /** The first output frame that any encoded rung still needs. */
  #firstNew = 0;
  #steps = 0;

  private constructor(plan: RunPlan, listener: BroadcastListener) {
    this.#plan = plan;
    this.#listener = listener;
    const { picture, settings, isFirstShort } = plan;
    const short = picture?.copy == null ? "short" : "undecided";
    const first = plan.continues?.run.first ?? (isFirstShort ? short : "usual");
    this.#cutsAt = new SegmentGrid(picture?.grid ?? null, settings, first);
    this.#setUnderWay();
    this.#picker = plan.picture && new LivePicker(plan.picture.grid.frameRate);
  }

  static async open(plan: RunPlan, listener: BroadcastListener): Promise<Run> {
    const run = new Run(plan, listener);
    await run.#open();
    return run;
  }

  async #open(): Promise<void> {
    const { picture, sound, isFirstShort } = this.#plan;
    const { segmentMs } = this.#plan.settings;
    if (picture !== null) {
      const { matrix } = colorPlan(picture.like.colorSpace, picture.like.height, hdrOf(picture.like));
      const { copy, grid } = picture;
      if (copy !== null) {
        const from = this.#placeOf(copy.rung.name);
        const cutter = new PartCutter(this.#pictureCuts(copy.rung.name), from);
        this.#copied = new CopiedRung(copy, grid, this.#cutsAt, matrix, cutter, from.sample);
      }
      for (const rung of picture.rungs) {
        const from = this.#placeOf(rung.name);
        const cutter = new PartCutter(this.#pictureCuts(rung.name), from);
        const codec = picture.codecs.get(rung.name) ?? null;
        const options = liveEncoderOptions(rung, grid, { codec, segmentMs, isFirstShort });
        this.#rungs.push(await LiveRung.open(rung, grid, this.#cutsAt, matrix, cutter, options, from.sample));
      }
      this.#turns = this.#rungs.map(() => Promise.resolve());
    }
    if (sound !== null) {
      const from = this.#placeOf(SOUND_NAME);
      const { zeroSeconds, interleaveSeconds, continues } = this.#plan;
      const times = { zeroSeconds, interleaveSeconds, firstFrame: from.sample, shift: continues?.soundShift ?? 0 };
      this.#sound = await SoundLine.open(sound, times, new PartCutter(this.#soundCuts(sound), from));
    }
    const names = picture?.rungs.map(({ name }) => name) ?? [];
    this.#firstNew = Math.min(...names.map((name) => this.#placeOf(name).sample));
  }

  #placeOf(rendition: string): CutPlace {
    const { continues } = this.#plan;
    return continues === null ? { segment: 0, part: 0, sample: 0 } : placeOf(rendition, continues);
  }

  /** Segments of which something is out keep what was told of them. */
  #setUnderWay(): void {
    const { continues } = this.#plan;
    if (continues === null) return;
    const { start } = continues.run;
    for (const { msn, capturedAtMs } of continues.progress)
      if (capturedAtMs !== null) {
        const segment = msn - start.msn;
        const isDiscontinuous = segment === 0 && start.isDiscontinuous;
        this.#segments[segment] = { msn, capturedAtMs, isDiscontinuous };
      }
  }

  /**
   * The picture of this time is the first that this encoder has.
   * @throws {CannotContinue} when one that is not out lies before it
   */
  beginAt(seconds: number): void {
    const { zeroSeconds, continues } = this.#plan;
    this.#picker!.startAt(seconds - zeroSeconds);
    const { copied } = continues!.run;
    const firstNew = Math.min(this.#firstNew, copied === null ? Infinity : this.#placeOf(copied.rung.name).sample);
    if (this.#picker!.count > firstNew)
      throw new CannotContinue(`the source begins with frame ${this.#picker!.count}, and ${firstNew} is not out`);
  }

  /** How far behind its timestamps the sound lies, in samples. */
  get soundShift(): number {
    return this.#sound?.shift ?? 0;
  }

  get first(): FirstSegment {
    return this.#cutsAt.first;
  }

  /** Tells where it begins in the session, before the first picture or sound is put in. */
  begin(start: RunStart): void {
    this.#start = start;
    const { sound, picture } = this.#plan;
    const ticks = start.ticks[SOUND_NAME];
    if (sound === null || picture === null || ticks === undefined) return;
    // Sound goes on at the frame where it ended, which is not exactly where the picture did.
    this.#sound!.delay(ticks / sound.sampleRateHz - start.seconds);
  }

  /** Every rendition's init, in the order of the ladder. */
  get inits(): { name: string; init: LiveRung["init"] }[] {
    return [
      ...(this.#copied === null ? [] : [{ name: this.#copied.rung.name, init: this.#copied.init }]),
      ...this.#rungs.map(({ rung, init }) => ({ name: rung.name, init })),
      ...(this.#sound === null ? [] : [{ name: SOUND_NAME, init: this.#sound.init }]),
    ];
  }

  /** The ones that are encoded. */
  get rungs(): VideoRung[] {
    return this.#rungs.map(({ rung }) => rung).filter(({ name }) => !this.#unwanted.has(name));
  }

  /** Segments that are whole in every rendition. */
  get segments(): number {
    const renditions = [this.#copied, ...this.#rungs, this.#sound].filter((one) => one !== null);
    return Math.min(...renditions.map(({ segments }) => segments));
  }

  get start(): RunStart {
    return this.#start;
  }

  /** Of the session: the one behind the last that is whole. */
  get nextMsn(): number {
    return this.#start.msn + this.segments;
  }

  /** Pictures given to encoders. */
  get steps(): number {
    return this.#steps;
  }

  /** Seconds from its start to the end of what was put in. */
  get endSeconds(): number {
    const { picture } = this.#plan;
    if (picture === null) return this.#sound?.endSeconds ?? 0;
    return (this.#picker!.count * picture.grid.frameRate.den) / picture.grid.frameRate.num;
  }

  /** Whether a picture can go on in this run: always, but where the source's own pictures are a rung. */
  accepts(seconds: number, unit: AvcUnit | null): boolean {
    if (this.#copied === null) return true;
    const isNext = this.#picker!.isNext(seconds - this.#plan.zeroSeconds);
    return isNext && unit !== null && this.#copied.accepts(unit, this.#picker!.count);
  }

  /** Takes the frame; it must be accepted. @param seconds in the source's time @param unit the source's own, where it is copied */
  async putPicture(frame: Frame, seconds: number, unit: AvcUnit | null): Promise<void> {
    const place = this.#picker!.place(seconds - this.#plan.zeroSeconds);
    if (place === null) return frame.free();
    if (unit !== null && this.#copied !== null) {
      if (this.#cutsAt.isDecision(place.frame))
        this.#cutsAt.decide(this.#copied.canBegin(unit, place.frame) ? "short" : "usual");
      this.#copied.put(unit, place.frame);
    }
    await this.#repeat(place.frame - place.repeated, place.repeated, this.#last ?? frame);
    this.#last?.free();
    this.#last = frame;
    await this.#encode(frame, place.frame);
    await this.#sound?.encodeUntil(this.endSeconds);
  }

  get isCopying(): boolean {
    return this.#copied !== null;
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
    const { seconds, initVersion } = this.#start;
    if (picture !== null) await this.#lengthen(picture.grid, isHeld);
    await Promise.all(this.#underWay);
    await this.#thumbnail;
    this.#copied?.finish();
    await Promise.all(this.#rungs.map((rung) => rung.encode(null)));
    const { soundSeconds, rest } = await this.#finishSound(isHeld);
    const end = seconds + Math.max(this.endSeconds, soundSeconds);
    const found = { msn: this.nextMsn, seconds: end, initVersion, sound: rest };
    this.close();
    return found;
  }

  /** Holds the last picture until the last segment is long enough and does not end between two parts. */
  async #lengthen(grid: LiveGrid, isHeld: boolean): Promise<void> {
    const first = this.#picker!.count;
    const cuts = this.#pictureCuts("");
    let until = isHeld ? Math.max(first, leastEnd(first, Math.ceil(LEAST_SECONDS * hz(grid)), cuts)) : first;
    if (endsBetweenParts(until, cuts)) until += 1;
    if (until === first || this.#last === null || !this.#canHold) return;
    await this.#repeat(first, this.#picker!.holdUntil((until + 0.5) / hz(grid)), this.#last);
    this.#copied?.hold(until - first);
  }

  /** Whether the last picture can be held in every rung. Where it cannot, all of them end with the source's own last picture. */
  get #canHold(): boolean {
    const { copy } = this.#plan.picture!;
    return copy === null || canHoldCopy(copy);
  }

  close(): void {
    this.#graph?.close();
    this.#graph = undefined;
    this.#last?.free();
    this.#last = null;
    for (const rung of this.#rungs) rung.close();
    this.#rungs = [];
    this.#sound?.close();
    this.#sound = null;
  }

  async #finishSound(isHeld: boolean): Promise<{ soundSeconds: number; rest: SoundPiece | null }> {
    const { sound, picture } = this.#plan;
    if (sound === null || this.#sound === null) return { soundSeconds: 0, rest: null };
    const cuts = this.#soundCuts(sound);
    let frames = Math.max(1, Math.ceil(this.#sound.endSeconds * (sound.sampleRateHz / AAC_FRAME_SAMPLES) - 1e-6));
    if (picture !== null)
      frames = this.#cutsAt.soundFramesUntil(this.endSeconds, this.#rungs[0]!.segments, sound.sampleRateHz);
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

  /** Every rung of one output frame; the picture stays the caller's. */
  async #encode(picture: Frame, number: number): Promise<void> {
    const { grid, rotationDegrees } = this.#plan.picture!;
    this.#steps += 1;
    if (number < this.#firstNew) return;
    if (this.#cutsAt.intoSegment(number) === 0) await this.#giveUp(this.#cutsAt.segmentOf(number));
    picture.pts = BigInt(number);
    if (this.#graph?.suits(picture) !== true) {
      this.#graph?.close();
      const hdr = hdrOf(picture);
      const { isConverted } = colorPlan(picture.colorSpace, picture.height, hdr);
      const rungs = this.#rungs.map(({ rung }) => rung);
      const filters = scaleGraph({ hdr, rotationDegrees }, rungs, isConverted);
      this.#graph = await PictureGraph.open(filters, rungs.length, picture, { num: 1, den: 1_000_000 });
    }
    this.#graph.put(picture);
    const ofThumbnail = isThumbnailFrame(number, grid.frameRate)
      ? thumbnailSource(this.#rungs.map(({ rung }) => rung.widthPx))
      : -1;
    for (const [i, rung] of this.#rungs.entries()) {
      const scaled = (await this.#graph.take(i))!;
      if (i === ofThumbnail) this.#makeThumbnail(scaled, number);
      this.#turns[i] = this.#turns[i]!.then(() => rung.encode(scaled)).finally(() => scaled.free());
    }
    const all = Promise.all(this.#turns);
    all.catch(() => {}); // met by a later await
    this.#underWay.push(all);
    if (this.#underWay.length > PICTURES_AHEAD) await this.#underWay.shift();
  }

  /** Beside the encoders. A picture of which none can be made goes without. */
  #makeThumbnail(picture: Frame, number: number): void {
    const { frameRate } = this.#plan.picture!.grid;
    const { capturedAtMs } = this.#segmentFacts(this.#cutsAt.segmentOf(number));
    const intoSegmentMs = (1000 * this.#cutsAt.intoSegment(number) * frameRate.den) / frameRate.num;
    const copy = picture.clone();
    if (copy === null) return;
    this.#thumbnail = this.#thumbnail
      .then(() => jpegOf(copy))
      .then((bytes) => this.#listener.onThumbnail(bytes, capturedAtMs + intoSegmentMs))
      .catch(() => {})
      .finally(() => copy.free());
  }

  async #giveUp(segment: number): Promise<void> {
    const dropped = this.#rungs.filter(({ rung }) => this.#unwanted.has(rung.name));
    if (dropped.length === 0) return;
    await Promise.all(this.#underWay);
    for (const rung of dropped) {
      await rung.encode(null);
      rung.close();
      this.#listener.onRungDropped({ rendition: rung.rung.name, fromMsn: this.#start.msn + segment });
    }
    this.#rungs = this.#rungs.filter((rung) => !dropped.includes(rung));
    this.#turns = this.#rungs.map(() => Promise.resolve());
    this.#graph?.close();
    this.#graph = undefined;
  }

  #pictureCuts(rendition: string): CutPlan {
    const { framesPerPart, ticksPerFrame } = this.#plan.picture!.grid;
    return {
      ...this.#cuts(rendition, PICTURE_TIMESCALE),
      sampleTicks: ticksPerFrame,
      segmentEnd: this.#cutsAt.end,
      partSamples: () => framesPerPart,
      waitsForNext: () => !this.#canHold || this.#cutsAt.first === "undecided",
    };
  }

  #soundCuts({ sampleRateHz }: SoundFormat): CutPlan {
    return {
      ...this.#cuts(SOUND_NAME, sampleRateHz),
      sampleTicks: AAC_FRAME_SAMPLES,
      segmentEnd: (segment) => this.#cutsAt.soundEnd(segment, sampleRateHz),
      partSamples: (segment) => this.#cutsAt.soundPartFrames(segment, sampleRateHz),
    };
  }

  #cuts(rendition: string, timescale: number) {
    return {
      rendition,
      timescale,
      start: () => {
        const { initVersion, seconds, ticks } = this.#start;
        return { initVersion, baseTicks: ticks[rendition] ?? Math.round(seconds * timescale) };
      },
      segmentFacts: (segment: number) => this.#segmentFacts(segment),
      onPart: (...part: Parameters<BroadcastListener["onPart"]>) => this.#listener.onPart(...part),
    };
  }

  /** Found when the first rendition needs it, and the same for all of them. */
  #segmentFacts(segment: number): SegmentFacts {
    const { zeroSeconds, capturedAtMs } = this.#plan;
    const start = this.#start;
    this.#segments[segment] ??= {
      msn: start.msn + segment,
      capturedAtMs: capturedAtMs(zeroSeconds + this.#cutsAt.startSeconds(segment)),
      isDiscontinuous: segment === 0 && start.isDiscontinuous,
    };
    return this.#segments[segment];
  }
}

const hz = ({ frameRate }: LiveGrid) => frameRate.num / frameRate.den;

function hdrOf({ colorTrc }: Frame): SourceVideo["hdr"] {
  if (colorTrc === AVCOL_TRC_SMPTE2084) return "pq";
  return colorTrc === AVCOL_TRC_ARIB_STD_B67 ? "hlg" : null;
}
