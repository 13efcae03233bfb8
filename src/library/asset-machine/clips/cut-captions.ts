import type { ClipRange } from "../../../../protocol/jobs.ts";
import { cutCues } from "../../../media/clips/cut-cues.ts";
import { parseWebVtt } from "../../../media/captions/webvtt.ts";
import { derivedId } from "../../../platform/crypto/derived-id.ts";
import { openDatabase } from "../../../platform/database.ts";
import { captionsKey } from "../../../platform/storage/keys.ts";
import { addCaptionTrack } from "../../tracks/add-caption-track.ts";
import { addedTracksOf } from "../../tracks/store/repository.ts";
import type { AssetComponents } from "../core/components.ts";

/**
 * Gives a clip the captions of its media: the cues between its times, moved to its start. A track without any there is left out, and so is one whose
 * media has been purged. Repeatable.
 */
export async function addCutCaptions({ asset, clock, env }: AssetComponents, sourceId: string, range: ClipRange) {
  const tracks = await addedTracksOf(openDatabase(env.DB), [sourceId]);
  for (const track of tracks) {
    if (track.kind !== "subtitle" || track.status !== "available") continue;
    if (track.captions?.generated?.takenFrom !== undefined) continue; // the clip gets those of the other track
    const object = await env.MEDIA.get(captionsKey(sourceId, track.id, "whole.vtt", track.captions?.folder));
    const cues = object === null ? [] : cutCues(parseWebVtt(await object.text()).cues, range);
    if (cues.length === 0) continue;
    const trackId = await derivedId("captions of a clip", asset.id, track.id);
    const { languageCode, languageName, title, isDefault, isForced, isClosedCaptions } = track;
    const labels = {
      languageCode,
      languageName,
      ...(title === null ? {} : { title }),
      default: isDefault,
      forced: isForced,
      closedCaptions: isClosedCaptions,
    };
    const added = await addCaptionTrack(
      env,
      { assetId: asset.id, trackId },
      labels,
      { cues, skipped: 0 },
      new Date(clock()),
    );
    await added?.committed.wake();
  }
}
