/** What the new media of a video will not have, in words that group equal cases. Pure. */
import type { BatchSettings } from "../batches/batch-calls.ts";
import { chapterDifferences } from "../batches/chapter-differences.ts";
import { mediaFieldsOf } from "../batches/media-fields.ts";
import type { ListedVideo } from "../sources/source.ts";

export function lossesOf(video: ListedVideo, settings: BatchSettings): string[] {
  const { durationMs, chapters } = video;
  const { cut } = mediaFieldsOf(video, settings);
  const ofChapters = durationMs === null ? [] : chapterDifferences(chapters, durationMs);
  return [
    ...video.left,
    ...[...cut, ...ofChapters].map(({ field, message }) => `${field}: ${message}`),
    ...(settings.captions || (video.captions ?? []).length === 0 ? [] : ["captions: the settings leave them out"]),
  ];
}
