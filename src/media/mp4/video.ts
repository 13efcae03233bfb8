import type { Fraction, FrameGrid } from "../../../protocol/jobs.ts";
import { planGrid } from "../../../protocol/ladder.ts";
import { bytesOf, findBox, requireBox } from "./boxes.ts";
import { chooseCuts, exactRate, gridCuts, nearestRate } from "./cuts.ts";
import { SampleColumns } from "./fragment.ts";
import { parseAvcConfiguration } from "./h264.ts";
import { IndexWriter } from "./index-file.ts";
import { writeInitSegment } from "./init-segment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import type { IndexedRendition } from "./rendition.ts";
import { SampleCursor } from "./sample-cursor.ts";
import { keyCount } from "./sample-table.ts";
import type { Track } from "./track.ts";

const MAX_KEY_DISTANCE_SECONDS = 12;
const MAX_SECONDS = 12 * 3600;
const MAX_PICTURES_PER_SECOND = 60.5;
/** Players start at 0. A first frame up to this late is extended back to 0; a later one rules out passthrough. */
export const MAX_START_GAP_SECONDS = 0.2;

export interface IndexedVideo extends IndexedRendition {
  codec: string;
  widthPx: number;
  heightPx: number;
  frameRate: Fraction;
  variableFrameRate: boolean;
  durationTicks: number;
  timescale: number;
  mediaBytes: number;
  /** Start of every segment, in seconds. */
  cutSeconds: number[];
  onLadderGrid: boolean;
}

/** Checks a video track against the rules of passthrough and writes its index. @throws {NotStandard} */
export async function indexVideo(track: Track, fileBytes: number | null, grid?: FrameGrid): Promise<IndexedVideo> {
  const format = readFormat(track);
  standardOnlyIf(
    track.table.sampleCount <= MAX_SECONDS * MAX_PICTURES_PER_SECOND,
    "more frames than 12 hours at 60 per second",
  );
  const survey = await surveyFrames(track);
  const { timescale } = track;
  const durationTicks = survey.endTicks;
  const seconds = durationTicks / timescale;
  const averageRate = track.table.sampleCount / seconds;
  standardOnlyIf(seconds <= MAX_SECONDS, "longer than 12 hours");
  standardOnlyIf(averageRate <= MAX_PICTURES_PER_SECOND, "more than 60 frames per second");

  const frameRate = survey.frameTicks === null ? nearestRate(averageRate) : exactRate(timescale, survey.frameTicks);
  const { keyTicks } = survey;
  for (let key = 0; key < keyTicks.length; key++) {
    const distance = ((keyTicks[key + 1] ?? durationTicks) - keyTicks[key]!) / timescale;
    standardOnlyIf(distance <= MAX_KEY_DISTANCE_SECONDS, `key frames more than ${MAX_KEY_DISTANCE_SECONDS} s apart`);
  }
  const onGrid =
    survey.frameTicks === null
      ? null
      : gridCuts(survey.keyFrames, track.table.sampleCount, (grid ?? planGrid(frameRate)).framesPerSegment);
  const cuts = onGrid ?? chooseCuts(keyTicks, durationTicks, timescale);

  const init = writeInitSegment({ kind: "video", timescale, ...format });
  const writer = new IndexWriter(init);
  const mediaBytes = await writeSegments(track, survey, cuts, writer, fileBytes);
  const starts = cuts.map((key) => survey.keyTicks[key]!);
  return {
    row: {
      name: "source-v",
      kind: "video",
      origin: "passthrough",
      isWhole: true,
      codec: format.codec,
      widthPx: format.widthPx,
      heightPx: format.heightPx,
      frameRateNum: frameRate.num,
      frameRateDen: frameRate.den,
      timescale,
      initBytes: init.length,
      segments: {
        durationTicks: starts.map((start, n) => (starts[n + 1] ?? durationTicks) - start),
        bytes: writer.segmentBytes,
        keyframes: [],
      },
    },
    index: writer.finish(),
    codec: format.codec,
    widthPx: format.widthPx,
    heightPx: format.heightPx,
    frameRate,
    variableFrameRate: survey.frameTicks === null,
    durationTicks,
    timescale,
    mediaBytes,
    cutSeconds: starts.map((start) => start / timescale),
    onLadderGrid: onGrid !== null,
  };
}

function readFormat(track: Track) {
  const { type, view, boxes } = track.entry;
  standardOnlyIf(type === "avc1", "video that is not H.264, or with its parameters in the stream");
  standardOnlyIf(!track.transformed, "rotated video");
  const avcC = bytesOf(view, requireBox(boxes, "avcC")).slice();
  const { codec, sequence } = parseAvcConfiguration(avcC);
  const { widthPx, heightPx } = sequence;
  standardOnlyIf(sequence.bitDepth === 8 && sequence.chromaFormat === 1, "H.264 that is not 8-bit 4:2:0");
  standardOnlyIf([66, 77, 100].includes(sequence.profile), "an unusual H.264 profile");
  standardOnlyIf(sequence.progressive, "interlaced video");
  standardOnlyIf(widthPx >= 16 && heightPx >= 16 && widthPx * heightPx <= 7680 * 4320, "an unusual picture size");
  standardOnlyIf(Math.max(widthPx, heightPx) <= 8192, "an unusual picture size");

  const pasp = findBox(boxes, "pasp");
  const pixelAspect = pasp ? view.getUint32(pasp.start) / view.getUint32(pasp.start + 4) : sequence.pixelAspect;
  const shown = track.displayHeightPx > 0 ? track.displayWidthPx / track.displayHeightPx : 0;
  const stretched = shown > 0 && Math.abs((shown * heightPx) / widthPx - 1) > 0.02;
  standardOnlyIf(Math.abs(pixelAspect - 1) <= 0.01 && !stretched, "pixels that are not square");
  return { codec, avcC, widthPx, heightPx, colr: readColour(view, findBox(boxes, "colr")) };
}

/** `colr` of ISO files; QuickTime's `nclc` is the same without the full range flag. */
function readColour(view: DataView, box: { start: number; end: number; type: string } | undefined): Uint8Array | null {
  if (box === undefined || box.end - box.start < 10) return null;
  const bytes = bytesOf(view, box);
  const kind = String.fromCharCode(...bytes.subarray(0, 4));
  if (kind !== "nclx" && kind !== "nclc") return null;
  const colour = new Uint8Array(11);
  colour.set(new TextEncoder().encode("nclx"));
  colour.set(bytes.subarray(4, 10), 4);
  colour[10] = kind === "nclx" ? (bytes[10] ?? 0) : 0;
  return colour;
}

interface FrameSurvey {
  /** Added to decoding time plus composition offset, gives the presentation time. */
  shiftTicks: number;
  /** The first frame is extended by this, back to time 0. */
  leadTicks: number;
  endTicks: number;
  /** Presentation times of the key frames, from 0. */
  keyTicks: Float64Array;
  /** Their frame numbers in presentation order, which equals decoding order because GOPs are closed. */
  keyFrames: Uint32Array;
  /** Exact constant frame duration; null when it varies or the first frame is extended. */
  frameTicks: number | null;
}

/** First pass, over the frame times: checks for closed GOPs and an edit list that only shifts. */
async function surveyFrames(track: Track): Promise<FrameSurvey> {
  const cursor = new SampleCursor(track.table, "times");
  // Sized for all frames being key frames, so that the lists never have to grow.
  const mostKeys = keyCount(track.table);
  const keyTicks = new Float64Array(mostKeys);
  const keyFrames = new Uint32Array(mostKeys);
  let keys = 0;
  let frameTicks: number | null = null;
  let constant = true;
  let latest = -Infinity;
  let end = 0;
  while (cursor.next() || ((await cursor.load()) && cursor.next())) {
    const shown = cursor.decodeTicks + cursor.compositionOffsetTicks;
    if (cursor.isKey) {
      standardOnlyIf(shown > latest, "frames that are reordered across key frames");
      keyTicks[keys] = shown;
      keyFrames[keys++] = cursor.index;
    }
    standardOnlyIf(keys > 0, "a first frame that is not a key frame");
    standardOnlyIf(shown >= keyTicks[keys - 1]!, "open GOPs");
    if (cursor.index === 0) frameTicks = cursor.durationTicks;
    else if (cursor.durationTicks !== frameTicks && cursor.index + 1 < track.table.sampleCount) constant = false;
    latest = Math.max(latest, shown);
    end = Math.max(end, shown + cursor.durationTicks);
  }

  const { skippedTicks, delayTicks, shownTicks } = track.edit;
  let shiftTicks = Math.round(delayTicks) - skippedTicks;
  const everyKey = keyTicks.subarray(0, keys);
  const first = everyKey[0]! + shiftTicks;
  const frame = end / track.table.sampleCount;
  standardOnlyIf(first >= -frame / 2, "an edit list that cuts into a GOP");
  standardOnlyIf(first <= MAX_START_GAP_SECONDS * track.timescale, "video that starts late");
  const total = end - skippedTicks;
  standardOnlyIf(
    shownTicks === null || shownTicks >= total - Math.max(2 * frame, 0.1 * track.timescale),
    "an edit list that cuts the end",
  );
  if (first < 0) shiftTicks -= first;
  const leadTicks = Math.max(0, first);
  for (let key = 0; key < everyKey.length; key++) everyKey[key] = key === 0 ? 0 : everyKey[key]! + shiftTicks;
  return {
    shiftTicks,
    leadTicks,
    endTicks: end + shiftTicks,
    keyTicks: everyKey,
    keyFrames: keyFrames.subarray(0, keys),
    frameTicks: constant && leadTicks === 0 && frameTicks !== null && frameTicks > 0 ? frameTicks : null,
  };
}

/** Second pass: passes the frames to the writer, segment by segment. @returns their total size in bytes */
async function writeSegments(
  track: Track,
  survey: FrameSurvey,
  cuts: number[],
  writer: IndexWriter,
  fileBytes: number | null,
): Promise<number> {
  const cursor = new SampleCursor(track.table, "all");
  const samples = new SampleColumns();
  let segmentDecodeTicks = 0;
  let mediaBytes = 0;
  let next = 1;
  while (cursor.next() || ((await cursor.load()) && cursor.next())) {
    const { size, offset } = cursor;
    standardOnlyIf(size > 0, "empty pictures");
    standardOnlyIf(fileBytes === null || offset + size <= fileBytes, "the file ends before its media data");
    mediaBytes += size;
    if (cursor.index === survey.keyFrames[cuts[next] ?? -1]) {
      writer.addSegment(segmentDecodeTicks, samples);
      samples.count = 0;
      segmentDecodeTicks = cursor.decodeTicks;
      next += 1;
    }
    const lead = cursor.index === 0 ? survey.leadTicks : 0;
    samples.add({
      size,
      duration: cursor.durationTicks,
      compositionOffset: cursor.compositionOffsetTicks + survey.shiftTicks - lead,
      isKey: cursor.isKey,
      offset,
    });
  }
  writer.addSegment(segmentDecodeTicks, samples);
  return mediaBytes;
}
