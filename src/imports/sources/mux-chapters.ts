/**
 * Chapters are a text track of the asset, whose file is JSON: https://www.mux.com/docs/guides/add-chapters and
 * https://www.mux.com/docs/api-reference/stream/chapters/get-chapters, read in November 2026.
 */
import { z } from "@hono/zod-openapi";
import type { SourceHttp } from "./source-http.ts";
import { SourceFailure, type ListedChapter, type ListedVideo } from "./source.ts";
import type { Asset } from "./mux-answers.ts";

const ChaptersAnswer = z.array(
  z.looseObject({
    /** Seconds. */
    "start-time": z.number().min(0),
    titles: z.array(z.looseObject({ language: z.string().nullish(), title: z.string() })),
  }),
);

const UNREADABLE = "chapters: Mux did not answer with their file";

/** Costs a request for assets that have chapters, and none for others. Chapters that cannot be had keep no video from being listed. */
export async function withChapters(
  video: ListedVideo,
  asset: Asset,
  streamBase: string,
  http: SourceHttp,
): Promise<ListedVideo> {
  const track = asset.tracks?.find(
    ({ type, text_type: kind, status }) => type === "text" && kind === "chapters" && (status ?? "ready") === "ready",
  );
  if (track?.id == null) return video;
  const playbackId = video.playbackIds.find(({ policy }) => policy === "public")?.id;
  if (playbackId === undefined)
    return { ...video, left: [...video.left, "chapters: without a public playback ID they cannot be fetched"] };
  const url = `${streamBase}/${encodeURIComponent(playbackId)}/chapters/${encodeURIComponent(track.id)}.json`;
  const chapters = await chaptersAt(url, track.language_code ?? null, http);
  return chapters === null ? { ...video, left: [...video.left, UNREADABLE] } : { ...video, chapters };
}

async function chaptersAt(url: string, language: string | null, http: SourceHttp): Promise<ListedChapter[] | null> {
  try {
    const read = ChaptersAnswer.safeParse((await http.json({ url })).body);
    if (!read.success) return null;
    return read.data.flatMap(({ "start-time": seconds, titles }) => {
      const named = titles.find((title) => title.language === language) ?? titles[0];
      return named === undefined ? [] : [{ startMs: Math.round(seconds * 1000), title: named.title }];
    });
  } catch (error) {
    if (error instanceof SourceFailure) return null;
    throw error;
  }
}
