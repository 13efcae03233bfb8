import { spokenCodeOf } from "../../ai/providers/index.ts";
import { Problem } from "../../platform/http/problems.ts";
import { findReadyRenditions } from "../assets/repository.ts";
import { heardSound } from "./store/heard-sound.ts";
import type { AddedTrack } from "./store/repository.ts";
import type { CaptionOrder } from "./store/tables.ts";

/** The first sound of a source, which is the default one until the renditions say more. */
const FIRST_SOUND = "a1";

/**
 * Captions of one sound in one language are made once (media contract, in-video AI), whatever the track is named, because they are of what is spoken. Tracks that have
 * failed do not count, and neither do captions that were taken from the source.
 *
 * @returns the check of a media's tracks. It throws {Problem} captions_exist
 */
export async function requireNotMade(
  binding: D1Database,
  assetId: string,
  order: CaptionOrder,
): Promise<(tracks: readonly AddedTrack[]) => void> {
  const rows = await findReadyRenditions(binding, assetId);
  const soundOf = (wanted: string | null) =>
    (rows === "processing" ? undefined : heardSound(rows, wanted)?.name) ?? wanted ?? FIRST_SOUND;
  const isSame = (track: AddedTrack) =>
    track.generated !== null &&
    track.status !== "failed" &&
    track.generated.translatedFrom === undefined &&
    track.captions?.generated?.takenFrom === undefined &&
    soundOf(track.generated.sound) === soundOf(order.sound) &&
    isSpokenIn(track, order.languageCode);
  return (tracks) => {
    const same = tracks.find(isSame);
    if (same === undefined) return;
    const how = "captions of this sound in this language exist, or are being made: delete that track to make others";
    throw new Problem("captions_exist", `the track ${same.id}: ${how}`);
  };
}

/** By what a track was asked to be, else by what was heard. While that is not known yet, it may be any language. */
function isSpokenIn({ generated, captions, languageCode, status }: AddedTrack, wanted: string | null): boolean {
  const heard = generated?.languageCode ?? captions?.generated?.languageCode ?? null;
  const spoken = heard ?? (languageCode === "und" ? null : spokenCodeOf(languageCode));
  return spoken === wanted || (spoken === null && status === "preparing");
}
