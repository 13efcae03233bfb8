import type { AssetRecord } from "../../assets/repository.ts";
import { type AssetError, NO_TRANSCRIPT } from "../../assets/asset-error.ts";
import type { AddedTrack } from "../../tracks/store/repository.ts";

/** Made of the sound, and not a translation. */
const isHeard = ({ generated }: AddedTrack): boolean => generated !== null && generated.translatedFrom === undefined;

/** The subtitles of a media that say what is spoken. "expected" = they are being prepared. */
export function findTranscript({
  addedTracks,
}: Pick<AssetRecord, "addedTracks">): AddedTrack | "expected" | AssetError {
  const texts = addedTracks.filter(({ kind, isForced }) => kind === "subtitle" && !isForced);
  const available = texts.filter(({ status }) => status === "available");
  // Those that were made of the sound are in the spoken language; others may be translations.
  const best = available.find(isHeard) ?? available.find(({ generated }) => generated === null) ?? available[0];
  const isMade = texts.some((track) => isHeard(track) && track.status === "preparing");
  const isComing = texts.some(({ status }) => status === "preparing");
  if (best !== undefined && isHeard(best)) return best;
  if (isMade || (best === undefined && isComing)) return "expected";
  if (best !== undefined) return best;
  const failed = texts.find((track) => isHeard(track) && track.errorCode !== null);
  if (failed === undefined) return NO_TRANSCRIPT;
  return { code: failed.errorCode!, message: failed.errorMessage ?? "", fault: failed.errorFault ?? "service" };
}
