/** Keeps an item far below the 2 MB of a row, whatever the source sends. Pure. */
import type { ListedVideo } from "../sources/source.ts";

const MAX_TEXT = 20_000;
const MAX_VALUES = 100;
const MAX_LENGTH = 500_000;

/** @returns the video with what a report can show; a video that is still too long loses its metadata and chapters */
export function boundVideo(video: ListedVideo): ListedVideo {
  const bounded: ListedVideo = {
    ...video,
    id: video.id.slice(0, 1024),
    title: video.title?.slice(0, MAX_TEXT) ?? null,
    metadata: Object.fromEntries(
      Object.entries(video.metadata)
        .slice(0, MAX_VALUES)
        .map(([name, value]) => [name.slice(0, 1000), value.slice(0, MAX_TEXT)]),
    ),
    tags: video.tags.slice(0, MAX_VALUES).map((tag) => tag.slice(0, 1000)),
    playbackIds: video.playbackIds.slice(0, MAX_VALUES),
    captions: video.captions?.slice(0, MAX_VALUES) ?? null,
    chapters: video.chapters.slice(0, 1000),
    left: video.left.slice(0, MAX_VALUES),
    ...(video.origins != null && {
      origins: video.origins.slice(0, MAX_VALUES).map((origin) => origin.slice(0, 1000)),
    }),
  };
  if (JSON.stringify(bounded).length <= MAX_LENGTH) return bounded;
  return {
    ...bounded,
    metadata: {},
    tags: [],
    chapters: [],
    left: [...bounded.left, "metadata and chapters: too long"],
  };
}
