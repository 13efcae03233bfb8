import { partsOf, sentencesOf, type TextSource } from "../../../ai/text/index.ts";
import { parseWebVtt } from "../../../media/captions/webvtt.ts";
import { captionsKey } from "../../../platform/storage/keys.ts";
import type { AddedTrack } from "../../tracks/store/repository.ts";
import { currentOf } from "../../tracks/store/versions.ts";
import type { AssetComponents } from "../core/components.ts";

/**
 * The text of a subtitle track.
 *
 * @param partCharacters of the parts in which a provider reads it; null = it is read as a whole
 * @returns null when it was replaced or deleted meanwhile
 */
export async function readTranscript(
  { env }: AssetComponents,
  track: AddedTrack,
  durationMs: number | null,
  partCharacters: number | null,
): Promise<{ source: TextSource; read: { trackId: string; version: number } } | null> {
  const { version, folder } = currentOf(track);
  const stored = await env.MEDIA.get(captionsKey(track.assetId, track.id, "whole.vtt", folder));
  if (stored === null) return null;
  const sentences = sentencesOf(parseWebVtt(await stored.text()).sorted());
  const source = {
    sentences,
    parts: partCharacters === null ? [] : partsOf(sentences, partCharacters),
    durationMs: durationMs ?? sentences.at(-1)?.endMs ?? 0,
  };
  return { source, read: { trackId: track.id, version } };
}
