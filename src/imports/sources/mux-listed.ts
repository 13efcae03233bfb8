import type { ListedCaption, ListedVideo, SourcePlaybackId, SourcePolicy } from "./source.ts";
import { positiveOrNull, textOrNull } from "./read-answer.ts";
import type { Asset } from "./mux-answers.ts";

/** What `release` and `resolve` need: whether master access was on before the migration asked for it. */
export interface MuxRef extends Record<string, unknown> {
  masterAccess: "temporary" | "none";
}

const TIER_HEIGHTS: Record<string, number> = { "720p": 720, "1080p": 1080, "1440p": 1440, "2160p": 2160 };

/** @param streamBase where Mux plays videos, without a slash at its end */
export function listedVideo(asset: Asset, streamBase: string): ListedVideo {
  const playbackIds = (asset.playback_ids ?? []).map(({ id, policy }): SourcePlaybackId => ({
    id,
    policy: policyOf(policy),
  }));
  const { captions, left } = captionsOf(asset, playbackIds, streamBase);
  const ref: MuxRef = { masterAccess: asset.master_access === "temporary" ? "temporary" : "none" };
  return {
    id: asset.id,
    title: textOrNull(asset.meta?.title),
    createdAt: new Date(asset.created_at * 1000).toISOString(),
    durationMs: asset.duration == null || asset.duration <= 0 ? null : Math.round(asset.duration * 1000),
    bytes: null, // The master's size is unknown until it is fetched.
    ...dimensionsOf(asset),
    policy: strictest(playbackIds),
    playbackIds,
    creatorId: textOrNull(asset.meta?.creator_id),
    tags: [],
    folder: null,
    metadata: metadataOf(asset),
    captions,
    audioTracks: asset.tracks == null ? null : asset.tracks.filter(({ type }) => type === "audio").length,
    chapters: [],
    obstacle: obstacleOf(asset),
    left: [...left, ...leftOf(asset, playbackIds)],
    ref,
  };
}

/** A policy that is not known yet must not make a video public. */
function policyOf(policy: string): SourcePolicy {
  if (policy === "public" || policy === "drm") return policy;
  return "private";
}

/** An asset without playback IDs cannot be played by anybody, so it is private. */
function strictest(playbackIds: SourcePlaybackId[]): SourcePolicy {
  if (playbackIds.some(({ policy }) => policy === "drm")) return "drm";
  return playbackIds.length > 0 && playbackIds.every(({ policy }) => policy === "public") ? "public" : "private";
}

function dimensionsOf(asset: Asset): { widthPx: number | null; heightPx: number | null } {
  const track = asset.tracks?.find(({ type }) => type === "video");
  const [widthPx, heightPx] = [positiveOrNull(track?.max_width), positiveOrNull(track?.max_height)];
  if (widthPx !== null && heightPx !== null) return { widthPx, heightPx };
  const tierHeightPx = TIER_HEIGHTS[asset.resolution_tier ?? ""] ?? null;
  const [across, down] = (asset.aspect_ratio ?? "").split(":").map(Number);
  const ratio = across !== undefined && down !== undefined && down > 0 ? across / down : null;
  // A tier is the height of a picture that is wider than high; nothing is known of others.
  if (tierHeightPx === null || ratio === null || ratio < 1) return { widthPx: null, heightPx: null };
  return { widthPx: Math.round(tierHeightPx * ratio), heightPx: tierHeightPx };
}

function metadataOf({ meta, passthrough }: Asset): Record<string, string> {
  return {
    ...(textOrNull(meta?.external_id) === null ? {} : { external_id: meta?.external_id ?? "" }),
    ...(textOrNull(passthrough) === null ? {} : { passthrough: passthrough ?? "" }),
  };
}

function obstacleOf(asset: Asset): ListedVideo["obstacle"] {
  if (asset.status === "errored") {
    const [message] = asset.errors?.messages ?? [];
    return {
      code: "no_file",
      message: `Mux could not process the asset${message === undefined ? "." : `: ${message.slice(0, 300)}`}`,
    };
  }
  if (asset.is_live === true)
    return { code: "video_not_ready", message: "The live stream that this asset records is still active." };
  if (asset.status !== "ready") return { code: "video_not_ready", message: "Mux is still preparing the asset." };
  return null;
}

/** Tracks of subtitles have public addresses only below a public playback ID; the others need a signing key, which a migration has not. */
function captionsOf(
  asset: Asset,
  playbackIds: SourcePlaybackId[],
  streamBase: string,
): { captions: ListedCaption[]; left: string[] } {
  const texts = (asset.tracks ?? []).filter(
    ({ type, text_type: kind, status }) =>
      type === "text" && (kind ?? "subtitles") === "subtitles" && (status ?? "ready") === "ready",
  );
  const final = new Set(
    texts.filter((track) => track.text_source === "generated_live_final").map((track) => track.language_code),
  );
  const shown = texts.filter((track) => track.text_source !== "generated_live" || !final.has(track.language_code));
  const playbackId = playbackIds.find(({ policy }) => policy === "public")?.id;
  const captions: ListedCaption[] = [];
  const left: string[] = [];
  for (const { id, language_code: language, name } of shown) {
    const languageCode = textOrNull(language) ?? "und";
    if (playbackId === undefined || id == null) {
      left.push(`captions "${languageCode}": without a public playback ID they cannot be fetched`);
      continue;
    }
    const url = `${streamBase}/${encodeURIComponent(playbackId)}/text/${encodeURIComponent(id)}.vtt`;
    captions.push({ languageCode, name: textOrNull(name), url, text: null });
  }
  return { captions, left };
}

function leftOf(asset: Asset, playbackIds: SourcePlaybackId[]): string[] {
  const sounds = (asset.tracks ?? []).filter(({ type }) => type === "audio");
  const languages = sounds.map(({ language_code: code }) => textOrNull(code) ?? "und").join(", ");
  return [
    ...(asset.thumbnail_time == null ? [] : ["the time that was chosen for the thumbnail"]),
    ...(asset.test === true ? ["it is a test asset: Mux has burnt a watermark in and cut it to 10 seconds"] : []),
    ...(playbackIds.some(({ policy }) => policy === "drm") ? ["DRM: its configuration and keys are Mux's"] : []),
    ...(sounds.length > 1
      ? [`it is not certain that Mux's file has all ${sounds.length} audio tracks (${languages})`]
      : []),
  ];
}
