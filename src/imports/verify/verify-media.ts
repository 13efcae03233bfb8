import type { AssetRecord } from "../../library/assets/index.ts";
import type { Env } from "../../platform/env.ts";
import { chapterDifferences } from "../batches/chapter-differences.ts";
import { mediaFieldsOf } from "../batches/media-fields.ts";
import type { BatchSettings, Difference } from "../batches/batch-calls.ts";
import type { ListedVideo } from "../sources/source.ts";
import { playsThrough } from "./play-through.ts";

/** Containers round the last frame and the delay of the sound. */
const MAX_DURATION_GAP_MS = 500;

interface Compared {
  record: AssetRecord;
  video: ListedVideo;
  settings: BatchSettings;
}

export interface Verification {
  /** False: something, such as captions, is still being prepared, or playback does not answer yet. */
  isComplete: boolean;
  differences: Difference[];
  /** What is not complete, for a media that is waited for no longer. */
  unfinished: Difference[];
}

/**
 * Compares a ready media with what the source had, and plays its beginning and its end.
 *
 * @param self the Worker; undefined = playback is not tried
 */
export async function verifyMedia(
  env: Env,
  self: Fetcher | undefined,
  compared: Compared,
  now: Date,
): Promise<Verification> {
  const played = self === undefined ? null : await playsThrough(env, self, compared.record, now);
  const captions = captionDifferences(compared);
  const unfinished = [
    ...(played === null || played.ok ? [] : [{ field: "playback", message: played.message }]),
    ...captions.preparing,
  ];
  return {
    isComplete: unfinished.length === 0,
    differences: [...factDifferences(compared), ...captions.failed],
    unfinished,
  };
}

function factDifferences({ record: { asset, playbackIds, tracks }, video, settings }: Compared): Difference[] {
  const differences: Difference[] = [];
  const note = (field: string, message: string) => void differences.push({ field, message });
  const { durationMs, heightPx } = asset;
  if (video.durationMs !== null && durationMs !== null) {
    const gapMs = Math.abs(video.durationMs - durationMs);
    if (gapMs > MAX_DURATION_GAP_MS)
      note("duration", `it differs from the source's by ${gapMs < 5000 ? "0.5 to 5 s" : "more than 5 s"}`);
  }
  if (video.heightPx !== null && heightPx !== null && heightPx < video.heightPx)
    note("dimensions", `the source's file has ${heightPx} lines, and its list says ${video.heightPx}`);
  const sounds = tracks.filter(({ kind }) => kind === "audio").length;
  if (video.audioTracks !== null && sounds < video.audioTracks)
    note("audioTracks", `the source's file has ${sounds} of ${video.audioTracks} sounds`);
  if (durationMs !== null) differences.push(...chapterDifferences(video.chapters, durationMs));
  const expected = mediaFieldsOf(video, settings);
  const policy = playbackIds[0]?.accessPolicy ?? "private";
  if (policy === "public" && expected.accessPolicy !== "public")
    note("accessPolicy", "it was made public in the meantime");
  if (expected.allowedDomains !== null && !isWithin(playbackIds[0], expected.allowedDomains))
    note("accessPolicy", "pages of further domains were allowed to show it in the meantime");
  if (asset.title !== expected.title) note("title", "it was changed in the meantime");
  for (const [name, value] of Object.entries(expected.metadata))
    if (asset.metadata[name] !== value) note("metadata", "it was changed in the meantime");
  return differences;
}

/** Whether only pages of these domains may show it. */
function isWithin(playbackId: AssetRecord["playbackIds"][number] | undefined, domains: readonly string[]): boolean {
  if (playbackId === undefined) return true;
  const rules = playbackId.accessRestrictions?.domains;
  return rules?.defaultPolicy === "deny" && rules.allow.every((domain) => domains.includes(domain));
}

/** Those of the source's list are tracks by now; what the source's file has inside is none of them. */
function captionDifferences({ record: { addedTracks } }: Compared): Record<"failed" | "preparing", Difference[]> {
  const subtitles = addedTracks.filter(({ kind }) => kind === "subtitle");
  const of = (status: "failed" | "preparing", words: (track: (typeof subtitles)[number]) => string) =>
    subtitles.filter((track) => track.status === status).map((track) => ({ field: "captions", message: words(track) }));
  return {
    failed: of(
      "failed",
      ({ languageName, errorMessage }) => `those in ${languageName} failed: ${errorMessage ?? "for a reason unknown"}`,
    ),
    preparing: of(
      "preparing",
      ({ languageName }) => `those in ${languageName} were not ready ten minutes after the media`,
    ),
  };
}
