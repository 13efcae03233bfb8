/** Answers of Mux that are no assets: errors in its envelope, and files. From https://www.mux.com/docs/api-reference, read in November 2026. */
import { chaptersTrackIdOf, textTrackIdOf, type MuxAsset } from "./mux-asset.ts";
import type { StandInVideo } from "./stand-in-library.ts";
import type { StandInAnswer } from "./stand-in.ts";

export const NOT_FOUND = problem(
  404,
  "not_found",
  "The requested resource either doesn't exist or you don't have access to it.",
);
export const NO_FILE: StandInAnswer = { status: 404, text: "Not found", contentType: "text/plain" };
export const FORBIDDEN_FILE: StandInAnswer = { status: 403, text: "Forbidden", contentType: "text/plain" };

/** What `https://stream.mux.com/{PLAYBACK_ID}/{name}` answers for a public playback ID. */
export function streamFile(video: StandInVideo, asset: MuxAsset, name: string): StandInAnswer {
  const caption = video.captions.find(({ languageCode }) => name === `text/${textTrackIdOf(video, languageCode)}.vtt`);
  if (caption !== undefined) return { status: 200, text: caption.text, contentType: "text/vtt" };
  if (video.chapters !== undefined && name === `chapters/${chaptersTrackIdOf(video)}.json`) {
    const json = video.chapters.map(({ startMs, title }, index) => ({
      chapter: index + 1,
      "start-time": startMs / 1000,
      titles: [
        { language: "fr", title: `${title} (fr)` },
        { language: "en", title },
      ],
    }));
    return { status: 200, json };
  }
  const { static_renditions: renditions } = asset;
  const file = renditions?.files.find((rendition) => rendition.name === name);
  const isReady = file !== undefined && (file.status ?? renditions?.status) === "ready";
  if (!isReady) return NO_FILE;
  return { status: 200, content: video.clip.content, contentType: name.endsWith(".m4a") ? "audio/mp4" : "video/mp4" };
}

export function problem(status: number, type: string, message: string): StandInAnswer {
  return { status, json: { error: { type, messages: [message] } } };
}
