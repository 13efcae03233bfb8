import type { Cue } from "./cue.ts";

/** Text that grows after a longer pause begins a cue. Before, it is part of the cue that shows it, so that a row typed on the air is one cue. */
const PAUSE_MS = 1000;

export interface Shown {
  /** Payload of a WebVTT cue; "" = none. */
  text: string;
  /** Cue settings: where the text stands. */
  settings: string;
}

/** Makes cues of a screen whose text changes: a cue begins when its text is on the screen, and ends when the text is replaced. */
export class ShownText {
  readonly #emit: (cue: Cue) => void;
  #cue: Omit<Cue, "endMs"> | null = null;
  #lastChangeMs = 0;
  #isClosed = false;

  constructor(emit: (cue: Cue) => void) {
    this.#emit = emit;
  }

  /** The cue on the screen, whose end is not known; null when the screen is empty. */
  get current(): Omit<Cue, "endMs"> | null {
    return this.#cue;
  }

  /** Characters were added to the text, or corrected. */
  grow(shown: Shown, atMs: number): void {
    const isPart = !this.#isClosed && atMs - this.#lastChangeMs < PAUSE_MS;
    if (this.#cue === null || !isPart || shown.text === "") return this.replace(shown, atMs);
    if (shown.text === this.#cue.text) return;
    this.#cue = { ...shown, startMs: this.#cue.startMs };
    this.#lastChangeMs = atMs;
  }

  /** A row is complete: the rows are as they are now, or have moved up, and what follows begins a cue. */
  roll(shown: Shown, atMs: number): void {
    if (shown.text === (this.#cue?.text ?? "")) this.#isClosed = true;
    else this.replace(shown, atMs);
  }

  /** Another text is on the screen; "" = none. */
  replace(shown: Shown, atMs: number): void {
    if (shown.text === (this.#cue?.text ?? "")) return;
    if (this.#cue !== null && atMs > this.#cue.startMs) this.#emit({ ...this.#cue, endMs: atMs });
    this.#cue = shown.text === "" ? null : { ...shown, startMs: atMs };
    this.#lastChangeMs = atMs;
    this.#isClosed = false;
  }
}
