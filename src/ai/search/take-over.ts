import { CaptionsError } from "../../media/captions/cue.ts";
import { plainText } from "../../media/captions/markup.ts";
import { parseWebVtt } from "../../media/captions/webvtt.ts";
import type { Env } from "../../platform/env.ts";
import { log, logWarning } from "../../platform/log.ts";
import { captionsKey } from "../../platform/storage/keys.ts";
import type { SearchComponents } from "./components.ts";
import { type CueIndex, type IndexedCue, TITLE } from "./cue-index.ts";
import type { MediaTexts } from "./media-texts.ts";

/** Of one track. They are replaced in one commit, and the object answers nothing meanwhile. */
const MAX_TRACK_CUES = 50_000;
/** Titles included. */
const MAX_WORKSPACE_CUES = 10_000_000;
/** A Durable Object's SQLite has room for 10 GB (Cloudflare's limits). The rest is for what replaces the texts that are there. */
const MAX_BYTES = 8_000_000_000;

type IndexedTrack = MediaTexts["tracks"][number];

/**
 * Makes the index of a media what D1 says of it. Texts that are indexed in the same version are neither read nor written, so a repeat costs little.
 *
 * @returns how many texts were read
 */
export async function takeOver({ env, index }: SearchComponents, texts: MediaTexts): Promise<number> {
  const { mediaId, createdMs: mediaCreatedMs, title, tracks } = texts;
  const hasTitle = title !== null && title !== "";
  index.removeExcept(mediaId, new Set([...(hasTitle ? [TITLE] : []), ...tracks.map(({ id }) => id)]));
  if (hasTitle && index.titleOf(mediaId) !== title) putTitle(index, { mediaId, mediaCreatedMs }, title);
  let read = 0;
  for (const track of tracks) {
    const known = index.documentsOf(mediaId).find(({ trackId }) => trackId === track.id);
    // For one that was left out there may be room now.
    const isIndexed = known?.version === track.version && (known.cues > 0 || known.leftOut === 0);
    if (isIndexed) continue;
    putTrack(index, texts, track, await readCues(env, mediaId, track));
    read += 1;
  }
  return read;
}

function putTitle(index: CueIndex, media: { mediaId: string; mediaCreatedMs: number }, title: string): void {
  const document = { ...media, trackId: TITLE, version: 0 };
  if (roomIn(index) > 0) return index.putTitle(media, title);
  index.put(document, [], 1);
  logWarning("search.full", { assetId: media.mediaId, leftOut: 1 });
}

function putTrack(
  index: CueIndex,
  { mediaId, createdMs: mediaCreatedMs }: MediaTexts,
  { id: trackId, version }: IndexedTrack,
  cues: readonly IndexedCue[],
): void {
  const ofTrack = Math.min(cues.length, MAX_TRACK_CUES);
  const replaced = index.documentsOf(mediaId).find((one) => one.trackId === trackId)?.cues ?? 0;
  const isFull = roomIn(index) + replaced < ofTrack;
  const taken = isFull ? [] : cues.slice(0, ofTrack);
  const facts = { assetId: mediaId, trackId, version, cues: taken.length, leftOut: cues.length - taken.length };
  index.put({ mediaId, trackId, version, mediaCreatedMs }, taken, facts.leftOut);
  if (isFull) logWarning("search.full", facts);
  else if (facts.leftOut > 0) logWarning("search.track_too_long", facts);
  else log("search.indexed", facts);
}

/** Cues that may be added. */
const roomIn = ({ bytes, totals }: CueIndex): number => (bytes > MAX_BYTES ? 0 : MAX_WORKSPACE_CUES - totals.cues);

/** The captions of a track without markup. Without its object there are none: it has been deleted or replaced since, which is a change of its own. */
async function readCues(env: Env, assetId: string, { id: trackId, folder }: IndexedTrack): Promise<IndexedCue[]> {
  const object = await env.MEDIA.get(captionsKey(assetId, trackId, "whole.vtt", folder));
  if (object === null) {
    logWarning("search.text_missing", { assetId, trackId });
    return [];
  }
  try {
    return parseWebVtt(await object.text()).cues.map(({ startMs, endMs, text }) => ({
      startMs,
      endMs,
      text: plainText(text),
    }));
  } catch (error) {
    if (!(error instanceof CaptionsError)) throw error;
    logWarning("search.text_unreadable", { assetId, trackId, code: error.code });
    return [];
  }
}
