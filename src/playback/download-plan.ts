import { type DownloadTracks, downloadTracks } from "../media/download/tracks.ts";
import type { Rendition } from "../media/manifest/model.ts";
import { type Selection, selectRungs } from "../media/manifest/selection.ts";

/** The files for download (media contract, playback). */
export type DownloadFile = "capped-4k" | "audio";

/** The longer edge of 3840 × 2160. Larger pictures are not in the file. */
const MOST_EDGE_PX = 3840;

/**
 * @param offered the renditions of a ready asset that the playback ID offers
 * @param selection of the viewer. It is applied to the rungs that can be in a file, so that the nearest of these is found
 * @returns null when the asset has no such file: it lacks the track, or its broadcast changed its format
 */
export function planDownload(
  file: DownloadFile,
  offered: { video: readonly Rendition[]; audio: readonly Rendition[] },
  selection: Selection,
): DownloadTracks | null {
  const audio = offered.audio.find(({ isDefault }) => isDefault) ?? offered.audio[0];
  if (file === "audio") return audio === undefined ? null : downloadTracks([audio]);
  // Of a clip, the largest rung may have several init segments, and the others one.
  const possible = offered.video.filter((video) => edgePx(video) <= MOST_EDGE_PX && downloadTracks([video]) !== null);
  const [video] = selectRungs(possible, { ...selection, order: "desc" });
  if (video === undefined) return null;
  return downloadTracks(audio === undefined ? [video] : [video, audio]);
}

const edgePx = ({ widthPx, heightPx }: Rendition) => Math.max(widthPx ?? 0, heightPx ?? 0);
