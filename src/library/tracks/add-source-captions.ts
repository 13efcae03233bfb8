import type { CaptionsResult } from "../../../protocol/captions.ts";
import type { SourceSubtitles } from "../../../protocol/source-facts.ts";
import { CaptionsError } from "../../media/captions/cue.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { addCaptionTrack } from "./add-caption-track.ts";
import { labelsOf, leaveOut, readSourceCaptions, storedCaptionsKey } from "./read-source-captions.ts";

/**
 * Makes a track of a subtitle stream of a source, out of the file that an encoder has stored, which is deleted. Repeatable. Captions that
 * cannot be used are logged: they make no track.
 */
export async function addSourceCaptions(
  env: Env,
  assetId: string,
  facts: SourceSubtitles,
  found: CaptionsResult["streams"][number],
  nowMs: number,
): Promise<void> {
  const stream = { assetId, facts };
  const captions = await readSourceCaptions(env, stream, found);
  const { streamIndex, codec, channel } = facts;
  if (captions !== null) {
    const trackId = await derivedId(
      "captions of a source",
      assetId,
      streamIndex,
      ...(channel === undefined ? [] : [channel]),
    );
    try {
      const added = await addCaptionTrack(env, { assetId, trackId }, labelsOf(facts), captions, new Date(nowMs));
      await added?.committed.wake();
      log("captions.added", { assetId, trackId, streamIndex, codec, channel, cueCount: captions.cues.length });
    } catch (error) {
      if (!(error instanceof CaptionsError)) throw error;
      leaveOut(stream, error.code);
    }
  }
  await env.MEDIA.delete(storedCaptionsKey(stream));
}
