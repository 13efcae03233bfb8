import { type DownloadTracks, downloadTracks } from "../media/download/tracks.ts";
import type { Rendition } from "../media/manifest/model.ts";

/** The files for download (media contract, playback). */
export type DownloadFile = "capped-4k" | "audio";

/** The longer edge of 3840 × 2160. Larger pictures are not in the file. */
const MOST_EDGE_PX = 3840;

/**
 * @param offered the renditions of a ready asset that the playback ID offers
 * @returns null when the asset has no such file: it lacks the track, or its broadcast changed its format
 */
export function planDownload(
  file: DownloadFile,
  offered: { video: readonly Rendition[]; audio: readonly Rendition[] },
): DownloadTracks | null {
  const audio = offered.audio.find(({ isDefault }) => isDefault) ?? offered.audio[0];
  if (file === "audio") return audio === undefined ? null : downloadTracks([audio]);
  const fitting = offered.video.filter((rendition) => edgePx(rendition) <= MOST_EDGE_PX);
  // Of a clip, the largest rung may have several init segments, and the others one.
  for (const video of fitting.toSorted((a, b) => edgePx(b) - edgePx(a))) {
    const tracks = downloadTracks(audio === undefined ? [video] : [video, audio]);
    if (tracks !== null) return tracks;
  }
  return null;
}

const edgePx = ({ widthPx, heightPx }: Rendition) => Math.max(widthPx ?? 0, heightPx ?? 0);
