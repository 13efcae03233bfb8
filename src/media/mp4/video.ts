import type { FrameGrid } from "../../../protocol/jobs.ts";
import type { Fraction } from "../../../protocol/source-facts.ts";
import { toHex } from "../../../protocol/hex.ts";
import type { SequenceParameters } from "../../../protocol/media/h264/parameter-sets.ts";
import { planGrid } from "../../../protocol/ladder.ts";
import { bytesOf, findBox, requireBox } from "./boxes.ts";
import { chooseCuts, exactRate, gridCuts, nearestRate } from "./cuts.ts";
import { parseAvcConfiguration } from "./h264.ts";
import { IndexWriter } from "./index-file.ts";
import { ChosenKeys, type KeyFrames } from "./key-frames.ts";
import { writeInitSegment } from "./init-segment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import type { IndexedRendition } from "./rendition.ts";
import { surveyFrames } from "./survey-frames.ts";
import type { Track } from "./track.ts";
import { type SegmentPlaces, writeSegments } from "./write-segments.ts";

const MAX_KEY_DISTANCE_SECONDS = 12;
const MAX_SECONDS = 12 * 3600;
const MAX_PICTURES_PER_SECOND = 60.5;

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
  keyFrames: KeyFrames;
  frameCount: number;
  /** See `CopyFacts`. Null = pictures that an encoder cannot copy. */
  configuration: string | null;
}

/** An encoder writes numbers of this length in front of NAL units. */
const COPIED_LENGTH_BYTES = 4;
/** Parameter sets have some tens of bytes. */
const MAX_COPIED_AVCC_BYTES = 1024;

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
  const keys = new ChosenKeys(survey.keyFrames);
  const places: SegmentPlaces = { kind: "video", firstSamples, startTicks: 0, shiftTicks, leadTicks, keys };
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
    keyFrames: { places: keys.places(), lengthBytes: (format.avcC[4]! & 3) + 1 },
    frameCount: track.table.sampleCount,
    configuration: configurationOf(format),
  };
}

function configurationOf({ avcC, colr, isFullRange, widthPx, heightPx }: ReturnType<typeof readFormat>): string | null {
  const lengthBytes = (avcC[4]! & 3) + 1;
  if (isFullRange || lengthBytes !== COPIED_LENGTH_BYTES || avcC.length > MAX_COPIED_AVCC_BYTES) return null;
  return [widthPx, heightPx, toHex(avcC), colr === null ? "" : toHex(colr)].join();
}

function readFormat(track: Track) {
  const { type, view, boxes } = track.entry;
  standardOnlyIf(type === "avc1", "video that is not H.264, or with its parameters in the stream");
  standardOnlyIf(!track.transformed, "rotated or mirrored video");
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
  const colr = readColour(view, findBox(boxes, "colr"), sequence.colour);
  const transfers = [sequence.colour?.transfer, colr?.[TRANSFER_AT]];
  standardOnlyIf(!transfers.some((transfer) => transfer === PQ || transfer === HLG), "HDR");
  const isFullRange = sequence.colour?.isFullRange === true || colr?.at(-1) === FULL_RANGE;
  return { codec, avcC, widthPx, heightPx, colr, isFullRange };
}

/** `transfer_characteristics` of HDR (ITU-T H.273 §8.2), which the ladder converts; beside its rungs such a rendition would need a VIDEO-RANGE. */
const [PQ, HLG] = [16, 18];
/** The low byte of the transfer in a `colr` box. */
const TRANSFER_AT = 7;
const FULL_RANGE = 0x80;

/** `colr` of ISO files; QuickTime's `nclc` is the same without the full range flag. The range of the pictures themselves is in their parameter set. */
function readColour(
  view: DataView,
  box: { start: number; end: number; type: string } | undefined,
  coded: SequenceParameters["colour"],
): Uint8Array | null {
  if (box === undefined || box.end - box.start < 10) return null;
  const bytes = bytesOf(view, box);
  const kind = String.fromCharCode(...bytes.subarray(0, 4));
  if (kind !== "nclx" && kind !== "nclc") return null;
  const colour = new Uint8Array(11);
  colour.set(new TextEncoder().encode("nclx"));
  colour.set(bytes.subarray(4, 10), 4);
  const declared = kind === "nclx" ? (bytes[10] ?? 0) : 0;
  colour[10] = coded === null ? declared : coded.isFullRange ? FULL_RANGE : 0;
  return colour;
}
