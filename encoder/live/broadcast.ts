/** Encodes the bytes that one encoder process receives: decodes them once and encodes the ladder into parts. Handles timestamp jumps, format
 * changes and stalled pictures. */
import { JobError } from "../platform/errors.ts";
import { addedSound, type BroadcastSound, namedSounds } from "./broadcast-sounds.ts";
import { BroadcastPulse } from "./broadcast-pulse.ts";
import { CannotContinue } from "./continuation.ts";
import { KeyReports } from "./key-reports.ts";
import { planLiveGrid, withFirstAligned } from "./live-grid.ts";
import { LiveSource, type TimedPacket } from "./live-source.ts";
import type { BroadcastListener, BroadcastPlan, RunEndReason } from "./output.ts";
import { OverloadPolicy } from "./overload.ts";
import { PictureInput } from "./picture-input.ts";
import { PicturePlans } from "./picture-plans.ts";
import { RunSequence } from "./run-sequence.ts";
import { SoundInput } from "./sound-input.ts";
import { sourceSound } from "./source-shape.ts";
import { SourceTimeline } from "./source-timeline.ts";
import { SourceWatch } from "./source-watch.ts";
import { StrayPackets } from "./stray-packets.ts";
import { StreamReader } from "./stream-reader.ts";

const PULSE_MS = 1000;
/** How long sound waits for the first picture of a source that has or announces one. Sound alone is broadcast after that. */
const PICTURE_WAIT_SECONDS = 10;

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
  const watch = new SourceWatch();
  const warn = () => {
    const changed = watch.takeChanged();
    if (changed !== null) listener.onWarnings(changed);
  };
  let broadcast: Broadcast | undefined;
  const pulse = setInterval(() => {
    const { isWaiting } = reader;
    if (broadcast !== undefined) broadcast.pulse();
    else listener.onPulse({ segments: plan.start?.msn ?? 0, speed: 0, isWaiting, steps: 0 });
    warn();
  }, PULSE_MS);
  try {
    await using source = await LiveSource.open(reader, watch);
    using encoding = new Broadcast(source, plan, listener, overload, watch);
    broadcast = encoding;
    return await encoding.run(ending);
  } finally {
    clearInterval(pulse);
    warn();
  }
}

class Broadcast {
  readonly #source: LiveSource;
  readonly #plan: BroadcastPlan;
  readonly #timeline: SourceTimeline;
  readonly #runs: RunSequence;
  /** By `soundId`. */
  readonly #sounds: Map<number | null, SoundInput>;
  /** The sound whose times lead before the first packet of a picture: that of the first packet. */
  #leadingSound: number | null = null;
  /** Null before the first packet of a picture. */
  #pictures: PictureInput | null = null;
  #firstSoundSeconds: number | undefined;
  readonly #keys: KeyReports;
  readonly #pulse: BroadcastPulse;
  readonly #strays: StrayPackets;
  readonly #watch: SourceWatch;
  #packets = 0;

  constructor(
    source: LiveSource,
    plan: BroadcastPlan,
    listener: BroadcastListener,
    overload: Pick<OverloadPolicy, "decide">,
    watch: SourceWatch,
  ) {
    this.#watch = watch;
    this.#source = source;
    this.#plan = plan;
    const { reader, interleaving } = source;
    const sounds = plan.continues?.run.sounds ?? namedSounds(source.sounds, plan.settings.sounds ?? []);
    this.#timeline = new SourceTimeline(interleaving.largestSeconds);
    this.#runs = new RunSequence(source, sounds, plan, listener);
    const sent = sounds.filter(({ streamId }) => streamId !== null);
    this.#sounds = new Map(sent.map((sound) => [sound.streamId, this.#inputOf(sound)]));
    const streams = source.sounds.map(({ streamId }) => streamId);
    watch.begin(source.expectsPicture ? ["picture", ...streams] : streams, () => this.#runs.sounds);
    this.#strays = new StrayPackets(sounds.length);
    this.#keys = new KeyReports(listener);
    this.#pulse = new BroadcastPulse(this.#runs, reader, listener, overload);
  }

  async run(ending: Ending): Promise<BroadcastEnd> {
    const { reader } = this.#source;
    for await (const packet of this.#source.packets()) {
      this.#packets += 1;
      const firstByteAtMs = this.#plan.firstByteAtMs ?? reader.firstByteAtMs;
      if (this.#packets === 1 && firstByteAtMs !== undefined)
        this.#runs.clock.note(packet.decodeSeconds, firstByteAtMs);
      await this.#handlePacket(packet);
    }
    if (!this.#runs.hasStarted && this.#pictures?.hasBegun !== true) await this.#runs.openWithSound();
    await this.#endRun(!ending.isFinal, "the source has ended");
    const { continues, hasStarted, followsPublished, nextMsn, endSeconds } = this.#runs;
    if (continues !== null) throw new CannotContinue("the source has no media that continues the run");
    if (!hasStarted && !followsPublished)
      throw new JobError("source_damaged", "No media of the broadcast could be decoded.");
    return { nextMsn, seconds: endSeconds };
  }

  /** Called every second. */
  pulse(): void {
    this.#pulse.beat(this.#packets);
  }

  [Symbol.dispose](): void {
    this.#runs[Symbol.dispose]();
    this.#pictures?.[Symbol.dispose]();
    for (const sound of this.#sounds.values()) sound[Symbol.dispose]();
    this.#strays.close();
  }

  #inputOf(sound: Pick<BroadcastSound, "name" | "format" | "streamId">): SoundInput {
    const onSilent = () => this.#watch.onSilent(sound.streamId);
    return new SoundInput(this.#runs, sound, (seconds) => this.#mayBeginWithSound(seconds), onSilent);
  }

  #mayBeginWithSound(seconds: number): boolean {
    if (this.#runs.continues !== null) return this.#runs.continues.run.grid === null;
    if (this.#pictures?.hasBegun === true) return false;
    this.#firstSoundSeconds ??= seconds;
    return !this.#source.expectsPicture || seconds - this.#firstSoundSeconds >= PICTURE_WAIT_SECONDS;
  }

  /** Called with the first packet of the picture. */
  async #openPictures(first: TimedPacket): Promise<PictureInput> {
    const times = withFirstAligned(await this.#source.timesFrom(first));
    const { video } = this.#source;
    const continued = this.#plan.continues?.run;
    const grid = continued?.grid ?? planLiveGrid(this.#source.rateBy(times), times, this.#plan.settings);
    const plans = new PicturePlans(video!, this.#plan, grid, times);
    this.#runs.pictures = plans;
    const firstSeconds = continued?.zeroSeconds ?? times[0] ?? -Infinity;
    this.#timeline.changeLeader();
    return new PictureInput(this.#runs, plans, firstSeconds, this.#source);
  }

  /** The input of a sound that has begun after the others. The next run has it. */
  async #addSound({ soundId: streamId, stream }: TimedPacket): Promise<SoundInput> {
    const { sounds, current } = this.#runs;
    const added = { ...sourceSound(stream), streamId };
    const { name, format } = addedSound(added, sounds);
    const isFurther = sounds.every((one) => one.name !== name);
    this.#runs.sounds = isFurther
      ? [...sounds, { ...added, name }]
      : sounds.map((one) => (one.name === name ? { ...one, ...added, format } : one));
    const input = this.#inputOf({ name, format, streamId });
    this.#sounds.set(streamId, input);
    if (isFurther && current?.picture === null) await this.#runs.close(false, "another sound has begun");
    return input;
  }

  async #handlePacket(timed: TimedPacket): Promise<void> {
    const { kind, decodeSeconds, stream } = timed;
    if (kind === "video") this.#pictures ??= await this.#openPictures(timed);
    const isLeader = this.#isLeader(timed);
    const place = this.#timeline.place(isLeader, decodeSeconds);
    if (place === "stray") return this.#strays.put(timed);
    if (place === "jump") {
      await this.#endRun(false, "its timestamps jumped");
      this.#runs.changeTimeline();
      this.#source.interleaving.changeTimeline();
      this.#watch.changeTimeline();
      this.#firstSoundSeconds = undefined;
    } else if (kind === "video" && !this.#pictures!.isFor(stream))
      await this.#endRun(false, "its picture comes in another stream");
    this.#watch.note(kind === "video" ? "picture" : timed.soundId, decodeSeconds, this.#source.interleaving);
    this.#runs.clock.note(decodeSeconds, Date.now());
    if (isLeader) this.#keys.note(timed, this.#runs.current?.soundShifts ?? {});
    if (kind === "video") for await (const frame of this.#pictures!.decode(timed)) await this.#pictures!.put(frame);
    else {
      const sound = this.#sounds.get(timed.soundId) ?? (await this.#addSound(timed));
      await sound.put(timed);
      if (this.#pictures === null && !isLeader) this.#stalledAt(decodeSeconds);
      if (this.#pictures !== null && this.#runs.current?.picture != null) {
        const stalledAt = this.#stalledAt(decodeSeconds);
        if (this.#pictures.mustStopCopying(stalledAt)) await this.#pictures.stopCopying(stalledAt);
        await this.#runs.current.holdPicture(stalledAt);
      }
    }
    timed.packet.free();
    if (place === "jump") await this.#handleStrays();
  }

  #isLeader({ kind, soundId }: TimedPacket): boolean {
    if (this.#pictures !== null) return kind === "video";
    this.#leadingSound ??= soundId;
    return soundId === this.#leadingSound;
  }

  /** The time up to which the leader has stalled, or can no longer be decoded, when sound of this time arrives. */
  #stalledAt(soundSeconds: number): number {
    const leader = this.#pictures === null ? this.#leadingSound : "picture";
    const stalledAt = soundSeconds - this.#source.interleaving.delaySeconds(leader);
    this.#timeline.passUntil(stalledAt);
    return stalledAt;
  }

  /** Drains decoders and filters into the run, then closes it. @param isHeld the broadcaster may reconnect */
  async #endRun(isHeld: boolean, reason: RunEndReason): Promise<void> {
    await this.#pictures?.drain();
    for (const sound of this.#sounds.values()) await sound.drain();
    if (reason !== "its picture comes in another stream") await this.#pictures?.holdUntilSoundEnds();
    await this.#runs.close(isHeld, reason);
    this.#pictures?.forgetUnits();
  }

  /** Processes the sound that jumped before the picture did, now that the picture is on the same timeline. */
  async #handleStrays(): Promise<void> {
    for (const stray of this.#strays.take())
      if (this.#timeline.isNear(stray.decodeSeconds)) await this.#handlePacket(stray);
      else stray.packet.free();
  }
}
