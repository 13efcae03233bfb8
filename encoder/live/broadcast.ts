/** Encodes the bytes that one encoder process receives: decodes them once and encodes the ladder into parts. Handles timestamp jumps, format
 * changes and stalled pictures. */
import { JobError } from "../platform/errors.ts";
import { type BroadcastSound, namedSounds } from "./broadcast-sounds.ts";
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
import { StrayPackets } from "./stray-packets.ts";
import { StreamReader } from "./stream-reader.ts";

const PULSE_MS = 1000;

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
    using encoding = new Broadcast(source, plan, listener, overload);
    broadcast = encoding;
    return await encoding.run(ending);
  } finally {
    clearInterval(pulse);
  }
}

class Broadcast {
  readonly #source: LiveSource;
  readonly #plan: BroadcastPlan;
  readonly #timeline: SourceTimeline;
  readonly #runs: RunSequence;
  /** By `soundId`. */
  readonly #sounds: ReadonlyMap<number | null, SoundInput>;
  /** The sound whose times lead when the source has no picture: that of the first packet. */
  #leadingSound: number | null = null;
  /** Null when the source has no picture. */
  #pictures: PictureInput | null = null;
  readonly #keys: KeyReports;
  readonly #pulse: BroadcastPulse;
  readonly #strays: StrayPackets;
  #packets = 0;

  constructor(
    source: LiveSource,
    plan: BroadcastPlan,
    listener: BroadcastListener,
    overload: Pick<OverloadPolicy, "decide">,
  ) {
    this.#source = source;
    this.#plan = plan;
    const { video, reader, interleaveSeconds } = source;
    const sounds =
      plan.continues?.run.sounds ?? namedSounds(source.sounds.map(sourceSound), plan.settings.sounds ?? []);
    this.#timeline = new SourceTimeline(interleaveSeconds);
    this.#runs = new RunSequence(source, sounds, plan, listener);
    const inputOf = (sound: BroadcastSound) => new SoundInput(this.#runs, sound, video === null);
    const sent = sounds.filter(({ streamId }) => streamId !== null);
    this.#sounds = new Map(sent.map((sound) => [sound.streamId, inputOf(sound)]));
    this.#strays = new StrayPackets(sounds.length);
    this.#keys = new KeyReports(listener);
    this.#pulse = new BroadcastPulse(this.#runs, reader, listener, overload);
  }

  async run(ending: Ending): Promise<BroadcastEnd> {
    await this.#planPictures();
    const { reader } = this.#source;
    for await (const packet of this.#source.packets()) {
      this.#packets += 1;
      const firstByteAtMs = this.#plan.firstByteAtMs ?? reader.firstByteAtMs;
      if (this.#packets === 1 && firstByteAtMs !== undefined)
        this.#runs.clock.note(packet.decodeSeconds, firstByteAtMs);
      await this.#handlePacket(packet);
    }
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

  async #planPictures(): Promise<void> {
    const times = withFirstAligned(await this.#source.firstTimes());
    const { video } = this.#source;
    if (video === null) return;
    const continued = this.#plan.continues?.run;
    const grid = continued?.grid ?? planLiveGrid(this.#source.rateBy(times), times, this.#plan.settings);
    if (continued?.grid === null) throw new CannotContinue("the run had no picture");
    const plans = new PicturePlans(video, this.#plan, grid, times);
    this.#runs.pictures = plans;
    const firstSeconds = continued?.zeroSeconds ?? times[0] ?? -Infinity;
    this.#pictures = new PictureInput(this.#runs, plans, firstSeconds, this.#source);
  }

  async #handlePacket(timed: TimedPacket): Promise<void> {
    const { kind, decodeSeconds, stream } = timed;
    const isLeader = this.#isLeader(timed);
    const place = this.#timeline.place(isLeader, decodeSeconds);
    if (place === "stray") return this.#strays.put(timed);
    if (place === "jump") {
      await this.#endRun(false, "its timestamps jumped");
      this.#runs.changeTimeline();
    } else if (kind === "video" && !this.#pictures!.isFor(stream))
      await this.#endRun(false, "its picture comes in another stream");
    this.#runs.clock.note(decodeSeconds, Date.now());
    if (isLeader) this.#keys.note(timed, this.#runs.current?.soundShifts ?? {});
    if (kind === "video") for await (const frame of this.#pictures!.decode(timed)) await this.#pictures!.put(frame);
    else {
      await this.#sounds.get(timed.soundId)?.put(timed);
      if (this.#pictures === null && !isLeader) this.#stalledAt(decodeSeconds);
      if (this.#pictures !== null && this.#runs.current !== null) {
        const stalledAt = this.#stalledAt(decodeSeconds);
        if (this.#pictures.mustStopCopying(stalledAt)) await this.#pictures.stopCopying(stalledAt);
        await this.#runs.current.holdPicture(stalledAt);
      }
    }
    timed.packet.free();
    if (place === "jump") await this.#handleStrays();
  }

  #isLeader({ kind, soundId }: TimedPacket): boolean {
    if (this.#source.video !== null) return kind === "video";
    this.#leadingSound ??= soundId;
    return soundId === this.#leadingSound;
  }

  /** The time up to which the leader has stalled, or can no longer be decoded, when sound of this time arrives. */
  #stalledAt(soundSeconds: number): number {
    const stalledAt = soundSeconds - this.#source.interleaveSeconds;
    this.#timeline.passUntil(stalledAt);
    return stalledAt;
  }

  /** Drains decoders and filters into the run, then closes it. @param isHeld the broadcaster may reconnect */
  async #endRun(isHeld: boolean, reason: RunEndReason): Promise<void> {
    await this.#pictures?.drain();
    for (const sound of this.#sounds.values()) await sound.drain();
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
