import type { StandInVideo } from "./stand-in-library.ts";

const STATES = { ready: "ready", preparing: "inprogress", errored: "error", live: "live-inprogress" } as const;

/** RFC 3339 with microseconds, as Cloudflare has it; videos may bring their own. */
export function createdOf(video: StandInVideo): string {
  const own = video.own["created"];
  return typeof own === "string" ? own : new Date(video.createdAtMs).toISOString().replace("Z", "000Z");
}

/** Texts of one length with one zone, so that they compare as times. */
export function sortableTime(rfc3339: string): string {
  const [, upToSeconds = "", digits = ""] = /^([^.Z]+)(?:\.(\d+))?Z$/.exec(rfc3339) ?? [];
  return `${upToSeconds}.${digits.padEnd(6, "0")}`;
}

/** The video as Cloudflare's API has it: https://developers.cloudflare.com/api/resources/stream, and the types of `cloudflare` 7.3.0. */
export function cloudflareVideo(video: StandInVideo, origin: string): Record<string, unknown> {
  const { clip, state } = video;
  const isReady = state === "ready";
  const created = createdOf(video);
  const base = `${origin}/${video.id}`;
  return {
    uid: video.id,
    creator: video.creatorId,
    thumbnail: `${base}/thumbnails/thumbnail.jpg`,
    thumbnailTimestampPct: 0,
    readyToStream: isReady,
    readyToStreamAt: isReady ? created : null,
    status: {
      state: STATES[state],
      pctComplete: isReady ? "100.000000" : "41.000000",
      errorReasonCode: state === "errored" ? "ERR_NON_VIDEO" : "",
      errorReasonText: state === "errored" ? "The file was not recognized as a valid video file." : "",
    },
    meta: video.title === null ? {} : { name: video.title },
    created,
    modified: created,
    scheduledDeletion: null,
    size: clip.content.size,
    preview: `${base}/watch`,
    allowedOrigins: [],
    requireSignedURLs: video.policy !== "public",
    uploaded: created,
    uploadExpiry: null,
    maxSizeBytes: null,
    maxDurationSeconds: null,
    duration: isReady ? clip.durationMs / 1000 : -1,
    input: isReady ? { width: clip.widthPx, height: clip.heightPx } : { width: -1, height: -1 },
    playback: { hls: `${base}/manifest/video.m3u8`, dash: `${base}/manifest/video.mpd` },
    watermark: null,
    clippedFrom: null,
    publicDetails: { title: null, share_link: null, channel_link: null, logo: null },
    ...video.own,
  };
}
