import type { ClipRange } from "../../../../protocol/jobs.ts";
import { cutCues } from "../../../media/clips/cut-cues.ts";
import { parseWebVtt } from "../../../media/captions/webvtt.ts";
import { derivedId } from "../../../platform/crypto/derived-id.ts";
import { openDatabase } from "../../../platform/database.ts";
import { captionsKey } from "../../../platform/storage/keys.ts";
import { addCaptionTrack } from "../../tracks/add-caption-track.ts";
import type { Env } from "../../../platform/env.ts";
import { type AddedTrack, addedTracksOf } from "../../tracks/store/repository.ts";
import { storeWords, WORDS } from "../../tracks/store/store-captions.ts";
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
    const { generated } = track;
    const madeOf = track.captions?.generated;
    const added = await addCaptionTrack(
      env,
      { assetId: asset.id, trackId },
      generated === null ? labels : { ...labels, generated },
      { cues, skipped: 0, ...(madeOf === undefined ? {} : { generated: { ...madeOf, ...NOT_HEARD_AGAIN } }) },
      new Date(clock()),
    );
    if (generated !== null) await cutWords(env, { sourceId, track, clipId: asset.id, trackId }, range);
    await added?.committed.wake();
  }
}

/** What a clip takes over has cost nothing. */
const NOT_HEARD_AGAIN = {
  pieces: 0,
  soundSeconds: 0,
  units: { unit: "second", quantity: 0 },
  costUsd: 0,
  tookMs: 0,
} as const;

/** When each word is said, moved to the start of the clip. */
async function cutWords(
  env: Env,
  { sourceId, track, clipId, trackId }: { sourceId: string; track: AddedTrack; clipId: string; trackId: string },
  { startMs, endMs }: ClipRange,
): Promise<void> {
  const object = await env.MEDIA.get(captionsKey(sourceId, track.id, WORDS, track.captions?.folder));
  if (object === null) return;
  const { words } = await object.json<{ words: { startMs: number; endMs: number; text: string }[] }>();
  const spoken = words
    .filter((word) => word.endMs > startMs && word.startMs < (endMs ?? Infinity))
    .map(({ text, ...word }) => ({
      text,
      startMs: Math.max(0, word.startMs - startMs),
      endMs: Math.min(word.endMs, endMs ?? Infinity) - startMs,
      hasSpace: true,
    }));
  await storeWords(env, { assetId: clipId, trackId }, spoken);
}
