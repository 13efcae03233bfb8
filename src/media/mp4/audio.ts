import { languageName } from "../languages.ts";
import { AAC_FRAME_SAMPLES, type AacConfiguration, parseEsds } from "./aac.ts";
import { bytesOf, requireBox } from "./boxes.ts";
import { cutFrames } from "./cut-frames.ts";
import { IndexWriter } from "./index-file.ts";
import { writeInitSegment } from "./init-segment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import type { IndexedRendition } from "./rendition.ts";
import { MAX_START_GAP_SECONDS } from "./survey-frames.ts";
import type { Track } from "./track.ts";
import { type SegmentPlaces, writeSegments } from "./write-segments.ts";

/** Maximum difference between the ends of audio and video. A larger difference stalls players at the end. */
const MAX_END_GAP_SECONDS = 0.5;
/** A gap between two frames that players skip inaudibly. Concatenated files contain such gaps. */
const MAX_HOLE_SECONDS = 0.1;

export interface IndexedAudio extends IndexedRendition {
  configuration: AacConfiguration;
  languageCode: string;
  mediaBytes: number;
}

/**
 * Checks an audio track and writes its index, cut at the frames nearest to the video's cuts. Priming that the edit list skips is dropped
 * in whole frames, so the audio is shifted by at most half a frame.
 *
 * @param number from 1; the rendition is named `source-a{number}`
 * @throws {NotStandard}
 */
export async function indexAudio(
  track: Track,
  number: number,
  cutSeconds: number[],
  videoSeconds: number,
  fileBytes: number | null,
): Promise<IndexedAudio> {
  standardOnlyIf(track.entry.type === "mp4a", "audio that is not AAC");
  const configuration = parseEsds(bytesOf(track.entry.view, requireBox(track.entry.boxes, "esds")));
  const { sampleRateHz, channels, bytes: audioSpecificConfig } = configuration;
  const { timescale } = track;
  const frameTicks = (AAC_FRAME_SAMPLES / sampleRateHz) * timescale;
  const shiftTicks = Math.round(track.edit.delayTicks - track.edit.skippedTicks);

  const init = writeInitSegment({ kind: "audio", timescale, sampleRateHz, channels, audioSpecificConfig });
  const writer = new IndexWriter(init);
  // Every frame of AAC is a key frame, and shown in the order of decoding.
  const table = { ...track.table, syncSamples: null, compositionOffsets: null };
  const cutTicks = cutSeconds.map((seconds) => seconds * timescale);
  const { firstSamples, starts, endTicks, lastDurationTicks } = await cutFrames(table, {
    cutTicks,
    frameTicks,
    shiftTicks,
    maxHoleTicks: MAX_HOLE_SECONDS * timescale,
  });
  const places: SegmentPlaces = {
    kind: "audio",
    firstSamples,
    startTicks: starts[0]!,
    shiftTicks: 0,
    lastDurationTicks,
  };
  const mediaBytes = await writeSegments(table, places, writer, fileBytes);
  standardOnlyIf(
    Math.abs(endTicks / timescale - videoSeconds) <= MAX_END_GAP_SECONDS,
    "audio and video of different length",
  );

  // The first segment starts at time 0, also when the audio itself begins slightly later.
  const ends = starts.map((_, n) => starts[n + 1] ?? endTicks);
  return {
    row: {
      name: `source-a${number}`,
      kind: "audio",
      origin: "passthrough",
      isWhole: true,
      isDefault: number === 1,
      codec: "mp4a.40.2",
      channels,
      languageCode: track.languageCode,
      languageName: languageName(track.languageCode),
      timescale,
      initBytes: init.length,
      segments: {
        durationTicks: ends.map((end, n) => end - (n === 0 ? 0 : ends[n - 1]!)),
        bytes: writer.segmentBytes,
        keyframes: [],
      },
    },
    index: writer.finish(),
    configuration,
    languageCode: track.languageCode,
    mediaBytes,
  };
}

/** Whether the audio begins later than players tolerate at the start. */
export function startsLate(track: Track): boolean {
  return (track.edit.delayTicks - track.edit.skippedTicks) / track.timescale > MAX_START_GAP_SECONDS;
}
