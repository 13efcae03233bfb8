import { addCaptionTrack } from "../../library/tracks/index.ts";
import { CaptionsError } from "../../media/captions/cue.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Env } from "../../platform/env.ts";
import { log, logWarning } from "../../platform/log.ts";
import type { RecordedSession } from "../origin/recorded/recorded-session.ts";
import { broadcastCaptions, type CaptionRange } from "./broadcast-captions.ts";

/**
 * Makes subtitle tracks of a recording, or of a clip, out of the captions of its broadcast. Called before the media is ready, so that its
 * first players find them. Repeatable. Captions that a track cannot hold are logged: they make no track.
 *
 * @param media the range as on-demand media
 */
export async function addBroadcastCaptions(
  env: Env,
  ids: { mediaId: string; sessionId: string },
  media: RecordedSession,
  range: CaptionRange,
  now: Date,
): Promise<void> {
  const { mediaId } = ids;
  for await (const { name, labels, cues } of broadcastCaptions(env, ids, media, range)) {
    if (cues.length === 0) continue;
    const trackId = await derivedId("captions of a broadcast", mediaId, name);
    try {
      const added = await addCaptionTrack(env, { assetId: mediaId, trackId }, labels, { cues, skipped: 0 }, now);
      await added?.committed.wake();
      log("captions.added", { assetId: mediaId, trackId, channel: name, cueCount: cues.length });
    } catch (error) {
      if (!(error instanceof CaptionsError)) throw error;
      logWarning("captions.left_out", { assetId: mediaId, channel: name, code: error.code });
    }
  }
}
