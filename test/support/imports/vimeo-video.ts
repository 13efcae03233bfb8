/** Videos of the Vimeo stand-in, in Vimeo's form. */
import type { StandInVideo } from "./stand-in-library.ts";

/** `own` of a video in a Vimeo stand-in: fields of its object, and its chapters with times in seconds. */
export interface VimeoOwn {
  chapters?: { title: string; timecode: number }[];
}

const HASH = "8272103f6e";

/** @param expiresMs end of the download links, epoch ms */
export function vimeoVideo(video: StandInVideo, origin: string, expiresMs: number): Record<string, unknown> {
  const { id, clip, policy, state, captions } = video;
  const { chapters: _, ...own } = video.own as VimeoOwn & Record<string, unknown>;
  const isPublic = policy === "public";
  const createdTime = new Date(video.createdAtMs).toISOString().replace(/\.\d+Z$/, "+00:00");
  return {
    uri: `/videos/${id}`,
    name: video.title,
    description: null,
    type: state === "live" ? "live" : "video",
    link: `https://vimeo.com/${id}${isPublic ? "" : `/${HASH}`}`,
    player_embed_url: `https://player.vimeo.com/video/${id}?h=${HASH}`,
    duration: clip.durationMs / 1000,
    width: clip.widthPx,
    height: clip.heightPx,
    language: null,
    license: null,
    created_time: createdTime,
    modified_time: createdTime,
    release_time: createdTime,
    privacy: {
      view: isPublic ? "anybody" : "unlisted",
      embed: "public",
      download: false,
      add: true,
      comments: "anybody",
    },
    tags: [],
    categories: [],
    parent_folder: null,
    spatial: null,
    stats: { plays: 20 },
    status: { ready: "available", preparing: "transcoding", errored: "transcoding_error", live: "available" }[state],
    transcode: { status: { ready: "complete", preparing: "in_progress", errored: "error", live: "complete" }[state] },
    metadata: {
      connections: {
        texttracks: { uri: `/videos/${id}/texttracks`, options: ["GET", "POST"], total: captions.length },
      },
    },
    ...filesOf(video, origin, expiresMs),
    ...own,
  };
}

function filesOf({ id, clip, state }: StandInVideo, origin: string, expiresMs: number) {
  if (state !== "ready") return { download: [], files: [] };
  const file = (quality: string, height: number, size: number) => ({
    quality,
    rendition: quality === "source" ? "source" : `${height}p`,
    type: "video/mp4",
    width: Math.round((clip.widthPx * height) / clip.heightPx),
    height,
    fps: 25,
    size,
    link: `${origin}/links/${id}/${quality}-${height}.mp4?exp=${expiresMs}`,
  });
  const expires = new Date(expiresMs).toISOString();
  const small = Math.round(clip.content.size / 2);
  return {
    download: [
      { ...file("sd", 180, small), expires, public_name: "SD 180p" },
      { ...file("source", clip.heightPx, clip.content.size), expires, public_name: "Original" },
    ],
    files: [
      file("sd", 180, small),
      {
        quality: "hls",
        type: "video/mp4",
        link: `${origin}/links/${id}/master.m3u8?exp=${expiresMs}`,
        size: clip.content.size,
      },
    ],
  };
}

export function vimeoTracks({ id, captions }: StandInVideo, origin: string): unknown[] {
  return captions.map(({ languageCode, name }, index) => ({
    uri: `/videos/${id}/texttracks/${index + 1}`,
    active: true,
    type: "subtitles",
    language: languageCode,
    name,
    link: `${origin}/tracks/${id}/${languageCode}.vtt`,
    link_expires_time: Math.floor(Date.now() / 1000) + 86_400,
  }));
}

/** Of an object or of each of an array, the fields at paths of names; a name that is not there leaves nothing. */
export function picked(value: unknown, paths: string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => picked(item, paths));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    if (paths.includes(name)) return [[name, inner] as const];
    const within = paths.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1));
    return within.length === 0 ? [] : [[name, picked(inner, within)] as const];
  });
  return Object.fromEntries(entries);
}
