/** The runs of a broadcast, one after the other: opens each at its position in the session, reports it and closes it. */
import { CaptureClock } from "./capture-clock.ts";
import { checkInits, continuedClock } from "./continuation.ts";
import type { BroadcastSound } from "./broadcast-sounds.ts";
import type { LiveSource } from "./live-source.ts";
import type { BroadcastListener, BroadcastPlan, RunEndReason, RunOpening, StartedFacts } from "./output.ts";
import type { PicturePlans } from "./picture-plans.ts";
import { Run } from "./run.ts";
import type { RunPicture, RunPlan } from "./run-plan.ts";
import { runOpening, runState } from "./run-report.ts";
import type { Continuation, RunStart } from "./run-state.ts";
import type { SoundPiece } from "./sound-converter.ts";
import { startedFacts, withSounds } from "./started-facts.ts";

/** Sound that precedes the first picture is buffered, up to this many pieces of each, 12 s of AAC; older pieces are dropped. */
const MAX_EARLY_PIECES = 600;
/** FLV timestamps are whole milliseconds. */
const ROUNDING_SECONDS = 0.002;

export class RunSequence {
  /** Plans the picture of each run; null when the source has no picture. Set before the first run is opened. */
  pictures: PicturePlans | null = null;
  readonly #source: Pick<LiveSource, "video" | "streamOf" | "interleaving">;
  #sounds: readonly BroadcastSound[];
  readonly #plan: BroadcastPlan;
  readonly #listener: BroadcastListener;
  #current: Run | null = null;
  #clock: CaptureClock;
  /** Plan of the newest run. */
  #runPlan: RunPlan | null = null;
  /** Null = to be requested from the listener. */
  #start: RunStart | null;
  /** Set until the continued run has been opened. */
  #continues: Continuation | null;
  /** End of the last run. */
  #after: RunOpening["after"] = null;
  #endReason: RunEndReason | null = null;
  /** Source time before which all media has been published by another encoder, or in a run of sound alone. */
  #afterSeconds: number;
  readonly #followsPublished: boolean;
  #isPlacing = false;
  #hasStarted = false;
  /** As they were reported last. */
  #facts: StartedFacts | null = null;
  /** Names of the renditions that were reported last. */
  #reported = "";
  /** By the name of its rendition. */
  #earlySound = new Map<string, SoundPiece[]>();
  #finishedSeconds = 0;

  constructor(source: LiveSource, sounds: readonly BroadcastSound[], plan: BroadcastPlan, listener: BroadcastListener) {
    this.#source = source;
    this.#sounds = sounds;
    this.#plan = plan;
    this.#listener = listener;
    this.#start = plan.start;
    this.#afterSeconds = plan.afterSeconds ?? -Infinity;
    this.#followsPublished = this.#afterSeconds > -Infinity;
    this.#continues = plan.continues ?? null;
    this.#clock = this.#continues === null ? new CaptureClock() : continuedClock(this.#continues, plan.settings);
  }

  /** Null between two runs. */
  get current(): Run | null {
    return this.#current;
  }

  /** Maps source times to capture times. */
  get clock(): CaptureClock {
    return this.#clock;
  }

  /** The run to continue, until it has been opened. */
  get continues(): Continuation | null {
    return this.#continues;
  }

  /** Whether a run has been opened. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Whether the listener has been asked for a run's start and has not answered yet. */
  get isPlacing(): boolean {
    return this.#isPlacing;
  }

  /** Media time encoded in all runs. */
  get mediaSeconds(): number {
    return this.#finishedSeconds + (this.#current?.endSeconds ?? 0);
  }

  /** The session's next media sequence number. */
  get nextMsn(): number {
    return this.#current?.nextMsn ?? this.#after?.msn ?? 0;
  }

  /** End of the last run on the session's timeline, in seconds. */
  get endSeconds(): number {
    return this.#after?.seconds ?? 0;
  }

  /** Whether media of this source time has been published before the next run. */
  isPublished(sourceSeconds: number): boolean {
    return this.#current === null && sourceSeconds < this.#afterSeconds - ROUNDING_SECONDS;
  }

  /** Whether another encoder has published media of this source. */
  get followsPublished(): boolean {
    return this.#followsPublished;
  }

  /** Whether the current run lacks a sound that has begun since. */
  get lacksSound(): boolean {
    const { current } = this;
    return current !== null && this.#sounds.some(({ name }) => !current.hasSound(name));
  }

  /** Sounds of the runs to come. The current run goes on with its own. */
  get sounds(): readonly BroadcastSound[] {
    return this.#sounds;
  }

  set sounds(sounds: readonly BroadcastSound[]) {
    this.#sounds = sounds;
    if (this.#facts === null || this.lacksSound) return; // the next run reports them
    this.#report(withSounds(this.#facts, sounds));
  }

  #report(facts: StartedFacts): void {
    this.#facts = facts;
    this.#listener.onStarted(facts);
  }

  /** Continues on another source timeline. The current run must have been closed. */
  changeTimeline(): void {
    this.#afterSeconds = -Infinity;
    this.#clock = new CaptureClock();
    this.#earlySound.clear();
  }

  /** Puts sound into the current run, or keeps it for the next one. @param name of its rendition */
  async putSound(name: string, piece: SoundPiece): Promise<void> {
    if (this.#current?.hasSound(name) === true) return this.#current.putSound(name, piece);
    const pieces = this.#earlySound.get(name) ?? [];
    this.#earlySound.set(name, pieces);
    if (pieces.push(piece) > MAX_EARLY_PIECES) pieces.shift();
  }

  /** Opens a run without a picture, at the earliest sound that has been kept for it. @param seconds source time of the newest sound */
  async openWithSound(seconds = Infinity): Promise<void> {
    const kept = [...this.#earlySound.values()].flatMap(([first]) => first?.seconds ?? []);
    const first = Math.min(seconds, ...kept.filter((one) => !this.isPublished(one)));
    if (first < Infinity) await this.open(first, null);
  }

  /**
   * @param firstSeconds source time of the first picture, or of the first sound without a picture
   * @throws {CannotContinue}
   */
  async open(firstSeconds: number, picture: RunPicture | null): Promise<void> {
    const continues = this.#continues;
    const plan = this.#planRun(firstSeconds, picture);
    const run = await Run.open(plan, this.#listener);
    const start = continues?.run.start ?? this.#start ?? (await this.#place(run, plan.capturedAtMs(firstSeconds)));
    this.#start = null;
    run.begin(start);
    this.#current = run;
    this.#afterSeconds = -Infinity;
    if (continues === null) this.#reportInits(run, picture);
    else {
      checkInits(run.inits, continues.run);
      run.picture?.beginAt(firstSeconds);
      this.#reported = run.inits.map(({ name }) => name).join();
      this.#continues = null;
      this.#hasStarted = true;
    }
    this.#runPlan = plan;
    this.report();
    const early = [...this.#earlySound];
    this.#earlySound.clear();
    for (const [name, pieces] of early) for (const piece of pieces) await run.putSound(name, piece);
  }

  /** Reports the current run after a change. */
  report(): void {
    this.#listener.onRun?.(runState(this.#current!, this.#runPlan!, this.pictures));
  }

  /** Closes the current run. Sound after its end belongs to the next run. @param isHeld the broadcaster may reconnect */
  async close(isHeld: boolean, reason: RunEndReason): Promise<void> {
    const run = this.#current;
    if (run === null) return;
    this.#endReason = reason;
    this.#finishedSeconds += run.endSeconds;
    if (run.picture === null) this.#afterSeconds = run.endsAtSeconds;
    this.#current = null;
    this.#listener.onRun?.(null);
    const { sounds, ...after } = await run.finish(isHeld);
    for (const [name, piece] of sounds) this.#earlySound.set(name, [piece]);
    this.#after = after;
  }

  [Symbol.dispose](): void {
    this.#current?.close();
  }

  #planRun(firstSeconds: number, picture: RunPicture | null): RunPlan {
    const clock = this.#clock; // of this source timeline
    const continues = this.#continues;
    return {
      settings: this.#plan.settings,
      zeroSeconds: continues?.run.zeroSeconds ?? firstSeconds,
      picture,
      sounds: this.#sounds,
      interleaveSeconds: this.#source.interleaving.largestSeconds,
      delaySeconds: (name) => this.#delaySeconds(name),
      capturedAtMs: (seconds) => clock.capturedAtMs(seconds),
      isFirstShort: continues?.run.isFirstShort ?? (this.#plan.isFirstShort === true && !this.#hasStarted),
      continues,
    };
  }

  /** Silence need not be waited for. */
  #delaySeconds(name: string): number {
    const streamId = this.#sounds.find((sound) => sound.name === name)?.streamId ?? null;
    return streamId === null ? 0 : this.#source.interleaving.delaySeconds(streamId);
  }

  async #place(run: Run, capturedAtMs: number): Promise<RunStart> {
    this.#isPlacing = true;
    const start = await this.#listener.onOpening(runOpening(run, capturedAtMs, this.#after, this.#endReason));
    this.#isPlacing = false;
    return start;
  }

  #reportInits(run: Run, picture: RunPicture | null): void {
    const renditions = run.inits.map(({ name }) => name).join();
    if (!this.#hasStarted || renditions !== this.#reported) this.#reportStarted(run, picture);
    this.#reported = renditions;
    for (const { name, init } of run.inits) this.#listener.onInit(name, run.start.initVersion, init.bytes, init.facts);
  }

  #reportStarted({ inits }: Run, picture: RunPicture | null): void {
    this.#hasStarted = true;
    const facts = startedFacts(
      { video: this.#source.video, streamOf: (id) => this.#source.streamOf(id) },
      {
        like: picture?.like ?? null,
        frameRate: this.pictures?.grid.frameRate ?? null,
        rungs: this.pictures?.ladder ?? [],
        copy: picture?.copy ?? null,
        sounds: this.#sounds,
        segmentMs: this.#plan.settings.segmentMs,
        inits,
      },
    );
    this.#report(facts);
  }
}
