/** The `pictures` job: pictures of all scenes of a media, for a model that judges them or judged by the encoder's own, or the times of the scenes alone. */
import type { Frame, Stream } from "node-av/lib";
import type { JudgedPicture, PicturesJob, PicturesResult } from "../../protocol/pictures.ts";
import { hasLengths, isDisposable } from "../images/disposable.ts";
import { Scaler } from "../images/scaler.ts";
import { decodedFrames, openDecoder } from "../media/decode.ts";
import type { JobContext } from "../media/job-context.ts";
import { keepOnly } from "../media/packets.ts";
import { type OpenSource, openSource, ticksToSeconds } from "../media/source.ts";
import { JobError } from "../platform/errors.ts";
import { CutDetector } from "./cut-detector.ts";
import { CutChooser, NO_PICTURES } from "./cuts-alone.ts";
import { PictureChooser } from "./picture-chooser.ts";
import { pictureSpacing } from "./picture-spacing.ts";
import { PictureJudge } from "./picture-judge.ts";
import type { PictureSink } from "./picture-sink.ts";
import { SheetWriter } from "./sheet-writer.ts";

/** The longest media. Assumed when a file does not say its length. */
const LONGEST_MS = 12 * 3600_000;
/** Cells that cuts are found in: a mean of 13 × 13 pixels of a small rendition. */
const CELLS = "scale=32:18:flags=area,format=yuv420p";

export async function lookThrough(job: PicturesJob, context: JobContext): Promise<PicturesResult> {
  const sink = await sinkOf(job, context);
  const source = await openSource(job, context, { path: "video" });
  const { video } = source;
  if (video === null) throw new JobError("source_no_streams", "The media has no picture.");
  const durationMs = Number(source.format.duration) / 1000;
  const spacing = pictureSpacing(durationMs > 0 ? durationMs : LONGEST_MS);
  const chooser = job.purpose === "cuts" ? new CutChooser(spacing) : new PictureChooser(spacing);
  const cuts = new CutDetector();
  const cells = new Scaler(CELLS);
  const timesMs: number[] = [];
  let isEmpty = true;
  const startedMs = performance.now();
  try {
    for await (const frame of shownFrames(source, video)) {
      using _ = frame;
      isEmpty = false;
      const timeMs = Math.max(0, ticksToSeconds(frame.bestEffortTimestamp, video) * 1000);
      using small = await cells.scale(frame);
      if (chooser.takes(timeMs, cuts.put(small.toBuffer()))) {
        timesMs.push(Math.round(timeMs));
        await sink.put(frame);
      }
      context.onProgress(timeMs / durationMs, timeMs / (performance.now() - startedMs));
    }
    if (isEmpty) throw new JobError("source_damaged", "No picture of the media could be decoded.");
    const { scores, engine, model, judgeMs } = await sink.finish();
    const pictures = timesMs.map((ms, n): JudgedPicture => [ms, scores[n] ?? null]);
    return { kind: "pictures", pictures, engine, model, judgeMs };
  } finally {
    cells.close();
    sink.close();
    await source.format.closeInput();
  }
}

async function sinkOf(job: PicturesJob, context: JobContext): Promise<PictureSink> {
  if (job.purpose === "cuts") return NO_PICTURES;
  return job.purpose === "scores" ? await PictureJudge.open() : new SheetWriter(job, context);
}

/** Frames in the order of presentation, without those that no other one refers to: half of those of most encoders. The receiver owns each. */
async function* shownFrames(source: OpenSource, video: Stream): AsyncGenerator<Frame> {
  keepOnly(source, video);
  const canSkip = hasLengths(video);
  const decoder = await openDecoder(video, 1);
  try {
    yield* decodedFrames(source, video, decoder, {
      accepts: ({ data }) => !canSkip || data === null || !isDisposable(data),
      isAtOnce: true,
    });
  } finally {
    decoder.freeContext();
  }
}
