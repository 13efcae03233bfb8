import type { Captions } from "../../../media/captions/read-captions.ts";
import { cutSegments } from "../../../media/captions/segments.ts";
import { writeSrt, writeTxt, writeVtt } from "../../../media/captions/write.ts";
import type { Env } from "../../../platform/env.ts";
import { captionsKey } from "../../../platform/storage/keys.ts";
import type { Word } from "../../../ai/captions/index.ts";
import type { CaptionFacts } from "./tables.ts";

/** The objects of the captions of a track. */
export const FILES = ["segments", "segments.json", "whole.vtt", "whole.srt", "whole.txt"] as const;
/** When each word of generated captions is said. */
export const WORDS = "words.json";
type CaptionsFile = (typeof FILES)[number];

/**
 * Stores the captions of a track: the whole files that viewers may download, and the segments. The same captions give the same objects, so a
 * repeat is harmless; a text that replaces them has a folder of its own.
 *
 * @throws {CaptionsError} captions_too_dense, before anything is stored
 */
export async function storeCaptions(
  { MEDIA }: Pick<Env, "MEDIA">,
  { assetId, trackId, folder }: { assetId: string; trackId: string; folder?: string },
  { cues, skipped, format, encoding }: Pick<Captions, "cues" | "skipped"> & Partial<Captions>,
): Promise<CaptionFacts> {
  const put = (file: string, body: string | Uint8Array) => MEDIA.put(captionsKey(assetId, trackId, file, folder), body);
  const { bodies, lengths, peakBps, averageBps } = cutSegments(cues);
  const contents: Record<CaptionsFile, () => string | Uint8Array> = {
    segments: () => bodies,
    "segments.json": () => JSON.stringify({ lengths }),
    "whole.vtt": () => writeVtt(cues),
    "whole.srt": () => writeSrt(cues),
    "whole.txt": () => writeTxt(cues),
  };
  for (const file of FILES) await put(file, contents[file]());
  return {
    ...(format === undefined ? {} : { format }),
    ...(encoding === undefined ? {} : { encoding }),
    cueCount: cues.length,
    skippedCues: skipped,
    peakBps,
    averageBps,
  };
}

/** Stores when each word of generated captions is said, for `/{playbackId}/text/{trackId}.json`. */
export const storeWords = (
  { MEDIA }: Pick<Env, "MEDIA">,
  { assetId, trackId }: { assetId: string; trackId: string },
  words: readonly Word[],
): Promise<unknown> =>
  MEDIA.put(captionsKey(assetId, trackId, WORDS), JSON.stringify({ words: words.map(toTimedWord) }));

const toTimedWord = ({ startMs, endMs, text }: Word) => ({
  startMs: Math.round(startMs),
  endMs: Math.round(endMs),
  text,
});
