import { CAPTIONS_FILE, CaptionsFile, captionsRendition, type CaptionsResult } from "../../../protocol/captions.ts";
import type { SourceSubtitles } from "../../../protocol/source-facts.ts";
import { CaptionsError, type Cue } from "../../media/captions/cue.ts";
import { readEmbedded } from "../../media/captions/embedded.ts";
import { languageName, languageTag } from "../../media/languages.ts";
import type { Env } from "../../platform/env.ts";
import { logWarning } from "../../platform/log.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import type { TrackLabels } from "./add-caption-track.ts";

/** A subtitle stream, or a channel of one, of a file of an asset. */
export interface SourceStream {
  assetId: string;
  /** Of a further file of a montage; absent = of the source. */
  file?: number | undefined;
  facts: SourceSubtitles;
}

/** The key of what an encoder has read of a stream. */
export const storedCaptionsKey = ({ assetId, file, facts }: SourceStream) =>
  renditionKey(assetId, captionsRendition({ ...facts, file }), CAPTIONS_FILE);

/** Logs that captions of a source cannot be used: they make no track. */
export const leaveOut = ({ assetId, file, facts: { streamIndex, codec, channel } }: SourceStream, code: string): void =>
  logWarning("captions.left_out", { assetId, file, streamIndex, codec, channel, code });

/** The captions that an encoder has stored; null when they cannot be used, which is logged, or are no longer stored. */
export async function readSourceCaptions(
  env: Env,
  stream: SourceStream,
  { cueCount, skippedCues, isTooLarge }: CaptionsResult["streams"][number],
): Promise<{ cues: Cue[]; skipped: number } | null> {
  const leftOut = (code: string) => {
    leaveOut(stream, code);
    return null;
  };
  if (isTooLarge) return leftOut("captions_too_large");
  if (cueCount === 0) return leftOut("captions_empty");
  const object = await env.MEDIA.get(storedCaptionsKey(stream));
  if (object === null) return null; // a repeat: the track is there
  try {
    const { cues, skipped } = readEmbedded(stream.facts.codec, CaptionsFile.parse(await object.json()));
    return { cues, skipped: skipped + skippedCues };
  } catch (error) {
    if (!(error instanceof CaptionsError)) throw error;
    return leftOut(error.code);
  }
}

export function labelsOf(facts: SourceSubtitles): TrackLabels {
  const languageCode = languageTag(facts.languageCode);
  return {
    languageCode,
    languageName: (languageCode === "und" && channelName(facts)) || languageName(languageCode),
    ...(facts.title.trim() === "" ? {} : { title: facts.title }),
    default: false, // containers flag their first stream when nobody chose one, and viewers would get captions unasked
    forced: facts.isForced,
    closedCaptions: facts.isHearingImpaired,
  };
}

/** What players list for a channel whose language is not known, such as "CC1"; "" for a stream. */
const channelName = ({ codec, channel = "" }: SourceSubtitles): string =>
  codec === "dvb_teletext" ? `Teletext ${channel}` : channel;
