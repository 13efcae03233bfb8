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
import { SampleReader } from "./sample-reader.ts";
import { keyCount, type SampleTable } from "./sample-table.ts";
import type { Track } from "./track.ts";
import { BATCH_SAMPLES, type SegmentPlaces, writeSegments } from "./write-segments.ts";

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
  const starts = cuts.map((key) => survey.keyTicks[key]!);
  const { shiftTicks, leadTicks } = survey;
  const firstSamples = cuts.map((key) => survey.keyFrames[key]!);
  const places: SegmentPlaces = { kind: "video", firstSamples, startTicks: 0, shiftTicks, leadTicks };
  const mediaBytes = await writeSegments(track.table, places, writer, fileBytes);
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
  const reader = new SampleReader(track.table, "times");
  const times = new FrameTimes(track.table);
  for (const batch = new SampleColumns(); reader.left > 0; batch.count = 0) {
    await reader.read(batch, BATCH_SAMPLES);
    times.add(batch);
  }

  const { keyTicks, endTicks: end } = times;
  const { skippedTicks, delayTicks, shownTicks } = track.edit;
  let shiftTicks = Math.round(delayTicks) - skippedTicks;
  const first = keyTicks[0]! + shiftTicks;
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
  for (let key = 0; key < keyTicks.length; key++) keyTicks[key] = key === 0 ? 0 : keyTicks[key]! + shiftTicks;
  const { frameTicks } = times;
  return {
    shiftTicks,
    leadTicks,
    endTicks: end + shiftTicks,
    keyTicks,
    keyFrames: times.keyFrames,
    frameTicks: leadTicks === 0 && frameTicks !== null && frameTicks > 0 ? frameTicks : null,
  };
}

/** Presentation times of the key frames, and what all frames have in common. Times are those of the media, before any edit list. */
class FrameTimes {
  endTicks = 0;
  private readonly allKeyTicks: Float64Array;
  private readonly allKeyFrames: Uint32Array;
  private readonly sampleCount: number;
  private keys = 0;
  private index = 0;
  private decodeTicks = 0;
  private latestTicks = -Infinity;
  private firstDuration = 0;
  private isConstant = true;

  constructor(table: SampleTable) {
    // Sized for all frames being key frames, so that the lists never have to grow.
    const mostKeys = keyCount(table);
    this.allKeyTicks = new Float64Array(mostKeys);
    this.allKeyFrames = new Uint32Array(mostKeys);
    this.sampleCount = table.sampleCount;
  }

  get keyTicks(): Float64Array {
    return this.allKeyTicks.subarray(0, this.keys);
  }

  get keyFrames(): Uint32Array {
    return this.allKeyFrames.subarray(0, this.keys);
  }

  /** The duration of every frame, except that the last one may have another; null when it varies. */
  get frameTicks(): number | null {
    return this.isConstant ? this.firstDuration : null;
  }

  /** @throws {NotStandard} */
  add({ count, durations, compositionOffsets, isKey }: SampleColumns): void {
    if (this.index === 0) this.firstDuration = durations[0]!;
    const lastRow = this.sampleCount - 1 - this.index;
    const { firstDuration } = this;
    let { decodeTicks, latestTicks, endTicks, isConstant } = this;
    let keyTicks = this.keys === 0 ? Infinity : this.allKeyTicks[this.keys - 1]!;
    for (let row = 0; row < count; row++) {
      const duration = durations[row]!;
      const shown = decodeTicks + compositionOffsets[row]!;
      if (isKey[row] === 1) {
        standardOnlyIf(shown > latestTicks, "frames that are reordered across key frames");
        keyTicks = shown;
        this.allKeyTicks[this.keys] = shown;
        this.allKeyFrames[this.keys++] = this.index + row;
      } else standardOnlyIf(shown >= keyTicks, this.keys === 0 ? "a first frame that is not a key frame" : "open GOPs");
      if (duration !== firstDuration && row !== lastRow) isConstant = false;
      if (shown > latestTicks) latestTicks = shown;
      if (shown + duration > endTicks) endTicks = shown + duration;
      decodeTicks += duration;
    }
    this.index += count;
    this.decodeTicks = decodeTicks;
    this.latestTicks = latestTicks;
    this.endTicks = endTicks;
    this.isConstant = isConstant;
  }
}
