/** The pictures of one range of a file, at the constant rate of the output. */
import type { Frame } from "node-av/lib";
import { AV_FRAME_DATA_A53_CC } from "node-av/constants";
import type { ClipRange } from "../../protocol/jobs.ts";
import type { Fraction, SourceVideo } from "../../protocol/source-facts.ts";
import { frameSeconds, FramePicker, type Pick, TOLERANCE_FRAMES } from "../../protocol/media/frame-picker.ts";
import type { TimedFrame } from "./picture.ts";

/** A picture that ends this long before its declared end is truncated. */
const TRUNCATED_SECONDS = 1;

/** Output frames, counted from the start of the range. */
export interface WantedFrames {
  firstFrame: number;
  frameCount: number;
}

interface PictureRange {
  video: SourceVideo;
  clip: ClipRange;
  rate: Fraction;
  wanted: WantedFrames;
  /** The last picture is repeated up to the last wanted frame: always, never, or unless the file is truncated. */
  holdsLast: "always" | "never" | "unless truncated";
}

/** What the pictures were seen to have. */
export interface SeenPictures {
  hasCcData: boolean;
}

/** @param picturesFrom yields pictures in the time of the range, from the last one at or before a time on, or from an earlier one */
export async function* pickedPictures(
  picturesFrom: (fromSeconds: number) => AsyncIterable<TimedFrame>,
  { video, clip, rate, wanted, holdsLast }: PictureRange,
  seen: SeenPictures,
): AsyncGenerator<Pick<Frame>> {
  const picker = new FramePicker<Frame>({ rate, ...wanted }, (frame) => frame.free());
  const clipStart = clip.startMs / 1000;
  const clipEnd = clip.endMs === null ? Infinity : clip.endMs / 1000 - clipStart;
  const { gridMs } = video;
  // On its grid, a picture is up to half a frame of its own rate later.
  const fromSeconds =
    (wanted.firstFrame + TOLERANCE_FRAMES) * frameSeconds(rate) -
    (gridMs === undefined ? 0 : frameSeconds(video.frameRate));
  let endSeconds = 0;
  for await (const { frame, timeSeconds, durationSeconds } of picturesFrom(fromSeconds)) {
    if (timeSeconds >= clipEnd) {
      frame.free();
      break;
    }
    seen.hasCcData ||= frame.getSideData(AV_FRAME_DATA_A53_CC) !== null;
    endSeconds = Math.min(clipEnd, timeSeconds + durationSeconds);
    const pick = picker.push(
      frame,
      gridMs === undefined ? timeSeconds : onGrid(timeSeconds, gridMs / 1000, video.frameRate),
    );
    if (pick !== undefined) yield pick;
    if (picker.isComplete) return;
  }
  const declaredEnd = (video.startMs + video.durationMs) / 1000;
  const isWhole = endSeconds >= Math.min(clipEnd, declaredEnd) - TRUNCATED_SECONDS;
  const isHeld = holdsLast === "always" || (holdsLast === "unless truncated" && isWhole);
  const last = picker.finish(isHeld ? Infinity : endSeconds);
  if (last !== undefined) yield last;
}

/** The nearest place of a picture of the file's constant rate. The rule depends on times alone, as that of the picker. */
function onGrid(timeSeconds: number, gridSeconds: number, rate: Fraction): number {
  const frame = frameSeconds(rate);
  return gridSeconds + Math.round((timeSeconds - gridSeconds) / frame) * frame;
}
