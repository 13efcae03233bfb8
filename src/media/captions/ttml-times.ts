/** When the elements of a TTML document are shown (W3C TTML 2 §12, with the time containers of SMIL 3). */
import { CaptionsError } from "./cue.ts";
import { attribute, MAX_DEPTH, type TtmlElement } from "./ttml-elements.ts";

export interface Clock {
  frameRate: number;
  tickRate: number;
}

/** A paragraph, what is in it, or text, with its time. */
export interface Timed {
  /** Null for text. */
  element: TtmlElement | null;
  /** For text only. */
  text: string;
  startMs: number;
  /** Infinity: not known. Both are within those of the parent. */
  endMs: number;
  children: Timed[];
}

export function clockOf(root: TtmlElement): Clock {
  const rate = Number(attribute(root, "frameRate")) || 30;
  const [num = 1, den = 1] = attribute(root, "frameRateMultiplier").split(/[ :]/).map(Number);
  const frameRate = num > 0 && den > 0 ? (rate * num) / den : rate;
  return { frameRate, tickRate: Number(attribute(root, "tickRate")) || frameRate };
}

const UNITS_MS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A time expression (§12.3.1); null = there is none. */
function timeOf(text: string, { frameRate, tickRate }: Clock): number | null {
  const clock = /^(\d{1,6}):(\d{2}):(\d{2})(?:(\.\d{1,9})|:(\d{1,4})(?:\.\d+)?)?$/.exec(text);
  if (clock) {
    const [, hours, minutes, seconds, fraction = "0", frames = "0"] = clock;
    const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return (whole + Number(fraction) + Number(frames) / frameRate) * 1000;
  }
  const [, amount, unit = ""] = /^(\d{1,12}(?:\.\d{1,9})?)(h|ms|m|s|f|t)$/.exec(text) ?? [];
  if (amount === undefined) return null;
  if (unit === "f") return (Number(amount) / frameRate) * 1000;
  return unit === "t" ? (Number(amount) / tickRate) * 1000 : Number(amount) * UNITS_MS[unit]!;
}

/** Where the times of an element begin: with its parent or, in a sequence, with the end of what is before it. */
export interface Place {
  beginMs: number;
  isInSequence: boolean;
}

/** The times of an element, while what is in it is gone through. */
export class TimeContainer {
  readonly startMs: number;
  /** Null: what is in it decides. */
  readonly givenEndMs: number | null;
  readonly #isSequence: boolean;
  /** End of what was last in it. */
  #lastMs: number;
  #impliedEndMs: number;
  #isEmpty = true;

  constructor(element: TtmlElement, { beginMs, isInSequence }: Place, clock: Clock) {
    const given = (name: string) => timeOf(attribute(element, name), clock);
    this.startMs = beginMs + (given("begin") ?? 0);
    const [end, duration] = [given("end"), given("dur")];
    const ends = [end === null ? [] : beginMs + end, duration === null ? [] : this.startMs + duration].flat();
    this.givenEndMs = ends.length === 0 ? null : Math.min(...ends);
    this.#isSequence = attribute(element, "timeContainer") === "seq";
    this.#lastMs = this.startMs;
    // A break has no end of its own, as text. In a sequence neither lasts.
    this.#impliedEndMs = isInSequence ? this.startMs : Infinity;
  }

  /** Place of the next child. */
  get place(): Place {
    return { beginMs: this.#isSequence ? this.#lastMs : this.startMs, isInSequence: this.#isSequence };
  }

  pass(endMs: number): void {
    this.#lastMs = endMs;
    const before = this.#isEmpty ? this.startMs : this.#impliedEndMs;
    this.#impliedEndMs = this.#isSequence ? endMs : Math.max(before, endMs);
    this.#isEmpty = false;
  }

  passText(): void {
    this.pass(textEnd(this.place));
  }

  get endMs(): number {
    return this.givenEndMs ?? this.#impliedEndMs;
  }
}

/**
 * With the times as they are given: those of its parent are not looked at.
 *
 * @throws {CaptionsError} captions_malformed for elements that are too deep in each other
 */
export function timedElement(element: TtmlElement, place: Place, clock: Clock, depth: number): Timed {
  requireShallow(depth);
  const times = new TimeContainer(element, place, clock);
  const children: Timed[] = [];
  for (const child of element.children) {
    if (typeof child === "string") children.push(timedText(child, times.place));
    else if (isContent(child)) children.push(timedElement(child, times.place, clock, depth + 1));
    else continue;
    times.pass(children.at(-1)!.endMs);
  }
  return { element, text: "", startMs: times.startMs, endMs: times.endMs, children };
}

/** @throws {CaptionsError} captions_malformed */
export function requireShallow(depth: number): void {
  if (depth > MAX_DEPTH) throw new CaptionsError("captions_malformed");
}

const textEnd = ({ beginMs, isInSequence }: Place): number => (isInSequence ? beginMs : Infinity);

const timedText = (text: string, place: Place): Timed => ({
  element: null,
  text,
  startMs: place.beginMs,
  endMs: textEnd(place),
  children: [],
});

const CONTENT = new Set(["body", "div", "p", "span", "br"]);
export const isContent = ({ name }: TtmlElement): boolean => CONTENT.has(name);

/** Limits the times to those of the parent. */
export function clip(timed: Timed, fromMs: number, toMs: number): void {
  timed.startMs = Math.max(timed.startMs, fromMs);
  timed.endMs = Math.min(timed.endMs, toMs);
  for (const child of timed.children) clip(child, timed.startMs, timed.endMs);
}
