/** When the elements of a TTML document are shown (W3C TTML 2 §12, with the time containers of SMIL 3). */
import { XmlCdata, XmlElement, XmlText } from "@rgrove/parse-xml";
import { CaptionsError } from "./cue.ts";
import { attribute, localName, MAX_DEPTH } from "./ttml-tree.ts";

export interface Clock {
  frameRate: number;
  tickRate: number;
}

/** An element of the body, or text in one, with its time. */
export interface Timed {
  /** Null for text. */
  element: XmlElement | null;
  /** Of text. */
  text: string;
  startMs: number;
  /** Infinity: not known. Both are within those of the parent. */
  endMs: number;
  children: Timed[];
}

export function clockOf(root: XmlElement): Clock {
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

/** What the document shows: its body. @throws {CaptionsError} captions_malformed for elements that are too deep in each other */
export function timedContent(root: XmlElement, clock: Clock): Timed {
  const timed = timedElement(root, { beginMs: 0, isInSequence: false }, clock, 0);
  clip(timed, 0, Infinity);
  return timed;
}

/** Where the times of an element begin: with its parent or, in a sequence, with the end of what is before it. */
interface Place {
  beginMs: number;
  isInSequence: boolean;
}

function timedElement(element: XmlElement, place: Place, clock: Clock, depth: number): Timed {
  if (depth > MAX_DEPTH) throw new CaptionsError("captions_malformed");
  const given = (name: string) => timeOf(attribute(element, name), clock);
  const startMs = place.beginMs + (given("begin") ?? 0);
  const isSequence = attribute(element, "timeContainer") === "seq";
  const children: Timed[] = [];
  let lastMs = startMs;
  let impliedMs = startMs;
  for (const child of element.children) {
    const inside = { beginMs: isSequence ? lastMs : startMs, isInSequence: isSequence };
    if (child instanceof XmlText || child instanceof XmlCdata) children.push(timedText(child.text, inside));
    else if (child instanceof XmlElement && isContent(child))
      children.push(timedElement(child, inside, clock, depth + 1));
    else continue;
    lastMs = children.at(-1)!.endMs;
    impliedMs = isSequence ? lastMs : Math.max(impliedMs, lastMs);
  }
  // A break has no end of its own, as text. In a sequence neither lasts.
  if (children.length === 0) impliedMs = place.isInSequence ? startMs : Infinity;
  const [end, duration] = [given("end"), given("dur")];
  const ends = [end === null ? [] : place.beginMs + end, duration === null ? [] : startMs + duration].flat();
  return { element, text: "", startMs, endMs: ends.length === 0 ? impliedMs : Math.min(...ends), children };
}

const timedText = (text: string, { beginMs, isInSequence }: Place): Timed => ({
  element: null,
  text,
  startMs: beginMs,
  endMs: isInSequence ? beginMs : Infinity,
  children: [],
});

const CONTENT = new Set(["body", "div", "p", "span", "br"]);
const isContent = (element: XmlElement): boolean => CONTENT.has(localName(element));

function clip(timed: Timed, fromMs: number, toMs: number): void {
  timed.startMs = Math.max(timed.startMs, fromMs);
  timed.endMs = Math.min(timed.endMs, toMs);
  for (const child of timed.children) clip(child, timed.startMs, timed.endMs);
}
