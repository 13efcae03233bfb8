/** Videos of api.video in the form of the list. Documents: API reference "Videos", "Video status & details", read November 2026. Pure. */
import { z } from "@hono/zod-openapi";
import type { ListedVideo } from "./source.ts";

export const ApiVideo = z.object({
  videoId: z.string().min(1).max(1024),
  title: z.string().nullish(),
  description: z.string().nullish(),
  /** Without it nobody knows whether the video is private. */
  public: z.boolean(),
  panoramic: z.boolean().nullish(),
  mp4Support: z.boolean().nullish(),
  discarded: z.boolean().nullish(),
  createdAt: z.string().nullish(),
  publishedAt: z.string().nullish(),
  language: z.string().nullish(),
  playerId: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  metadata: z.array(z.object({ key: z.string(), value: z.string() })).nullish(),
  assets: z.object({ mp4: z.string().nullish() }).nullish(),
});
export type ApiVideo = z.infer<typeof ApiVideo>;

export const ApiVideoStatus = z.object({
  ingest: z.object({ status: z.string().nullish() }).nullish(),
  encoding: z
    .object({
      playable: z.boolean().nullish(),
      qualities: z.array(z.object({ type: z.string(), status: z.string() })).nullish(),
      metadata: z
        .object({
          width: z.number().nullish(),
          height: z.number().nullish(),
          duration: z.number().nullish(),
          audioCodec: z.string().nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
export type ApiVideoStatus = z.infer<typeof ApiVideoStatus>;

type Obstacle = NonNullable<ListedVideo["obstacle"]>;

export function listedOf(video: ApiVideo): ListedVideo {
  const policy = video.public ? "public" : "private";
  return {
    id: video.videoId,
    title: video.title ?? null,
    createdAt: video.createdAt ?? video.publishedAt ?? null,
    durationMs: null,
    bytes: null,
    widthPx: null,
    heightPx: null,
    policy,
    playbackIds: [{ id: video.videoId, policy }],
    creatorId: null,
    tags: video.tags ?? [],
    folder: null,
    metadata: metadataOf(video),
    captions: null,
    audioTracks: null,
    chapters: [],
    obstacle: obstacleOf(video),
    left: [
      ...(video.panoramic === true ? ["panoramic (360°) playback"] : []),
      ...(typeof video.playerId === "string" ? ["the player theme of the video"] : []),
    ],
    ref: {},
  };
}

/** The owner's own pairs go before the fields of the same name. */
function metadataOf({ description, language, metadata }: ApiVideo): Record<string, string> {
  return {
    ...(description ? { description } : {}),
    ...(language ? { language } : {}),
    ...Object.fromEntries((metadata ?? []).map(({ key, value }) => [key, value])),
  };
}

export function obstacleOf({ discarded, mp4Support, assets }: ApiVideo): Obstacle | null {
  if (discarded === true)
    return { code: "video_gone", message: "The video was discarded at api.video. Restore it there to migrate it." };
  if (mp4Support === false || !assets?.mp4) {
    return {
      code: "no_file",
      message:
        "The video has no MP4 file. Set `mp4Support` to true at api.video (PATCH /videos/{videoId}), and wait until it is encoded.",
    };
  }
  return null;
}

/**
 * What the status adds. Its file size is that of the upload, while the file that is fetched is the MP4 that api.video made of it: `bytes`
 * stays unknown.
 */
export function withStatus(video: ListedVideo, status: ApiVideoStatus): ListedVideo {
  const { width, height, duration, audioCodec } = status.encoding?.metadata ?? {};
  return {
    ...video,
    durationMs: typeof duration === "number" ? Math.round(duration * 1000) : null,
    widthPx: width ?? null,
    heightPx: height ?? null,
    audioTracks: audioCodec ? 1 : null,
    obstacle: video.obstacle ?? statusObstacle(status),
  };
}

function statusObstacle({ ingest, encoding }: ApiVideoStatus): Obstacle | null {
  const mp4 = (encoding?.qualities ?? []).filter(({ type }) => type === "mp4").map(({ status }) => status);
  if (mp4.includes("encoded")) return null;
  if (mp4.length > 0 && mp4.every((status) => status === "failed")) {
    return { code: "no_file", message: "api.video failed to make the MP4 file of the video." };
  }
  const isIncomplete =
    ingest?.status === "uploading" || ingest?.status === "ingesting" || encoding?.playable === false || mp4.length > 0;
  return isIncomplete ? { code: "video_not_ready", message: "api.video has not finished the video's MP4 file." } : null;
}
