/** The sounds of a run: one rendition for each. A sound that is late or absent is silent, and holds up neither the picture nor the others. */
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import type { BroadcastSound } from "./broadcast-sounds.ts";
import { placeOf } from "./continuation.ts";
import { PartCutter } from "./part-cutter.ts";
import type { RunCuts } from "./run-cuts.ts";
import { MIN_LAST_SEGMENT_SECONDS, runEnd } from "./run-end.ts";
import type { RunPlan } from "./run-plan.ts";
import type { RenditionInit } from "./run-rungs.ts";
import type { RunStart, SoundShifts } from "./run-state.ts";
import type { SegmentGrid } from "./segment-grid.ts";
import type { SoundPiece } from "./sound-converter.ts";
import { SoundRendition } from "./sound-rendition.ts";

interface PictureEnd {
  seconds: number;
  segments: number;
}

export class RunSounds {
  readonly #plan: RunPlan;
  readonly #grid: SegmentGrid;
  readonly #cuts: RunCuts;
  #renditions: { sound: BroadcastSound; rendition: SoundRendition }[] = [];

  constructor(plan: RunPlan, grid: SegmentGrid, cuts: RunCuts) {
    this.#plan = plan;
    this.#grid = grid;
    this.#cuts = cuts;
  }

  async open(): Promise<void> {
    const { zeroSeconds, continues, sounds } = this.#plan;
    for (const sound of sounds) {
      const { name, format } = sound;
      const from = placeOf(name, continues);
      const shift = continues?.soundShifts[name] ?? 0;
      const delaySeconds = () => this.#plan.delaySeconds(name);
      const times = { zeroSeconds, delaySeconds, firstFrame: from.sample, shift };
      const cutter = new PartCutter(this.#cuts.sound(name, format.sampleRateHz), from);
      this.#renditions.push({ sound, rendition: await SoundRendition.open(format, times, cutter) });
    }
  }

  /** A sound continues at its last AAC frame, which does not end exactly where the picture did. Must precede the first sound. */
  begin({ ticks, seconds }: RunStart): void {
    for (const { sound, rendition } of this.#renditions) {
      const start = ticks[sound.name];
      if (start !== undefined) rendition.delay(start / sound.format.sampleRateHz - seconds);
    }
  }

  get inits(): RenditionInit[] {
    return this.#renditions.map(({ sound: { name }, rendition: { init } }) => ({ name, init }));
  }

  /** Segments that are complete in every sound; Infinity without sound. */
  get segments(): number {
    return Math.min(...this.#renditions.map(({ rendition }) => rendition.segments));
  }

  /** End of the sound that is furthest, in seconds from the start of the run. */
  get endSeconds(): number {
    return Math.max(0, ...this.#renditions.map(({ rendition }) => rendition.endSeconds));
  }

  get shifts(): SoundShifts {
    return Object.fromEntries(this.#renditions.map(({ sound, rendition }) => [sound.name, rendition.shift]));
  }

  write(name: string, piece: SoundPiece): void {
    this.#renditions.find(({ sound }) => sound.name === name)?.rendition.write(piece);
  }

  /** @param seconds end of the picture, or of the sound that is furthest */
  async encodeUntil(seconds: number): Promise<void> {
    for (const { rendition } of this.#renditions) await rendition.encodeUntil(seconds);
  }

  /**
   * Ends every sound with the picture; without one, all end with the sound that is furthest.
   *
   * @param isHeld the broadcaster may reconnect: without a picture the last segment has the minimum duration
   * @returns when the last one ends, and the sound after the end
   */
  async finish(
    picture: PictureEnd | null,
    isHeld: boolean,
  ): Promise<{ soundSeconds: number; rest: Map<string, SoundPiece> }> {
    const rest = new Map<string, SoundPiece>();
    const runSeconds = this.endSeconds;
    let end = picture;
    let soundSeconds = 0;
    for (const { sound, rendition } of this.#renditions) {
      const { sampleRateHz } = sound.format;
      const frameHz = sampleRateHz / AAC_FRAME_SAMPLES;
      const cuts = this.#cuts.sound(sound.name, sampleRateHz);
      const given =
        end === null
          ? Math.max(1, Math.ceil(runSeconds * frameHz - 1e-6))
          : this.#grid.soundFramesUntil(end.seconds, end.segments, sampleRateHz);
      const isLengthened = isHeld && picture === null;
      const frames = runEnd(given, isLengthened ? Math.ceil(MIN_LAST_SEGMENT_SECONDS * frameHz) : null, cuts);
      const piece = await rendition.finish(frames);
      if (piece !== null) rest.set(sound.name, piece);
      soundSeconds = Math.max(soundSeconds, frames / frameHz);
      end ??= { seconds: frames / frameHz, segments: rendition.segments };
    }
    return { soundSeconds, rest };
  }

  close(): void {
    for (const { rendition } of this.#renditions) rendition.close();
    this.#renditions = [];
  }
}
