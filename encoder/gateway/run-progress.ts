/** What an encoder's run is and how far it is out, so that another encoder can go on with it; and from where the source is still needed. */
import { PICTURE_TIMESCALE } from "../live/live-grid.ts";
import type { Continuation, KeyPlace, RenditionProgress, RunState } from "../live/run-state.ts";
import { progressBehind } from "../live/continuation.ts";
import { type PartFacts, SOUND_NAME } from "../live/output.ts";

const MOST_IN_VAIN = 2;

export class RunProgress {
  #run: RunState | null = null;
  #keys: KeyPlace[] = [];
  /** All that the encoder has been given is needed still. */
  #isFromStart = true;
  readonly #renditions = new Map<string, RenditionProgress>();
  readonly #dropped = new Set<string>();
  #soundShift = 0;
  /** Continuations of which no part has come. */
  #vain = 0;

  onRun(state: RunState | null): void {
    if (state !== null && this.#run !== null) {
      this.#run = state; // the same one, with more known of it
      return;
    }
    this.#run = state;
    this.#renditions.clear(); // also in front of a new run: the one before it has ended with parts of its own
    if (state !== null) return;
    this.#keys = this.#keys.slice(-1);
    this.#isFromStart = false;
  }

  onKey(place: KeyPlace): void {
    this.#keys.push(place);
    this.#soundShift = place.soundShift;
  }

  onPart(facts: PartFacts): void {
    this.#vain = 0;
    this.#renditions.set(facts.rendition, progressBehind(facts));
  }

  onRungDropped(rendition: string): void {
    this.#dropped.add(rendition);
  }

  /** The byte from which on the source is needed; null = from its start on. Older keys are forgotten. */
  neededFrom(): number | null {
    const needed = this.#neededKey();
    if (needed === null) return this.#isFromStart ? null : (this.#keys[0]?.position ?? -1);
    this.#keys = this.#keys.slice(needed);
    if (needed > 0) this.#isFromStart = false;
    return this.#isFromStart ? null : this.#keys[0]!.position;
  }

  /** @returns null when the run has ended, nothing of it is known, or its media kills encoders: then it has to be passed over */
  continuation(): Continuation | null {
    const run = this.#run;
    if (run === null || this.#vain === MOST_IN_VAIN) return null;
    this.#vain += 1;
    return {
      run,
      progress: [...this.#renditions.values()],
      dropped: [...this.#dropped],
      soundShift: this.#soundShift,
    };
  }

  /** The source's time up to which every rendition of the run is out; null when nothing is known of one. */
  get outSeconds(): number | null {
    return this.#run && this.#outSeconds(this.#run);
  }

  /** Nothing of what the encoder was given has come out. */
  get isUnused(): boolean {
    return this.#run === null && this.#isFromStart;
  }

  /** Another encoder is given the source from the needed byte on, and counts bytes anew. */
  countAnew(): void {
    this.#keys = [];
    this.#isFromStart = true;
  }

  /** The newest key frame that lies before everything that is not out, picture and sound. */
  #neededKey(): number | null {
    const run = this.#run;
    if (run === null) return null;
    const wanted = Math.max(run.zeroSeconds, this.#outSeconds(run) - run.interleaveSeconds);
    const found = this.#keys.findLastIndex(({ seconds }) => seconds <= wanted + 1e-3);
    return found < 0 ? null : found;
  }

  /** The source's time up to which every rendition is out. */
  #outSeconds({ start, zeroSeconds, rungs, copied, sound }: RunState): number {
    const pictures = [...rungs, ...(copied === null ? [] : [copied.rung])].map(({ name }) => name);
    const made = [...pictures, ...(sound === null ? [] : [SOUND_NAME])].filter((name) => !this.#dropped.has(name));
    const ends = made.map((name) => {
      const ticks = this.#renditions.get(name)?.endTicks;
      const timescale = name === SOUND_NAME ? sound!.sampleRateHz : PICTURE_TIMESCALE;
      return ticks === undefined ? 0 : ticks / timescale - start.seconds;
    });
    return zeroSeconds + Math.min(...ends);
  }
}
