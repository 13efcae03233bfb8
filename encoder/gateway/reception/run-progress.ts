/** Records an encoder's run and its published extent, from which another encoder can continue, and the source position still needed. */
import { PICTURE_TIMESCALE } from "../../live/live-grid.ts";
import type { Continuation, KeyPlace, RenditionProgress, RunState, SoundShifts } from "../../live/run-state.ts";
import { progressBehind } from "../../live/continuation.ts";
import type { PartFacts } from "../../live/output.ts";

const MAX_FRUITLESS = 2;

export class RunProgress {
  #run: RunState | null = null;
  #keys: KeyPlace[] = [];
  /** Everything the encoder has received is still needed. */
  #isFromStart = true;
  readonly #renditions = new Map<string, RenditionProgress>();
  readonly #dropped = new Set<string>();
  #soundShifts: SoundShifts = {};
  /** Consecutive continuations that produced no part. */
  #fruitless = 0;

  onRun(state: RunState | null): void {
    if (state !== null && this.#run !== null) {
      this.#run = state; // an update of the same run
      return;
    }
    this.#run = state;
    this.#renditions.clear(); // also before a new run: parts of the previous run may have followed its end
    if (state !== null) return;
    this.#keys = this.#keys.slice(-1);
    this.#isFromStart = false;
  }

  onKey(place: KeyPlace): void {
    this.#keys.push(place);
    this.#soundShifts = place.soundShifts;
  }

  onPart(facts: PartFacts): void {
    this.#fruitless = 0;
    this.#renditions.set(facts.rendition, progressBehind(facts));
  }

  onRungDropped(rendition: string): void {
    this.#dropped.add(rendition);
  }

  /** First source byte still needed; null = the first byte received. Discards older key positions. */
  neededFrom(): number | null {
    const needed = this.#neededKey();
    if (needed === null) return this.#isFromStart ? null : (this.#keys[0]?.position ?? -1);
    this.#keys = this.#keys.slice(needed);
    if (needed > 0) this.#isFromStart = false;
    return this.#isFromStart ? null : this.#keys[0]!.position;
  }

  /** @returns null when no run is known, the run has ended, or its media crashes encoders and must be skipped */
  continuation(): Continuation | null {
    const run = this.#run;
    if (run === null || this.#fruitless === MAX_FRUITLESS) return null;
    this.#fruitless += 1;
    return {
      run,
      progress: [...this.#renditions.values()],
      dropped: [...this.#dropped],
      soundShifts: this.#soundShifts,
    };
  }

  /** Source time up to which every rendition of the run is published; null when no run is known. */
  get publishedSeconds(): number | null {
    return this.#run && this.#publishedSeconds(this.#run);
  }

  /** The encoder has produced no output from its input. */
  get isUnused(): boolean {
    return this.#run === null && this.#isFromStart;
  }

  /** Another encoder receives the source from the needed byte, and counts positions from there. */
  resetPositions(): void {
    this.#keys = [];
    this.#isFromStart = true;
  }

  /** The newest key frame before all unpublished picture and sound. */
  #neededKey(): number | null {
    const run = this.#run;
    if (run === null) return null;
    const wanted = Math.max(run.zeroSeconds, this.#publishedSeconds(run) - run.interleaveSeconds);
    const found = this.#keys.findLastIndex(({ seconds }) => seconds <= wanted + 1e-3);
    return found < 0 ? null : found;
  }

  /** Source time up to which every rendition is published. */
  #publishedSeconds({ start, zeroSeconds, rungs, copied, sounds }: RunState): number {
    const pictures = [...rungs, ...(copied === null ? [] : [copied.rung])].map(({ name }) => name);
    const made = [
      ...pictures.map((name) => ({ name, timescale: PICTURE_TIMESCALE })),
      ...sounds.map(({ name, format }) => ({ name, timescale: format.sampleRateHz })),
    ].filter(({ name }) => !this.#dropped.has(name));
    const ends = made.map(({ name, timescale }) => {
      const ticks = this.#renditions.get(name)?.endTicks;
      return ticks === undefined ? 0 : ticks / timescale - start.seconds;
    });
    return zeroSeconds + Math.min(...ends);
  }
}
