/** The `video` job: decodes once and encodes one range of output frames in every rung. */
import type { Frame } from "node-av/lib";
import { AV_FRAME_DATA_A53_CC, AVCOL_SPC_UNSPECIFIED } from "node-av/constants";
import type { VideoJob, VideoResult } from "../../protocol/jobs.ts";
import { frameSeconds, FramePicker, type Pick, TOLERANCE_FRAMES } from "../../protocol/media/frame-picker.ts";
import type { JobContext } from "./job-context.ts";
import { pictures } from "./picture.ts";
import { PictureGraph } from "./picture-graph.ts";
import { haveSameShape, type PixelAspects, pixelAspects, shownSize } from "./picture-shape.ts";
import { RungEncoder } from "./rung.ts";
import { framesAround } from "./rung-plan.ts";
import { type ColorPlan, colorPlan, scaleGraph } from "./scale-graph.ts";
import { openSource } from "./source.ts";
import { Store } from "./store.ts";

/** A picture that ends this long before its declared end is truncated. */
const TRUNCATED_SECONDS = 1;

export async function encodeChunk(job: VideoJob, context: JobContext): Promise<VideoResult> {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const source = await openSource(job, context);
  const store = new Store(job, context.onWait);
  const stream = source.format.streams[job.video.streamIndex];
  const color = colorPlan(stream?.codecpar.colorSpace ?? 1, job.video.heightPx, job.video.hdr);
  const encoders = await Promise.all(
    job.rungs.map((rung) => RungEncoder.open(rung, job.grid, { ...job, colorMatrix: color.matrix }, store)),
  );
  const seen = { hasCcData: false };
  const frameCount = await encodeAll(
    job,
    filtersOf(job, pixelAspects(stream), color),
    pickedFrames(job, source, seen),
    encoders,
    context,
  );
  await store.flushed();
  const renditions = encoders.map((encoder) => encoder.facts());
  const { user, system } = process.cpuUsage(cpu);
  return {
    kind: "video",
    renditions,
    frameCount,
    ...(seen.hasCcData ? { hasCcData: true } : {}),
    encodeMs: performance.now() - startedMs,
    cpuMs: (user + system) / 1000,
  };
}

async function* pickedFrames(
  job: VideoJob,
  source: Awaited<ReturnType<typeof openSource>>,
  seen: { hasCcData: boolean },
): AsyncGenerator<Pick<Frame>> {
  const rate = job.grid.frameRate;
  const wanted = framesAround(job);
  const picker = new FramePicker<Frame>({ rate, ...wanted }, (frame) => frame.free());
  const clipStart = job.clip.startMs / 1000;
  const clipEnd = job.clip.endMs === null ? Infinity : job.clip.endMs / 1000 - clipStart;
  const fromSeconds = (wanted.firstFrame + TOLERANCE_FRAMES) * frameSeconds(rate);
  let endSeconds = 0;
  for await (const { frame, timeSeconds, durationSeconds } of pictures(
    source,
    job.video,
    fromSeconds,
    source.zeroSeconds + clipStart,
  )) {
    if (timeSeconds >= clipEnd) {
      frame.free();
      break;
    }
    seen.hasCcData ||= frame.getSideData(AV_FRAME_DATA_A53_CC) !== null;
    endSeconds = Math.min(clipEnd, timeSeconds + durationSeconds);
    const pick = picker.push(frame, timeSeconds);
    if (pick !== undefined) yield pick;
    if (picker.isComplete) return;
  }
  const declaredEnd = (job.video.startMs + job.video.durationMs) / 1000;
  const isWhole = endSeconds >= Math.min(clipEnd, declaredEnd) - TRUNCATED_SECONDS;
  const last = picker.finish(job.holdsLastPicture === true && isWhole ? Infinity : endSeconds);
  if (last !== undefined) yield last;
}

/**
 * The filters of a picture. Its size, pixels and matrix may change on the way, but those of a rung do not: a picture of another shape than the first
 * one's gets bars.
 */
function filtersOf({ video, rungs }: VideoJob, aspects: PixelAspects, { matrix, isConverted }: ColorPlan) {
  return (frame: Frame): string => {
    const shown = shownSize(frame, aspects, video);
    const own = colorPlan(frame.colorSpace, shown.heightPx, video.hdr);
    const hasOtherMatrix = frame.colorSpace !== AVCOL_SPC_UNSPECIFIED && own.matrix !== matrix;
    const other = haveSameShape(shown, video) ? null : shown;
    return scaleGraph(video, rungs, isConverted || own.isConverted || hasOtherMatrix, { matrix, other });
  };
}

/** Decoding and scaling wait when the slowest encoder is this many pictures behind. */
const PICTURES_AHEAD = 4;

/** Encodes every picture in every rung. */
async function encodeAll(
  job: VideoJob,
  filtersFor: (frame: Frame) => string,
  picks: AsyncGenerator<Pick<Frame>>,
  encoders: RungEncoder[],
  context: JobContext,
): Promise<number> {
  const startedMs = performance.now();
  let graph: PictureGraph | undefined;
  const encodings = encoders.map(() => Promise.resolve());
  const pending: Promise<unknown>[] = [];
  let frameCount = 0;
  for await (const { frame, firstFrame, count } of picks) {
    if (graph === undefined || !graph.suits(frame)) {
      graph?.close();
      graph = await PictureGraph.open(filtersFor(frame), job.rungs.length, frame, {
        num: 1,
        den: 1_000_000,
      });
    }
    frame.pts = BigInt(firstFrame);
    graph.put(frame);
    frame.free();
    const scaled: Frame[] = [];
    for (let rung = 0; rung < encoders.length; rung++) scaled.push((await graph.take(rung))!);
    for (const [rung, encoder] of encoders.entries()) {
      encodings[rung] = encodings[rung]!.then(() => encodeRepeated(encoder, scaled[rung]!, firstFrame, count));
    }
    const all = Promise.all(encodings);
    all.catch(() => {}); // handled by a later await
    pending.push(all);
    if (pending.length > PICTURES_AHEAD) await pending.shift();
    frameCount = Math.min(job.frameCount, Math.max(0, firstFrame + count - job.firstFrame)); // without the lead-in and lead-out frames
    const elapsedSeconds = (performance.now() - startedMs) / 1000;
    context.onProgress(frameCount / job.frameCount, (frameCount * frameSeconds(job.grid.frameRate)) / elapsedSeconds);
  }
  await Promise.all(pending);
  graph?.close();
  await Promise.all(encoders.map((encoder) => encoder.encode(null)));
  for (const encoder of encoders) encoder.close();
  return frameCount;
}

async function encodeRepeated(encoder: RungEncoder, frame: Frame, firstFrame: number, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    frame.pts = BigInt(firstFrame + i);
    await encoder.encode(frame);
  }
  frame.free();
}
