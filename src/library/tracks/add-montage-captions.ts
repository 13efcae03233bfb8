import type { CaptionsResult, SourceSubtitles } from "../../../protocol/jobs.ts";
import { CaptionsError, type Cue } from "../../media/captions/cue.ts";
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

/** The captions of one track of the output. */
interface MovedCaptions {
  stream: SourceStream;
  cues: Cue[];
  skipped: number;
}

/**
 * Makes tracks of the captions of several files, in the time of the output. Streams of different files that have the same labels are one track. Repeatable
 * while what encoders have stored is there.
 */
export async function addMontageCaptions(
  env: Env,
  assetId: string,
  all: readonly FoundCaptions[],
  { takes, nowMs }: { takes: readonly PlacedTake[]; nowMs: number },
): Promise<void> {
  const tracks = new Map<string, MovedCaptions>();
  for (const [label, { stream, found }] of labelled(all)) {
    const captions = await readSourceCaptions(env, stream, found);
    if (captions === null) continue;
    const known = tracks.get(label) ?? { stream, cues: [], skipped: 0 };
    tracks.set(label, {
      stream: known.stream,
      cues: [...known.cues, ...moveCues(captions.cues, stream.file ?? 0, takes)],
      skipped: known.skipped + captions.skipped,
    });
  }
  for (const [label, { stream, cues, skipped }] of tracks) {
    if (cues.length === 0) {
      leaveOut(stream, "captions_empty");
      continue;
    }
    const sorted = cues.toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
    const trackId = await derivedId("captions of a montage", assetId, label);
    try {
      const captions = { cues: sorted, skipped };
      const added = await addCaptionTrack(env, { assetId, trackId }, labelsOf(stream.facts), captions, new Date(nowMs));
      await added?.committed.wake();
      log("captions.added", { assetId, trackId, cueCount: cues.length });
    } catch (error) {
      if (!(error instanceof CaptionsError)) throw error;
      leaveOut(stream, error.code);
    }
  }
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
