import { readSubtitles, type TrackLabels } from "../../library/tracks/index.ts";
import type { Cue } from "../../media/captions/cue.ts";
import { languageName } from "../../media/languages.ts";
import { channelLabel } from "../../media/live/captions.ts";
import { RecordedCues } from "../../media/live/recorded-cues.ts";
import type { Env } from "../../platform/env.ts";
import { logWarning } from "../../platform/log.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { FoundRange, RecordedSession } from "../origin/recorded/recorded-session.ts";

/** Segments of a session, and their times as on-demand media. */
export type CaptionRange = Omit<FoundRange, "kind">;

/** Captions of a broadcast as a track of its recording, or of a clip. Times are those of the recording or clip. */
export interface BroadcastCaptions {
  /** Name of the channel, or of the recording's track: unique within the broadcast. */
  name: string;
  labels: TrackLabels;
  cues: Cue[];
}

/**
 * The captions that the picture of a broadcast has carried: from the session's index or, when that has been deleted, from the subtitle tracks
 * of its recording. One channel at a time.
 *
 * @param mediaId of the recording or clip
 * @param media the same range as on-demand media
 */
export async function* broadcastCaptions(
  env: Env,
  { mediaId, sessionId }: { mediaId: string; sessionId: string },
  media: RecordedSession,
  range: CaptionRange,
): AsyncGenerator<BroadcastCaptions> {
  const channels = await originOf(env, sessionId).captionChannels();
  if (channels === null) return mediaId === sessionId ? undefined : yield* ofRecording(env, sessionId, range);
  for (const { name, languageCode, isSubtitle } of channels) {
    const label = languageCode === "und" ? channelLabel(name) : languageName(languageCode);
    const labels = { languageCode, languageName: label, forced: false, closedCaptions: isSubtitle !== true };
    yield { name, labels, cues: await cuesOf(env, sessionId, name, media, range) };
  }
}

async function cuesOf(
  env: Env,
  sessionId: string,
  channel: string,
  { renditions, variants }: RecordedSession,
  { first, last }: CaptionRange,
): Promise<Cue[]> {
  const isVideo = (rendition: { name: string }) =>
    variants.some(({ name, kind }) => name === rendition.name && kind === "video");
  const recorded = new RecordedCues(
    renditions.toSorted((a, b) => Number(isVideo(b)) - Number(isVideo(a))),
    first,
  );
  for (let next: number | null = first; next !== null && !recorded.isFull;) {
    const page = await originOf(env, sessionId).captionPage(channel, { first: next, last });
    for (const { msn, cues } of page.segments) recorded.add(msn, cues);
    next = page.nextMsn;
  }
  if (recorded.isFull) logWarning("live.captions_cut", { sessionId, channel });
  return recorded.cues;
}

async function* ofRecording(
  env: Env,
  sessionId: string,
  { startSeconds, endSeconds }: CaptionRange,
): AsyncGenerator<BroadcastCaptions> {
  const [startMs, endMs] = [startSeconds * 1000, endSeconds * 1000];
  for await (const { track, cues } of readSubtitles(env, sessionId)) {
    const { id, languageCode, languageName: label, title, isForced, isClosedCaptions } = track;
    const labels = { languageCode, languageName: label, forced: isForced, closedCaptions: isClosedCaptions };
    const cut = cues
      .map((cue) => ({ ...cue, startMs: Math.max(cue.startMs, startMs), endMs: Math.min(cue.endMs, endMs) }))
      .filter((cue) => cue.startMs < cue.endMs)
      .map((cue) => ({ ...cue, startMs: Math.round(cue.startMs - startMs), endMs: Math.round(cue.endMs - startMs) }));
    yield { name: id, labels: { ...labels, ...(title === null ? {} : { title }) }, cues: cut };
  }
}
