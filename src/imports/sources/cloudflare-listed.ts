import { positiveOrNull, textOrNull } from "./read-answer.ts";
import type { ListedVideo } from "./source.ts";
import type { Video } from "./cloudflare-answers.ts";

export function listedVideo(video: Video): ListedVideo {
  const policy = video.requireSignedURLs ? "private" : "public";
  const seconds = positiveOrNull(video.duration);
  const host = hostOf(video.playback?.hls);
  return {
    id: video.uid,
    title: textOrNull(video.meta?.["name"]) ?? textOrNull(video.publicDetails?.title),
    createdAt: new Date(video.created).toISOString(),
    durationMs: seconds === null ? null : Math.round(seconds * 1000),
    bytes: null, // `size` is that of the upload, which Cloudflare does not keep.
    widthPx: positiveOrNull(video.input?.width),
    heightPx: positiveOrNull(video.input?.height),
    policy,
    playbackIds: [{ id: video.uid, policy }],
    creatorId: textOrNull(video.creator),
    tags: [],
    folder: null,
    metadata: metadataOf(video.meta ?? {}),
    captions: null,
    audioTracks: null,
    chapters: [],
    obstacle: obstacleOf(video),
    left: leftOf(video),
    ref: host === null ? {} : { host },
    origins: video.allowedOrigins ?? null,
  };
}

/** `customer-<code>.cloudflarestream.com`, where this account's pages play it. */
function hostOf(url: string | null | undefined): string | null {
  return url != null && URL.canParse(url) ? new URL(url).host : null;
}

function metadataOf(meta: Record<string, unknown>): Record<string, string> {
  const kept = Object.entries(meta).filter(([name, value]) => name !== "name" && value !== null && value !== undefined);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

function obstacleOf({ status }: Video): ListedVideo["obstacle"] {
  if (status.state === "ready") return null;
  if (status.state === "error") {
    const reason = textOrNull(status.errorReasonText)?.slice(0, 300);
    return {
      code: "no_file",
      message: `Cloudflare could not process the video${reason === undefined ? "." : `: ${reason}`}`,
    };
  }
  if (status.state === "live-inprogress")
    return { code: "video_not_ready", message: "The live stream that this video records is still running." };
  return { code: "video_not_ready", message: `The video is not ready at Cloudflare (${status.state.slice(0, 40)}).` };
}

function leftOf(video: Video): string[] {
  const { publicDetails } = video;
  const hasDetails = [publicDetails?.share_link, publicDetails?.channel_link, publicDetails?.logo].some(
    (detail) => textOrNull(detail) !== null,
  );
  return [
    ...(positiveOrNull(video.thumbnailTimestampPct) === null ? [] : ["the time that was chosen for the thumbnail"]),
    ...(video.watermark?.uid == null ? [] : ["the watermark as a setting: it is burnt into the file"]),
    ...(textOrNull(video.scheduledDeletion) === null
      ? []
      : [`the deletion that is scheduled for ${video.scheduledDeletion ?? ""}`]),
    ...(hasDetails ? ["the links and the logo of the public page"] : []),
    ...(textOrNull(video.clippedFrom) === null ? [] : ["that it is a clip of another video"]),
  ];
}
