import { cutToCharacters } from "./plain-text.ts";
import type { Chapter } from "./text-result.ts";

export const MAX_TITLE_CHARACTERS = 60;
const SHORTEST_CHAPTER_MS = 10_000;
/** What a menu can show. */
const MAX_CHAPTERS = 100;

/**
 * Brings chapters into order: the first begins at 0, each ends where the next begins, the last with the media, and none is shorter than ten seconds:
 * the longer one of two takes over the time of the other. Pure.
 *
 * @param chapters whose ends are ignored
 */
export function mendChapters(chapters: readonly Chapter[], durationMs: number): Chapter[] {
  const kept: Chapter[] = [];
  const inOrder = chapters.filter(({ startMs }) => startMs < durationMs).toSorted((a, b) => a.startMs - b.startMs);
  for (const [n, given] of inOrder.entries()) {
    const last = kept.at(-1);
    const startMs = last === undefined ? 0 : Math.round(given.startMs);
    const chapter = { ...given, startMs, title: cutToCharacters(given.title, MAX_TITLE_CHARACTERS) };
    if (last === undefined) {
      kept.push(chapter);
      continue;
    }
    const beforeMs = startMs - last.startMs;
    const ownMs = (inOrder[n + 1]?.startMs ?? durationMs) - startMs;
    if (beforeMs < SHORTEST_CHAPTER_MS) {
      if (ownMs > beforeMs) kept[kept.length - 1] = { ...chapter, startMs: last.startMs };
    } else if (durationMs - startMs >= SHORTEST_CHAPTER_MS && kept.length < MAX_CHAPTERS) kept.push(chapter);
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
