import type { Captions } from "../../../media/captions/read-captions.ts";
import { cutSegments } from "../../../media/captions/segments.ts";
import { writeSrt, writeTxt, writeVtt } from "../../../media/captions/write.ts";
import type { Env } from "../../../platform/env.ts";
import { captionsKey } from "../../../platform/storage/keys.ts";
import type { CaptionFacts } from "./tables.ts";

/**
 * Stores the captions of a track: the whole files that viewers may download, and the segments. The same captions give the same objects, so a
 * repeat is harmless; a track's captions never change afterwards.
 *
 * @throws {CaptionsError} captions_too_dense, before anything is stored
 */
export async function storeCaptions(
  { MEDIA }: Pick<Env, "MEDIA">,
  { assetId, trackId }: { assetId: string; trackId: string },
  { cues, skipped, format, encoding }: Pick<Captions, "cues" | "skipped"> & Partial<Captions>,
): Promise<CaptionFacts> {
  const put = (file: string, body: string | Uint8Array) => MEDIA.put(captionsKey(assetId, trackId, file), body);
  const { bodies, lengths, peakBps, averageBps } = cutSegments(cues);
  await put("segments", bodies);
  await put("segments.json", JSON.stringify({ lengths }));
  await put("whole.vtt", writeVtt(cues));
  await put("whole.srt", writeSrt(cues));
  await put("whole.txt", writeTxt(cues));
  return {
    ...(format === undefined ? {} : { format }),
    ...(encoding === undefined ? {} : { encoding }),
    cueCount: cues.length,
    skippedCues: skipped,
    peakBps,
    averageBps,
  };
}
