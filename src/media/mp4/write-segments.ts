import { SampleColumns } from "./fragment.ts";
import type { ChosenKeys } from "./key-frames.ts";
import type { IndexWriter } from "./index-file.ts";
import { standardOnlyIf } from "./not-standard.ts";
import { BATCH_SAMPLES, SampleReader } from "./sample-reader.ts";
import type { SampleTable } from "./sample-table.ts";

/** Bounds the memory: 12 s at 60 frames per second have 720. */
const MAX_SEGMENT_SAMPLES = 64 * 1024;

export interface SegmentPlaces {
  kind: "video" | "audio";
  /** Index of each segment's first sample. Samples before the first one are left out. */
  firstSamples: number[];
  /** Decoding time of the first sample. */
  startTicks: number;
  /** Added to every composition offset. */
  shiftTicks: number;
  /** Subtracted from the composition offset of the first sample, which is shown earlier. */
  leadTicks?: number;
  /** The duration of the track's last sample; absent = as in its table. */
  lastDurationTicks?: number;
  /** Told the places of the key frames. */
  keys?: ChosenKeys;
}

/**
 * Passes the samples of a track to the writer, segment by segment.
 *
 * @returns their total size in bytes
 * @throws {NotStandard} for samples without bytes or beyond the end of the file
 */
export async function writeSegments(
  table: SampleTable,
  { kind, firstSamples, startTicks, shiftTicks, leadTicks = 0, lastDurationTicks, keys }: SegmentPlaces,
  writer: IndexWriter,
  fileBytes: number | null,
): Promise<number> {
  const reader = new SampleReader(table, "all", shiftTicks);
  const samples = new SampleColumns();
  const read = async (count: number) => {
    await reader.read(samples, count);
    standardOnlyIf(!reader.hasEmpty, kind === "video" ? "empty pictures" : "empty audio frames");
    standardOnlyIf(fileBytes === null || reader.endOffset <= fileBytes, "the file ends before its media data");
  };
  for (let skipped = 0; skipped < firstSamples[0]!; skipped += BATCH_SAMPLES) {
    await read(Math.min(BATCH_SAMPLES, firstSamples[0]! - skipped));
    samples.count = 0;
  }
  let decodeTicks = startTicks;
  let totalBytes = 0;
  for (const [n, first] of firstSamples.entries()) {
    const count = (firstSamples[n + 1] ?? table.sampleCount) - first;
    standardOnlyIf(count <= MAX_SEGMENT_SAMPLES, "too many samples in a few seconds");
    await read(count);
    keys?.take(samples, first);
    if (n === 0) samples.compositionOffsets[0]! -= leadTicks;
    if (reader.left === 0 && lastDurationTicks !== undefined) samples.durations[count - 1] = lastDurationTicks;
    const { mediaBytes, durationTicks } = writer.addSegment(decodeTicks, samples);
    decodeTicks += durationTicks;
    totalBytes += mediaBytes;
    samples.count = 0;
  }
  return totalBytes;
}
