import type { AssetRecord } from "./repository.ts";

/** Where the WebVTT of a subtitle track is. Null = the media has no playback ID. */
export const textUrl = (
  { asset, playbackIds }: Pick<AssetRecord, "asset" | "playbackIds">,
  trackId: string,
): string | null => {
  const [playbackId] = playbackIds;
  return playbackId === undefined ? null : `${asset.publicUrl}/${playbackId.id}/text/${trackId}.vtt`;
};
