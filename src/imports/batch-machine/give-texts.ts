import { addCaptionTrack } from "../../library/tracks/index.ts";
import { CaptionsError } from "../../media/captions/cue.ts";
import { readCaptions } from "../../media/captions/read-captions.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import type { Difference } from "../batches/batch-calls.ts";
import type { LabelledText } from "./media-body.ts";

/**
 * Makes subtitle tracks of captions whose text the source has given. Repeatable: the id of a track follows from the media and its place.
 *
 * @returns what could not be used
 */
export async function giveTexts(
  env: Env,
  mediaId: string,
  texts: readonly LabelledText[],
  now: Date,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const [place, { text, ...labels }] of texts.entries()) {
    const trackId = await derivedId("captions of a migration", mediaId, place);
    try {
      const captions = readCaptions(new TextEncoder().encode(text), labels.languageCode);
      const added = await addCaptionTrack(env, { assetId: mediaId, trackId }, labels, captions, now);
      await added?.committed.wake();
      log("captions.added", { assetId: mediaId, trackId, cueCount: captions.cues.length });
    } catch (error) {
      if (!(error instanceof CaptionsError)) throw error;
      differences.push({
        field: "captions",
        message: `those in ${labels.languageName} cannot be used (${error.code})`,
      });
    }
  }
  return differences;
}
