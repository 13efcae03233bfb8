import { languageName } from "../languages.ts";
import { AAC_FRAME_SAMPLES, type AacConfiguration, parseEsds } from "./aac.ts";
import { bytesOf, requireBox } from "./boxes.ts";
import { SampleColumns } from "./fragment.ts";
import { IndexWriter } from "./index-file.ts";
import { writeInitSegment } from "./init-segment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import type { IndexedRendition } from "./rendition.ts";
import { SampleCursor } from "./sample-cursor.ts";
import type { Track } from "./track.ts";
import { MAX_START_GAP_SECONDS } from "./video.ts";

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
  const samples = new SampleColumns();
  const starts: number[] = [];
  let mediaBytes = 0;
  let segmentTicks = 0;
  let endTicks = 0;
  const flush = () => {
    if (samples.count === 0) return;
    writer.addSegment(segmentTicks, samples);
    samples.count = 0;
    starts.push(segmentTicks);
  };

  const cursor = new SampleCursor(track.table, "all");
  let next = 1;
  let shift: number | null = null;
  while (cursor.next() || ((await cursor.load()) && cursor.next())) {
    const { size, offset } = cursor;
    const isLast = cursor.index + 1 === track.table.sampleCount;
    // Muxers shorten the last frame to the end of the audio; decoders play all of it.
    const durationTicks = isLast ? Math.max(cursor.durationTicks, Math.round(frameTicks)) : cursor.durationTicks;
    const strayTicks = Math.abs(durationTicks - frameTicks);
    standardOnlyIf(isLast || strayTicks <= MAX_HOLE_SECONDS * timescale, "audio with gaps");
    standardOnlyIf(size > 0, "empty audio frames");
    standardOnlyIf(fileBytes === null || offset + size <= fileBytes, "the file ends before its media data");
    if (shift === null) {
      if (cursor.decodeTicks + frameTicks / 2 <= -shiftTicks) continue;
      // The nearest frame may begin slightly before 0, but decode times cannot be negative.
      shift = Math.max(shiftTicks, -cursor.decodeTicks);
    }
    const startTicks = cursor.decodeTicks + shift;
    while (next < cutSeconds.length && startTicks >= cutSeconds[next]! * timescale - frameTicks / 2) {
      flush();
      next += 1;
    }
    if (samples.count === 0) segmentTicks = startTicks;
    samples.add({ size, duration: durationTicks, compositionOffset: 0, isKey: true, offset });
    mediaBytes += size;
    endTicks = startTicks + durationTicks;
  }
  flush();
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
