/** The `video` job: decodes once and encodes one range of output frames in every rung. */
import type { Frame } from "node-av/lib";
import type { VideoJob, VideoResult } from "../../protocol/jobs.ts";
import { frameSeconds } from "../../protocol/media/frame-picker.ts";
import { copyTopRung } from "./copied-rung.ts";
import type { JobContext } from "./job-context.ts";
import { PictureGraph } from "./picture-graph.ts";
import { RungEncoder } from "./rung.ts";
import { type Filters, montagePictures, type ShownPicture, sourcePictures } from "./shown-pictures.ts";
import { readMarks, type RungMark } from "./watermark.ts";
import { Store } from "./store.ts";

export async function encodeChunk(whole: VideoJob, context: JobContext): Promise<VideoResult> {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const store = new Store(whole, context.onWait);
  const seen = { hasCcData: false };
  const { montage } = whole;
  const isCopied = montage?.copiesTopRung === true;
  /** What is encoded of it. */
  const job = isCopied ? { ...whole, rungs: whole.rungs.slice(1) } : whole;
  const shown =
    montage === undefined ? await sourcePictures(job, context, seen) : montagePictures(job, montage, context, seen);
  const copied = isCopied ? [await copyTopRung(whole, montage, { context, store, matrix: shown.matrix })] : [];
  const encoders = await Promise.all(
    job.rungs.map((rung) => RungEncoder.open(rung, job.grid, { ...job, colorMatrix: shown.matrix }, store)),
  );
  const marks = job.watermark === undefined ? [] : await readMarks(job, job.watermark, shown.matrix, context);
  const frameCount =
    encoders.length === 0
      ? job.frameCount
      : await encodeAll(job, { pictures: shown.pictures, marks }, encoders, context);
  for (const { frame } of marks) frame.free();
  await store.flushed();
  const renditions = [...copied, ...encoders.map((encoder) => encoder.facts())];
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

/** Decoding and scaling wait when the slowest encoder is this many pictures behind. */
const PICTURES_AHEAD = 4;

/** Encodes every picture in every rung. */
async function encodeAll(
  job: VideoJob,
  { pictures, marks }: { pictures: AsyncGenerator<ShownPicture>; marks: readonly RungMark[] },
  encoders: RungEncoder[],
  context: JobContext,
): Promise<number> {
  const startedMs = performance.now();
  let graph: PictureGraph | undefined;
  let graphFilters: Filters | undefined;
  const encodings = encoders.map(() => Promise.resolve());
  const pending: Promise<unknown>[] = [];
  let frameCount = 0;
  for await (const { frame, firstFrame, count, filters } of pictures) {
    if (graph === undefined || graphFilters !== filters || !graph.suits(frame)) {
      graph?.close();
      graphFilters = filters;
      const places = marks.map(({ place }) => place);
      graph = await PictureGraph.open(
        filters(frame, places),
        job.rungs.length,
        frame,
        { num: 1, den: 1_000_000 },
        marks.map((mark) => mark.frame),
      );
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
