import { cutToCharacters } from "./plain-text.ts";
import type { Chapter } from "./text-result.ts";

export const MAX_TITLE_CHARACTERS = 60;
const SHORTEST_CHAPTER_MS = 10_000;
/** What a menu can show. */
const MAX_CHAPTERS = 100;

/**
 * Brings chapters into order: the first begins at 0, each ends where the next begins, the last with the media, and none is shorter than ten seconds. Pure.
 *
 * @param chapters whose ends are ignored
 */
export function mendChapters(chapters: readonly Chapter[], durationMs: number): Chapter[] {
  const kept: Chapter[] = [];
  const inOrder = chapters.filter(({ startMs }) => startMs < durationMs).toSorted((a, b) => a.startMs - b.startMs);
  for (const chapter of inOrder) {
    const last = kept.at(-1);
    const startMs = last === undefined ? 0 : Math.round(chapter.startMs);
    const isTooShort = last !== undefined && startMs - last.startMs < SHORTEST_CHAPTER_MS;
    const isTooLate = last !== undefined && durationMs - startMs < SHORTEST_CHAPTER_MS;
    if (isTooShort || isTooLate || kept.length === MAX_CHAPTERS) continue;
    kept.push({ ...chapter, startMs, title: cutToCharacters(chapter.title, MAX_TITLE_CHARACTERS) });
  }
  return kept.map((chapter, n) => ({ ...chapter, endMs: kept[n + 1]?.startMs ?? Math.round(durationMs) }));
}

/** The chapters of a part of a media, moved to its start. @param startMs of the part */
export const cutChapters = (chapters: readonly Chapter[], startMs: number, durationMs: number): Chapter[] =>
  mendChapters(
    chapters
      .filter((chapter) => chapter.endMs > startMs && chapter.startMs < startMs + durationMs)
      .map((chapter) => ({ ...chapter, startMs: Math.max(0, chapter.startMs - startMs) })),
    durationMs,
  );
