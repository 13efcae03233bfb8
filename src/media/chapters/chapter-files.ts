import { timestamp } from "../captions/timestamps.ts";
import { quoted, tag } from "../hls/attributes.ts";

/** A chapter as players show it. */
export interface ChapterMark {
  startMs: number;
  endMs: number;
  title: string;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(/\s+/g, " ");

/** WebVTT of kind `chapters` (HTML, "chapter cues"): players list the cues, and mark them on the time line. */
export const chaptersVtt = (chapters: readonly ChapterMark[]): string =>
  [
    "WEBVTT\n",
    ...chapters.map(
      ({ startMs, endMs, title }, n) => `${n + 1}\n${timestamp(startMs)} --> ${timestamp(endMs)}\n${escaped(title)}\n`,
    ),
  ].join("\n");

/** Chapters of HLS in JSON (Apple, "Providing JavaScript Object Notation (JSON) Chapters"): times are seconds. */
export const chaptersJson = (chapters: readonly ChapterMark[], languageCode: string) =>
  chapters.map(({ startMs, endMs, title }, n) => ({
    chapter: n + 1,
    "start-time": startMs / 1000,
    duration: (endMs - startMs) / 1000,
    titles: [{ language: languageCode, title }],
  }));

/** Where players find that JSON, for a multivariant playlist (RFC 8216 §4.3.4.4). @param base the path of the media, relative to the playlist */
export const chaptersData = (chapters: readonly ChapterMark[], base: string): string =>
  chapters.length === 0
    ? ""
    : `${tag("EXT-X-SESSION-DATA", { "DATA-ID": quoted("com.apple.hls.chapters"), URI: quoted(`${base}/chapters.json`) })}\n`;
