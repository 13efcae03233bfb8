type State = "startup" | "playing" | "paused" | "seeking" | "rebuffering";

/** The times of a view, in ms (media contract, analytics: "SDK arithmetic"). Pure: every call gets the time. */
export class ViewClock {
  startupMs: number | null = null;
  seekCount = 0;
  rebufferCount = 0;
  #sums = { watch: 0, seek: 0, rebuffer: 0 };
  /** What the time is spent on until the next change. */
  #state: State = "startup";
  #sinceMs: number;
  readonly #startMs: number;

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#sinceMs = startMs;
  }

  get isPaused(): boolean {
    return this.#state === "paused";
  }

  playing(nowMs: number): void {
    this.startupMs ??= nowMs - this.#startMs;
    this.#enter("playing", nowMs);
  }

  /** A pause before the first picture is part of the startup. */
  paused(nowMs: number): void {
    if (this.startupMs !== null) this.#enter("paused", nowMs);
  }

  seeking(nowMs: number): void {
    if (this.startupMs === null || this.#state === "seeking") return;
    this.seekCount += 1;
    this.#enter("seeking", nowMs);
  }

  /** A seek of a paused video ends here; one of a playing video ends as it plays. */
  seeked(nowMs: number, isPaused: boolean): void {
    if (this.#state === "seeking" && isPaused) this.#enter("paused", nowMs);
  }

  /** Playback stands still for lack of data. Waiting before the first picture and after a seek count as those. */
  waiting(nowMs: number): void {
    if (this.#state !== "playing") return;
    this.rebufferCount += 1;
    this.#enter("rebuffering", nowMs);
  }

  /** @returns the figures until now */
  read(nowMs: number): { watchMs: number; seekMs: number; rebufferMs: number } {
    this.#enter(this.#state, nowMs);
    const { watch, seek, rebuffer } = this.#sums;
    return { watchMs: watch, seekMs: seek, rebufferMs: rebuffer };
  }

  #enter(state: State, nowMs: number): void {
    const ms = Math.max(0, nowMs - this.#sinceMs);
    if (this.#state !== "paused") this.#sums.watch += ms;
    if (this.#state === "seeking") this.#sums.seek += ms;
    if (this.#state === "rebuffering") this.#sums.rebuffer += ms;
    this.#state = state;
    this.#sinceMs = nowMs;
  }
}
