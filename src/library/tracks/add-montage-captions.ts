import type { CaptionsResult } from "../../../protocol/captions.ts";
import { MAX_SUBTITLE_STREAMS, type SourceSubtitles } from "../../../protocol/source-facts.ts";
import { CaptionsError, type Cue, MAX_CUES } from "../../media/captions/cue.ts";
import { moveCues, type PlacedTake } from "../../media/edits/move-cues.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { addCaptionTrack } from "./add-caption-track.ts";
import { labelsOf, leaveOut, readSourceCaptions, type SourceStream } from "./read-source-captions.ts";

/** Captions that a job has found in a file of a montage. */
export interface FoundCaptions {
  stream: SourceStream;
  found: CaptionsResult["streams"][number];
}

/**
 * Makes tracks of the captions of several files, in the time of the output. Streams of different files that have the same labels are one track. One track is
 * in memory at a time. Repeatable while what encoders have stored is there.
 */
export async function addMontageCaptions(
  env: Env,
  assetId: string,
  all: readonly FoundCaptions[],
  { takes, nowMs }: { takes: readonly PlacedTake[]; nowMs: number },
): Promise<void> {
  const byLabel = Map.groupBy(labelled(all), ([label]) => label);
  for (const [label, found] of [...byLabel].slice(0, MAX_SUBTITLE_STREAMS)) {
    const streams = found.map(([, one]) => one);
    const { stream } = streams[0]!;
    try {
      const captions = await movedCaptions(env, streams, takes);
      if (captions.cues.length === 0) {
        leaveOut(stream, "captions_empty");
        continue;
      }
      const trackId = await derivedId("captions of a montage", assetId, label);
      const added = await addCaptionTrack(env, { assetId, trackId }, labelsOf(stream.facts), captions, new Date(nowMs));
      await added?.committed.wake();
      log("captions.added", { assetId, trackId, cueCount: captions.cues.length });
    } catch (error) {
      if (!(error instanceof CaptionsError)) throw error;
      leaveOut(stream, error.code);
    }
  }
}

/** The captions of one track. @throws {CaptionsError} captions_too_large */
async function movedCaptions(
  env: Env,
  streams: readonly FoundCaptions[],
  takes: readonly PlacedTake[],
): Promise<{ cues: Cue[]; skipped: number }> {
  let cues: Cue[] = [];
  let skipped = 0;
  for (const { stream, found } of streams) {
    const captions = await readSourceCaptions(env, stream, found);
    if (captions === null) continue;
    cues = [...cues, ...moveCues(captions.cues, stream.file ?? 0, takes)];
    if (cues.length > MAX_CUES) throw new CaptionsError("captions_too_large");
    skipped += captions.skipped;
  }
  return { cues: cues.toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs), skipped };
}

/** The labels of each stream, with its place among those of its file that have the same ones. */
function labelled(all: readonly FoundCaptions[]): [string, FoundCaptions][] {
  const seen = new Map<string, number>();
  return all.map((one) => {
    const label = labelOf(one.stream.facts);
    const inFile = `${one.stream.file ?? 0} ${label}`;
    const place = seen.get(inFile) ?? 0;
    seen.set(inFile, place + 1);
    return [`${label} ${place}`, one];
  });
}

const labelOf = ({ languageCode, isForced, isHearingImpaired, channel = "" }: SourceSubtitles): string =>
  [languageCode, isForced ? "forced" : "", isHearingImpaired ? "cc" : "", channel].join("/");
