import { CueList, Payload } from "./cue.ts";
import { Lines } from "./lines.ts";
import { cleanMarkup } from "./markup.ts";
import { readTiming } from "./webvtt.ts";

/** Looks at the first lines only: the first cue is there, or the file is no SRT. */
export function isSrt(text: string): boolean {
  const lines = new Lines(text.slice(0, 16_384));
  return nextTiming(lines) !== null;
}

/** Override tags of SubStation Alpha that many SRT files have: `{\an8}` is the position, the others are removed. */
export const OVERRIDES = /\{\\[^{}]{0,256}\}/g;
/** By the keypad: columns 1, 4, 7 are left; rows 7, 8, 9 are at the top. */
export function positionOf(payload: string): string {
  const [, key] = /\{\\an([1-9])\}/.exec(payload) ?? [];
  if (key === undefined || key === "2") return "";
  const number = Number(key);
  const row = number >= 7 ? ["line:0"] : number >= 4 ? ["line:50%"] : [];
  const column = number % 3 === 1 ? ["align:start"] : number % 3 === 0 ? ["align:end"] : [];
  return [...row, ...column].join(" ");
}

/**
 * Cues of a SubRip file. There is no standard: cue numbers are ignored, a cue ends at the next timing line or its number, and empty lines
 * inside a cue are removed, as players do.
 */
export function parseSrt(text: string): CueList {
  const list = new CueList();
  const lines = new Lines(text);
  for (let timing = nextTiming(lines); timing !== null; timing = nextTiming(lines)) {
    const payload = new Payload();
    let next = lines.peek();
    for (; next !== null && readTiming(next) === null; next = lines.peek()) payload.add(lines.next()!);
    // The number of the next cue follows an empty line or a gap.
    if (next !== null) payload.trimEnd(/^\s*\d{1,9}\s*$/);
    const content = payload.text();
    const settings = positionOf(content.slice(0, 1024));
    list.add({ ...timing, settings, text: cleanMarkup(content.replace(OVERRIDES, "")) });
  }
  return list;
}

function nextTiming(lines: Lines): ReturnType<typeof readTiming> {
  for (let line = lines.next(); line !== null; line = lines.next()) {
    const timing = readTiming(line);
    if (timing !== null) return timing;
  }
  return null;
}
