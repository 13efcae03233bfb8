export interface PlaybackUrls {
  /** A hosted page, which may be embedded. */
  player: string;
  hls: string;
  dash: string;
}

/** Where a media or a stream plays. @param token for a private playback ID */
export function playbackUrls(baseUrl: string, playbackId: string, token?: string): PlaybackUrls {
  const query = token === undefined ? "" : `?token=${encodeURIComponent(token)}`;
  return {
    player: `${baseUrl}/player/${playbackId}${query}`,
    hls: `${baseUrl}/${playbackId}.m3u8${query}`,
    dash: `${baseUrl}/${playbackId}.mpd${query}`,
  };
}
