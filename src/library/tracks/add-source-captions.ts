import {
  CAPTIONS_FILE,
  CaptionsFile,
  captionsRendition,
  type CaptionsResult,
  type SourceSubtitles,
} from "../../../protocol/jobs.ts";
import { CaptionsError } from "../../media/captions/cue.ts";
import { readEmbedded } from "../../media/captions/embedded.ts";
import { languageName, languageTag } from "../../media/languages.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Env } from "../../platform/env.ts";
import { log, logWarning } from "../../platform/log.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { addCaptionTrack } from "./add-caption-track.ts";

/**
 * Makes a track of a subtitle stream of a source, out of the file that an encoder has stored, which is deleted. Repeatable. Captions that
 * cannot be used are logged: they make no track.
 */
export async function addSourceCaptions(
  env: Env,
  assetId: string,
  facts: SourceSubtitles,
  { cueCount, skippedCues, isTooLarge }: CaptionsResult["streams"][number],
  nowMs: number,
): Promise<void> {
  const { streamIndex, codec, channel, title } = facts;
  const leftOut = (code: string) => logWarning("captions.left_out", { assetId, streamIndex, codec, channel, code });
  if (isTooLarge) return leftOut("captions_too_large");
  if (cueCount === 0) return leftOut("captions_empty");
  const key = renditionKey(assetId, captionsRendition(facts), CAPTIONS_FILE);
  const object = await env.MEDIA.get(key);
  if (object === null) return; // a repeat: the track is there
  try {
    const { cues, skipped } = readEmbedded(codec, CaptionsFile.parse(await object.json()));
    const trackId = await derivedId(
      "captions of a source",
      assetId,
      streamIndex,
      ...(channel === undefined ? [] : [channel]),
    );
    const languageCode = languageTag(facts.languageCode);
    const labels = {
      languageCode,
      languageName: (languageCode === "und" && channelName(facts)) || languageName(languageCode),
      ...(title.trim() === "" ? {} : { title }),
      default: false, // containers flag their first stream when nobody chose one, and viewers would get captions unasked
      forced: facts.isForced,
      closedCaptions: facts.isHearingImpaired,
    };
    const captions = { cues, skipped: skipped + skippedCues };
    const added = await addCaptionTrack(env, { assetId, trackId }, labels, captions, new Date(nowMs));
    await added?.committed.wake();
    log("captions.added", { assetId, trackId, streamIndex, codec, channel, cueCount: cues.length });
  } catch (error) {
    if (!(error instanceof CaptionsError)) throw error;
    leftOut(error.code);
  }
  await env.MEDIA.delete(key);
}

/** What players list for a channel whose language is not known, such as "CC1"; "" for a stream. */
const channelName = ({ codec, channel = "" }: SourceSubtitles): string =>
  codec === "dvb_teletext" ? `Teletext ${channel}` : channel;
