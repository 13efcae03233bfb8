import type { StandInVideo } from "./stand-in-library.ts";

/** Access to the file of highest quality, which a token may switch on for a day. */
export interface MuxMaster {
  access: "temporary" | "none";
  /** Reads of the asset until it is ready. */
  readsLeft: number;
  /** In its address; a new one each time. */
  signature: string;
}

export const NO_MASTER: MuxMaster = { access: "none", readsLeft: 0, signature: "" };

const POLICIES = { public: "public", private: "signed", drm: "drm" } as const;
const STATUSES = { ready: "ready", preparing: "preparing", errored: "errored", live: "ready" } as const;

export interface MuxAsset extends Record<string, unknown> {
  id: string;
  playback_ids: { id: string; policy: string }[];
  tracks: { type: string; id: string; language_code?: string }[];
  static_renditions?: { status?: string; files: { name: string; status?: string }[] };
}

const playbackIdOf = (video: StandInVideo) => `pb${video.id}`;
export const chaptersTrackIdOf = (video: StandInVideo) => `ct${video.id}`;
export const textTrackIdOf = (video: StandInVideo, languageCode: string) => `tt${video.id}${languageCode}`;

/** The asset as Mux's API has it: https://www.mux.com/docs/api-reference/video/assets, and the types of @mux/mux-node 15.3.0. */
export function muxAsset(video: StandInVideo, master: MuxMaster, origin: string): MuxAsset {
  const { clip } = video;
  const isReady = video.state === "ready";
  return {
    id: video.id,
    created_at: String(Math.floor(video.createdAtMs / 1000)),
    status: STATUSES[video.state],
    duration: clip.durationMs / 1000,
    aspect_ratio: "16:9",
    encoding_tier: "smart",
    video_quality: "plus",
    max_resolution_tier: "1080p",
    resolution_tier: "720p",
    max_stored_resolution: "SD",
    max_stored_frame_rate: 25,
    ingest_type: "on_demand_url",
    progress: { state: isReady ? "completed" : "ingesting", progress: isReady ? 100 : 40 },
    mp4_support: "none",
    ...(video.state === "live" ? { is_live: true, live_stream_id: `live-${video.id}` } : {}),
    ...(video.state === "errored" ? { errors: { type: "invalid_input", messages: ["The file is not a film."] } } : {}),
    meta: {
      ...(video.title === null ? {} : { title: video.title }),
      ...(video.creatorId === null ? {} : { creator_id: video.creatorId }),
    },
    playback_ids: [{ id: playbackIdOf(video), policy: POLICIES[video.policy] }],
    tracks: tracksOf(video),
    ...masterOf(video.id, master, origin),
    ...video.own,
  };
}

function tracksOf(video: StandInVideo): MuxAsset["tracks"] {
  const { clip, audioTracks, captions } = video;
  const seconds = clip.durationMs / 1000;
  const sounds = Array.from({ length: audioTracks }, (_, index) => ({
    type: "audio",
    id: `at${video.id}${index}`,
    status: "ready",
    max_channels: 2,
    duration: seconds,
    language_code: index === 0 ? "und" : "fr",
    name: index === 0 ? "Default" : "French",
    ...(index === 0 ? { primary: true } : {}),
  }));
  const texts = captions.map(({ languageCode, name }) => ({
    type: "text",
    text_type: "subtitles",
    text_source: "uploaded",
    id: textTrackIdOf(video, languageCode),
    status: "ready",
    language_code: languageCode,
    name,
    closed_captions: false,
  }));
  return [
    {
      type: "video",
      id: `vt${video.id}`,
      max_width: clip.widthPx,
      max_height: clip.heightPx,
      max_frame_rate: 25,
      duration: seconds,
    },
    ...sounds,
    ...texts,
    ...(video.chapters === undefined
      ? []
      : [
          {
            type: "text",
            text_type: "chapters",
            id: chaptersTrackIdOf(video),
            status: "ready",
            language_code: "en",
            name: "Chapters",
          },
        ]),
  ] as MuxAsset["tracks"];
}

function masterOf(id: string, master: MuxMaster, origin: string): Record<string, unknown> {
  if (master.access === "none") return { master_access: "none" };
  if (master.readsLeft > 0) return { master_access: "temporary", master: { status: "preparing" } };
  const url = `${origin}/master/${id}/master.mp4?skid=default&signature=${master.signature}`;
  return { master_access: "temporary", master: { status: "ready", url } };
}
