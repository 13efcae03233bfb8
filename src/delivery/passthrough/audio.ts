import { languageName } from "../../encoding/languages.ts";
import { AAC_FRAME_SAMPLES, type AacConfiguration, parseEsds } from "./aac.ts";
import { bytesOf, requireBox } from "./boxes.ts";
import { SampleColumns } from "./fragment.ts";
import { IndexWriter } from "./index-file.ts";
import { writeInitSegment } from "./init-segment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import type { IndexedRendition } from "./rendition.ts";
import { SampleCursor } from "./sample-table.ts";
import type { Track } from "./track.ts";
import { MAX_START_GAP_SECONDS } from "./video.ts";

/** Sound may end this much before or after the picture; more leaves players waiting at the end. */
const MAX_END_GAP_SECONDS = 0.5;
/** Frames are put at exact multiples of their length; the source's own times may waver by this. */
const MAX_WAVER_SECONDS = 0.02;

export interface IndexedAudio extends IndexedRendition {
  configuration: AacConfiguration;
  languageCode: string;
  mediaBytes: number;
}

/**
 * Checks an audio track and writes its index, cut at the picture's cuts, each at the nearest frame. Priming that the
 * edit list skips is dropped in whole frames, so sound lies within half a frame of where the source has it.
 *
 * @param number from 1; the rendition is called `source-a{number}`
 * @throws {NotStandard}
 */
export function indexAudio(
  track: Track,
  number: number,
  cutSeconds: number[],
  videoSeconds: number,
  fileBytes: number | null,
): IndexedAudio {
  standardOnlyIf(track.entry.type === "mp4a", "audio that is not AAC");
  const configuration = parseEsds(bytesOf(track.entry.view, requireBox(track.entry.boxes, "esds")));
  const { sampleRateHz, channels } = configuration;
  const { skippedTicks, delayTicks } = track.edit;
  const start = startOf(((delayTicks - skippedTicks) / track.timescale) * sampleRateHz);
  const boundaries = cutSeconds.map(
    (seconds) => Math.round((seconds * sampleRateHz - start.samples) / AAC_FRAME_SAMPLES) + start.droppedFrames,
  );

  const init = writeInitSegment({
    kind: "audio",
    timescale: sampleRateHz,
    sampleRateHz,
    channels,
    audioSpecificConfig: configuration.bytes,
  });
  const writer = new IndexWriter(init, track.table.sampleCount * 4 + cutSeconds.length * 300);
  const samples = new SampleColumns();
  const ends: number[] = [];
  let decodeSamples = start.samples;
  let mediaBytes = 0;
  const flush = (frame: number) => {
    if (samples.count === 0) return;
    writer.addSegment(decodeSamples, samples);
    samples.count = 0;
    decodeSamples = start.samples + (frame - start.droppedFrames) * AAC_FRAME_SAMPLES;
    ends.push(decodeSamples);
  };

  const cursor = new SampleCursor(track.table);
  let next = 1;
  while (cursor.next()) {
    const waver = cursor.decodeTicks / track.timescale - (cursor.index * AAC_FRAME_SAMPLES) / sampleRateHz;
    standardOnlyIf(Math.abs(waver) <= MAX_WAVER_SECONDS, "sound with holes");
    standardOnlyIf(cursor.size > 0, "empty sound frames");
    standardOnlyIf(
      fileBytes === null || cursor.offset + cursor.size <= fileBytes,
      "the file ends before its media data",
    );
    if (cursor.index < start.droppedFrames) continue;
    while (next < boundaries.length && cursor.index >= boundaries[next]!) {
      flush(cursor.index);
      next += 1;
    }
    samples.add({
      size: cursor.size,
      duration: AAC_FRAME_SAMPLES,
      compositionOffset: 0,
      isKey: true,
      offset: cursor.offset,
    });
    mediaBytes += cursor.size;
  }
  flush(cursor.index + 1);
  const endSeconds = (ends.at(-1) ?? 0) / sampleRateHz;
  standardOnlyIf(Math.abs(endSeconds - videoSeconds) <= MAX_END_GAP_SECONDS, "sound and picture of different length");

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
      timescale: sampleRateHz,
      initBytes: init.length,
      // The first one counts from time 0, also when the sound itself begins a little later.
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

/** @param offset where the first frame of the media lies in presentation time, in samples; negative with priming */
function startOf(offset: number): { droppedFrames: number; samples: number } {
  const droppedFrames = Math.max(0, Math.round(-offset / AAC_FRAME_SAMPLES));
  return { droppedFrames, samples: Math.max(0, Math.round(offset + droppedFrames * AAC_FRAME_SAMPLES)) };
}

/** Sound that begins later than a player's tolerance at the start. */
export function startsLate(track: Track): boolean {
  return (track.edit.delayTicks - track.edit.skippedTicks) / track.timescale > MAX_START_GAP_SECONDS;
}
