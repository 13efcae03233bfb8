import { imposedSourceKey, trackSourceKey } from "../../../platform/storage/keys.ts";
import type { CopyState } from "../../sources/copy-state.ts";
import type { PendingTrack } from "../core/track-store.ts";

/** One file of an audio track: its own, or a sound that is mixed into it. */
interface SoundFile {
  url: string;
  /** Key of the copy in R2. */
  key: string;
  copy: CopyState | null;
  /** The track's change when the copy has got this far. */
  change(copy: CopyState): Partial<PendingTrack>;
}

/** The files of an audio track, in the order in which they are copied. Pure. */
export function soundFiles({ id, assetId, url, copy, imposed, imposedCopies = [] }: PendingTrack): SoundFile[] {
  const own: SoundFile = {
    url: url ?? "",
    key: trackSourceKey(assetId, id),
    copy,
    change: (state) => ({ copy: state }),
  };
  const others = (imposed ?? []).map((file, position): SoundFile => ({
    url: file.url,
    key: imposedSourceKey(assetId, id, position),
    copy: imposedCopies[position] ?? null,
    change: (state) => ({ imposedCopies: [...imposedCopies.slice(0, position), state] }),
  }));
  return [own, ...others];
}

/** The copy that has begun and not ended. Files are copied one after the other. */
export const unfinishedCopy = (track: PendingTrack): SoundFile | undefined =>
  soundFiles(track).find(({ copy }) => copy?.done === false);
