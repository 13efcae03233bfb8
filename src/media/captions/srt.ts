import { CueList, requireShort } from "./cue.ts";
import { cleanMarkup } from "./markup.ts";
import { linesOf, readTiming } from "./webvtt.ts";

/** Looks at the first lines only: the first cue is there, or the file is no SRT. */
export const isSrt = (text: string): boolean => linesOf(text.slice(0, 16_384)).some((row) => readTiming(row) !== null);

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
  const rows = linesOf(text);
  let at = 0;
  while (at < rows.length && readTiming(rows[at]!) === null) at += 1;
  while (at < rows.length) {
    const timing = readTiming(rows[at]!);
    if (timing === null) break;
    let end = at + 1;
    while (end < rows.length && readTiming(rows[end]!) === null) end += 1;
    const last = end < rows.length ? withoutNumber(rows, at + 1, end) : end;
    const payload = requireShort(rows.slice(at + 1, last).join("\n"));
    const settings = positionOf(payload.slice(0, 1024));
    list.add({ ...timing, settings, text: cleanMarkup(payload.replace(OVERRIDES, "")) });
    at = end;
  }
  return list;
}

/** The end of a cue's lines: before the number of the next cue, which follows an empty line or a gap. */
function withoutNumber(rows: string[], first: number, end: number): number {
  let last = end;
  while (last > first && rows[last - 1]!.trim() === "") last -= 1;
  return last > first && /^\s*\d{1,9}\s*$/.test(rows[last - 1]!) ? last - 1 : last;
}
