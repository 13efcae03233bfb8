/** Encodes the bytes that one encoder process receives: decodes them once and encodes the ladder into parts. Handles timestamp jumps, format
 * changes and stalled pictures. */
import type { Continuation, RunStart, RunState } from "./run-state.ts";
import type { Frame } from "node-av";
import { JobError } from "../errors.ts";
import { CaptureClock } from "./capture-clock.ts";
import { CannotContinue, digestOf } from "./continuation.ts";
import { Deinterlacer } from "./deinterlacer.ts";
import { planLiveGrid, withFirstAligned } from "./live-grid.ts";
import { LiveSource, type TimedPacket } from "./live-source.ts";
import type { BroadcastListener, BroadcastPlan, RunOpening } from "./output.ts";
import { OverloadPolicy } from "./overload.ts";
import { PicturePlans } from "./picture-plans.ts";
import { Run, type RunPicture, type RunPlan } from "./run.ts";
import { SegmentGrid } from "./segment-grid.ts";
import { SoundConverter, type SoundFormat, type SoundPiece } from "./sound-converter.ts";
import { FALLBACK_SOUND, soundFormat } from "./source-shape.ts";
import { SourceTimeline } from "./source-timeline.ts";
import { SpeedMeter } from "./speed-meter.ts";
import { startedFacts } from "./started-facts.ts";
import { type DecodedFrame, StreamDecoder } from "./stream-decoder.ts";
import { StreamReader } from "./stream-reader.ts";

const PULSE_MS = 1000;
/** Sound that precedes the first picture is buffered, up to this many pieces; older pieces are dropped. */
const MAX_EARLY_PIECES = 400;
/** Every audio packet is a key packet. `onKey` reports one per interval. */
const SOUND_KEY_SECONDS = 0.5;
/** FLV timestamps are whole milliseconds. */
const ROUNDING_SECONDS = 0.002;
/** Maximum buffered audio packets of a timeline that the picture has not reached yet. */
const MAX_STRAYS = 200;

/** Mutable until the source has ended. */
export interface Ending {
  /** The broadcaster will not reconnect, so the session is not held for it. */
  isFinal: boolean;
}

export interface BroadcastEnd {
  /** Number of complete segments in the session, which is the next media sequence number. */
  nextMsn: number;
  /** End of the session's timeline, in seconds. */
  seconds: number;
}

/**
 * Encodes until the source ends, with or without notice. When it returns, all received media is in complete segments.
 * @throws {JobError} when encoding cannot start, nothing can be decoded or an encoder fails
 * @throws {CannotContinue} when the run of a crashed encoder cannot be continued
 */
export async function encodeBroadcast(
  bytes: AsyncIterable<Uint8Array>,
  plan: BroadcastPlan,
  listener: BroadcastListener,
  overload: Pick<OverloadPolicy, "decide"> = new OverloadPolicy(),
  ending: Ending = { isFinal: true },
): Promise<BroadcastEnd> {
  const reader = new StreamReader(bytes);
  let broadcast: Broadcast | undefined;
  const pulse = setInterval(() => {
    const { isWaiting } = reader;
    if (broadcast !== undefined) broadcast.pulse();
    else listener.onPulse({ segments: plan.start?.msn ?? 0, speed: 0, isWaiting, steps: 0 });
  }, PULSE_MS);
  try {
    await using source = await LiveSource.open(reader);
    using encoding = new Broadcast(source, plan, listener, overload, ending);
    broadcast = encoding;
    return await encoding.run();
  } finally {
    clearInterval(pulse);
  }
}

class Broadcast {
  readonly #source: LiveSource;
  readonly #plan: BroadcastPlan;
  readonly #listener: BroadcastListener;
  readonly #timeline: SourceTimeline;
  readonly #video = new StreamDecoder();
  readonly #fields = new Deinterlacer();
  readonly #audio = new StreamDecoder();
  readonly #sound: SoundFormat | null;
  readonly #converter: SoundConverter;
  readonly #overload: Pick<OverloadPolicy, "decide">;
  readonly #ending: Ending;
  #clock = new CaptureClock();
  /** Null when the source has no picture. */
  #pictures: PicturePlans | null = null;
  #run: Run | null = null;
  #runPlan: RunPlan | null = null;
  #pictureKind = "";
  /** Null = to be requested from the listener. */
  #start: RunStart | null;
  /** Set until the continued run has been opened. */
  #continues: Continuation | null;
  /** End of the last run. */
  #after: RunOpening["after"] = null;
  #isPlacing = false;
  /** Source time before which all media has been published. */
  #afterSeconds: number;
  #earlySound: SoundPiece[] = [];
  #strays: TimedPacket[] = [];
  #hasStarted = false;
  /** Earliest time of the first picture. */
  #firstSeconds = -Infinity;
  #packets = 0;
  #lastKeySeconds = -Infinity;
  readonly #meter = new SpeedMeter(performance.now());
  #mediaSeconds = 0; // of finished runs

  constructor(
    source: LiveSource,
    plan: BroadcastPlan,
    listener: BroadcastListener,
    overload: Pick<OverloadPolicy, "decide">,
    ending: Ending,
  ) {
    this.#overload = overload;
    this.#ending = ending;
    this.#source = source;
    this.#plan = plan;
    this.#listener = listener;
    this.#start = plan.start;
    this.#afterSeconds = plan.afterSeconds ?? -Infinity;
    this.#continues = plan.continues ?? null;
    if (this.#continues !== null) this.#continueFrom(this.#continues);
    this.#timeline = new SourceTimeline(source.video === null ? "audio" : "video", source.interleaveSeconds);
    this.#sound = source.audio && soundFormat(source.audio);
    this.#converter = new SoundConverter(this.#sound ?? FALLBACK_SOUND);
  }

  async run(): Promise<BroadcastEnd> {
    const { video, reader } = this.#source;
    const times = withFirstAligned(await this.#source.firstTimes());
    if (video !== null) {
      if (this.#continues === null) this.#firstSeconds = times[0] ?? -Infinity;
      const grid = this.#continues?.run.grid ?? planLiveGrid(this.#source.rateBy(times), times, this.#plan.settings);
      if (this.#continues?.run.grid === null) throw new CannotContinue("the run had no picture");
      this.#pictures = new PicturePlans(video, this.#plan, grid, times);
    }
    for await (const packet of this.#source.packets()) {
      this.#packets += 1;
      const firstByteAtMs = this.#plan.firstByteAtMs ?? reader.firstByteAtMs;
      if (this.#packets === 1 && firstByteAtMs !== undefined) this.#clock.note(packet.decodeSeconds, firstByteAtMs);
      await this.#handlePacket(packet);
    }
    await this.#endRun(!this.#ending.isFinal);
    if (this.#continues !== null) throw new CannotContinue("the source has no media that continues the run");
    const isAllPublished = this.#afterSeconds > -Infinity;
    if (!this.#hasStarted && !isAllPublished)
      throw new JobError("source_damaged", "No media of the broadcast could be decoded.");
    return { nextMsn: this.#after?.msn ?? 0, seconds: this.#after?.seconds ?? 0 };
  }

  #continueFrom({ run, progress }: Continuation): void {
    this.#firstSeconds = run.zeroSeconds;
    const newest = progress.filter((one) => one.capturedAtMs !== null).toSorted((a, b) => b.msn - a.msn)[0];
    if (newest === undefined) return;
    const cutsAt = new SegmentGrid(run.grid, this.#plan.settings, run.isFirstShort);
    const mediaSeconds = run.zeroSeconds + cutsAt.startSeconds(newest.msn - run.start.msn);
    this.#clock = new CaptureClock({ mediaSeconds, atMs: newest.capturedAtMs! });
  }

  [Symbol.dispose](): void {
    this.#run?.close();
    this.#video.close();
    this.#fields.close();
    this.#audio.close();
    this.#converter.close();
    for (const { packet } of this.#strays) packet.free();
  }

  async #handlePacket(timed: TimedPacket): Promise<void> {
    const { kind, decodeSeconds, stream } = timed;
    const place = this.#timeline.place(kind, decodeSeconds);
    if (place === "stray") return this.#keepStray(timed);
    const isOther = kind === "video" && !this.#video.isFor(stream);
    if (place === "jump" || isOther) await this.#endRun();
    if (place === "jump") {
      this.#afterSeconds = -Infinity;
      this.#clock = new CaptureClock();
      this.#earlySound = [];
    }
    this.#clock.note(decodeSeconds, Date.now());
    this.#noteKey(timed);
    if (kind === "video") {
      this.#pictures?.copy?.put(timed);
      for await (const frame of this.#video.decode(timed)) await this.#handleDecodedPicture(frame);
    } else await this.#handleSoundPacket(timed);
    timed.packet.free();
    if (place === "jump") await this.#handleStrays();
  }

  #noteKey({ packet, kind, decodeSeconds: seconds }: TimedPacket): void {
    const isLeader = kind === (this.#source.video === null ? "audio" : "video");
    if (!isLeader || !packet.isKeyframe || packet.pos < 0n) return;
    if (kind === "audio" && Math.abs(seconds - this.#lastKeySeconds) < SOUND_KEY_SECONDS) return;
    this.#lastKeySeconds = seconds;
    this.#listener.onKey?.({ seconds, position: Number(packet.pos), soundShift: this.#run?.soundShift ?? 0 });
  }

  async #handleSoundPacket(timed: TimedPacket): Promise<void> {
    if (!this.#audio.isFor(timed.stream)) for await (const frame of this.#audio.rest()) await this.#playSound(frame);
    for await (const frame of this.#audio.decode(timed)) await this.#playSound(frame);
    if (this.#source.video === null || this.#run === null) return;
    // Sound this far ahead of the picture means that the picture has stalled or can no longer be decoded.
    const stalledAt = timed.decodeSeconds - this.#source.interleaveSeconds;
    this.#timeline.passUntil(stalledAt);
    if (this.#run.isCopying && this.#run.endsBefore(stalledAt)) await this.#stopCopying(stalledAt);
    await this.#run.holdPicture(stalledAt);
  }

  async #handleDecodedPicture(decoded: DecodedFrame): Promise<void> {
    for await (const frame of this.#fields.put(decoded)) await this.#showPicture(frame);
    if (this.#fields.isActive) this.#pictures?.copy?.end();
  }

  async #showPicture({ frame, seconds: sourceSeconds }: DecodedFrame): Promise<void> {
    const { num, den } = frame.sampleAspectRatio;
    const kind = [frame.width, frame.height, num, den].join();
    const unit = this.#pictures?.copy?.take(sourceSeconds) ?? null;
    if (this.#isPublished(sourceSeconds)) return frame.free();
    const seconds = this.#hasStarted ? sourceSeconds : Math.max(sourceSeconds, this.#firstSeconds);
    if (this.#run !== null && kind !== this.#pictureKind) await this.#closeRun();
    this.#pictureKind = kind;
    if (this.#run !== null && !this.#run.accepts(seconds, unit)) await this.#stopCopying(seconds);
    if (this.#continues?.run.copied?.phase === "copied" && unit === null)
      throw new CannotContinue("the first picture cannot be copied");
    if (this.#run === null) await this.#openRun(seconds, this.#planPicture(frame, unit?.isIdr === true));
    const phase = this.#run!.copyPhase;
    await this.#run!.putPicture(frame, seconds, unit);
    if (this.#run!.copyPhase === phase) return;
    this.#reportRun();
    if (!this.#run!.isCopying) this.#pictures!.copy!.end();
  }

  #isPublished(sourceSeconds: number): boolean {
    return !this.#hasStarted && sourceSeconds < this.#afterSeconds - ROUNDING_SECONDS;
  }

  /** Encodes all rungs from here on, because the source's pictures can no longer be copied. Fills a gap before them with the last picture. */
  async #stopCopying(seconds: number): Promise<void> {
    const run = this.#run!;
    const still = run.endsBefore(seconds) ? run.still : null;
    this.#pictures!.copy!.end();
    await this.#closeRun();
    if (still === null) return;
    await this.#openRun(still.seconds, this.#planPicture(still.frame, false));
    await this.#run!.putPicture(still.frame, still.seconds, null);
  }

  #planPicture(like: Frame, canCopy: boolean): RunPicture {
    const pictures = this.#pictures!;
    return this.#continues === null ? pictures.next(like, canCopy) : pictures.continued(this.#continues.run, like);
  }

  async #playSound(decoded: DecodedFrame): Promise<void> {
    const { seconds } = decoded;
    for await (const piece of this.#converter.convert(decoded)) {
      if (this.#isPublished(seconds)) continue;
      if (this.#run === null && this.#source.video === null) await this.#openRun(seconds, null);
      if (this.#run !== null) await this.#run.putSound(piece);
      else if (this.#earlySound.push(piece) > MAX_EARLY_PIECES) this.#earlySound.shift();
    }
  }

  async #openRun(firstSeconds: number, picture: RunPicture | null): Promise<void> {
    const [clock, continues] = [this.#clock, this.#continues];
    const sound = continues === null ? this.#sound : continues.run.sound;
    const capturedAtMs = (seconds: number) => clock.capturedAtMs(seconds);
    const { settings } = this.#plan;
    const isFirstShort = this.#plan.isFirstShort === true && !this.#hasStarted;
    const plan: RunPlan = {
      settings,
      zeroSeconds: continues?.run.zeroSeconds ?? firstSeconds,
      picture,
      sound,
      interleaveSeconds: this.#source.interleaveSeconds,
      capturedAtMs,
      isFirstShort: continues?.run.isFirstShort ?? isFirstShort,
      continues,
    };
    const run = await Run.open(plan, this.#listener);
    const start = continues?.run.start ?? this.#start ?? (await this.#placeRun(run, capturedAtMs(firstSeconds)));
    this.#start = null;
    run.begin(start);
    this.#run = run;
    if (continues === null) this.#reportInits(run, picture);
    else {
      checkInits(run, continues.run);
      if (picture !== null) run.beginAt(firstSeconds);
      this.#continues = null;
      this.#hasStarted = true;
    }
    this.#runPlan = plan;
    this.#reportRun();
    for (const piece of this.#earlySound.splice(0)) await run.putSound(piece);
  }

  #reportInits(run: Run, picture: RunPicture | null): void {
    if (!this.#hasStarted) this.#reportStarted(run, picture);
    for (const { name, init } of run.inits) this.#listener.onInit(name, run.start.initVersion, init.bytes, init.facts);
  }

  #reportRun(): void {
    const { zeroSeconds, interleaveSeconds, picture, sound, isFirstShort } = this.#runPlan!;
    const copied = picture?.copy ?? null;
    this.#listener.onRun?.({
      start: this.#run!.start,
      zeroSeconds,
      interleaveSeconds,
      grid: picture?.grid ?? null,
      isFirstShort,
      ladder: this.#pictures?.ladder ?? [],
      rungs: picture?.rungs ?? [],
      copied: copied && {
        rung: copied.rung,
        bitrateBps: copied.bitrateBps,
        phase: this.#run!.copyPhase!,
        avcConfig: copied.avcConfig.toString("base64"),
        leadParameterSetId: copied.leadParameterSetId,
      },
      codecs: [...(this.#pictures?.codecs ?? [])],
      sound,
      inits: this.#run!.inits.map(({ name, init }) => [name, digestOf(init.bytes)]),
    });
  }

  async #placeRun({ inits }: Run, capturedAtMs: number): Promise<RunStart> {
    const renditions = inits.map(({ name, init }) => ({ name, initSha256: digestOf(init.bytes) }));
    this.#isPlacing = true;
    const start = await this.#listener.onOpening({ capturedAtMs, renditions, after: this.#after });
    this.#isPlacing = false;
    return start;
  }

  /** Drains decoders and filters into the run, then closes it. */
  async #endRun(isHeld = false): Promise<void> {
    for await (const frame of this.#video.rest()) await this.#handleDecodedPicture(frame);
    for await (const frame of this.#fields.rest()) await this.#showPicture(frame);
    for await (const frame of this.#audio.rest()) await this.#playSound(frame);
    for await (const piece of this.#converter.rest()) await this.#run?.putSound(piece);
    await this.#closeRun(isHeld);
    this.#pictures?.copy?.forget();
  }

  /** Closes the run without draining the decoders. Sound after the run's end belongs to the next run. */
  async #closeRun(isHeld = false): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    this.#mediaSeconds += run.endSeconds;
    this.#run = null;
    this.#listener.onRun?.(null);
    const { sound, ...after } = await run.finish(isHeld);
    this.#earlySound = sound === null ? [] : [sound];
    this.#after = after;
  }

  /** Processes the sound that jumped before the picture did, now that the picture is on the same timeline. */
  async #handleStrays(): Promise<void> {
    for (const stray of this.#strays.splice(0))
      if (this.#timeline.isNear(stray.decodeSeconds)) await this.#handlePacket(stray);
      else stray.packet.free();
  }

  #keepStray(timed: TimedPacket): void {
    if (this.#strays.push(timed) > MAX_STRAYS) this.#strays.shift()!.packet.free();
  }

  /** Reports progress, and drops a rung when the machine is too slow. Called every second. */
  pulse(): void {
    const { reader } = this.#source;
    const atMs = performance.now();
    const mediaSeconds = this.#mediaSeconds + (this.#run?.endSeconds ?? 0);
    const work = this.#meter.measure({ atMs, waitedMs: reader.waitedMs(atMs), mediaSeconds });
    const name = this.#run && this.#overload.decide({ atMs, ...work }, this.#run.rungs);
    if (name) {
      this.#pictures!.drop(name);
      this.#run!.drop(name);
    }
    this.#listener.onPulse({
      segments: this.#run?.nextMsn ?? this.#after?.msn ?? 0,
      speed: this.#meter.speed,
      isWaiting: reader.isWaiting || this.#isPlacing,
      steps: this.#packets + (this.#run?.steps ?? 0),
    });
  }

  #reportStarted(run: Run, picture: RunPicture | null): void {
    this.#hasStarted = true;
    const { segmentMs } = this.#plan.settings;
    const frameRate = this.#pictures?.grid.frameRate ?? null;
    const copy = picture?.copy ?? null;
    const { inits } = run;
    this.#listener.onStarted(
      startedFacts(this.#source, {
        frameRate,
        rungs: this.#pictures?.ladder ?? [],
        copy,
        sound: this.#sound,
        segmentMs,
        inits,
      }),
    );
  }
}

/** @throws {CannotContinue} */
function checkInits(run: Run, { inits }: RunState): void {
  const before = new Map(inits);
  for (const { name, init } of run.inits)
    if (before.get(name) !== digestOf(init.bytes)) throw new CannotContinue(`the init segment of ${name} differs`);
}
