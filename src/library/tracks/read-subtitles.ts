import type { Cue } from "../../media/captions/cue.ts";
import { parseWebVtt } from "../../media/captions/webvtt.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { captionsKey } from "../../platform/storage/keys.ts";
import { addedTracksOf, type AddedTrack } from "./store/repository.ts";

/** The subtitles of a media that the platform has made, not those of files that were added to it. One track at a time. */
export async function* readSubtitles(env: Env, assetId: string): AsyncGenerator<{ track: AddedTrack; cues: Cue[] }> {
  const tracks = await addedTracksOf(openDatabase(env.DB), [assetId]);
  for (const track of tracks) {
    if (track.kind !== "subtitle" || track.url !== null || track.status !== "available") continue;
    const object = await env.MEDIA.get(captionsKey(assetId, track.id, "whole.vtt", track.captions?.folder));
    if (object !== null) yield { track, cues: parseWebVtt(await object.text()).cues };
  }
}
