import type { Sentence } from "./transcript.ts";

/** A part of a transcript that fits into one question to a model. */
export interface TranscriptPart {
  sentences: Sentence[];
  /** The sentences with their times, one in a line. */
  text: string;
}

/** About 500,000 words. What is said behind them is not read. */
const MOST_CHARACTERS = 2_880_000;

/** Cuts a transcript between sentences. Pure. */
export function partsOf(sentences: readonly Sentence[], characters: number): TranscriptPart[] {
  const mostParts = Math.ceil(MOST_CHARACTERS / characters);
  const parts: TranscriptPart[] = [];
  let [lines, own, length]: [string[], Sentence[], number] = [[], [], 0];
  const close = () => {
    if (own.length > 0) parts.push({ sentences: own, text: lines.join("\n") });
    [lines, own, length] = [[], [], 0];
  };
  for (const sentence of sentences) {
    const line = `[${toClock(sentence.startMs)}] ${sentence.text}`;
    if (length + line.length > characters) close();
    if (parts.length === mostParts) return parts;
    lines.push(line);
    own.push(sentence);
    length += line.length + 1;
  }
  close();
  return parts.slice(0, mostParts);
}

/** `HH:MM:SS` */
export function toClock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}

/** A time as models write it: `HH:MM:SS`, `MM:SS`, with fractions, or seconds. Null = none. */
export function fromClock(time: unknown): number | null {
  if (typeof time === "number") return Number.isFinite(time) && time >= 0 ? time * 1000 : null;
  if (typeof time !== "string") return null;
  const bare = time.trim().replaceAll(/^\[|\]$/g, "");
  if (!/^\d{1,3}(?::\d{1,2}){0,2}(?:[.,]\d{1,3})?$/.test(bare)) return null;
  return bare.split(":").reduce((sum, part) => sum * 60 + Number(part.replace(",", ".")), 0) * 1000;
}
