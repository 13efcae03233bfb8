/** What becomes of a video's chapters here. Pure. */
import { mendChapters } from "../../ai/text/index.ts";
import type { ListedChapter } from "../sources/source.ts";
import type { Difference } from "./batch-calls.ts";

export function chapterDifferences(given: readonly ListedChapter[], durationMs: number): Difference[] {
  const whole = given.map(({ startMs, title }) => ({ startMs, endMs: startMs, title, summary: "" }));
  const kept = mendChapters(whole, durationMs);
  const titles = new Set(given.map(({ title }) => title));
  return [
    ...(kept.length < given.length ? [JOINED] : []),
    ...(kept.some(({ title }) => !titles.has(title)) ? [CUT] : []),
  ];
}

const JOINED: Difference = {
  field: "chapters",
  message: "those shorter than ten seconds are joined with others, and only a hundred before the end are kept",
};
const CUT: Difference = { field: "chapters", message: "their titles are cut to 60 characters" };
