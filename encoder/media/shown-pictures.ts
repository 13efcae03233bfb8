/** The pictures of a video job with the filters that make those of its rungs. */
import { Frame } from "node-av/lib";
import { AV_PIX_FMT_YUV420P, AVCOL_SPC_BT709, AVCOL_SPC_SMPTE170M, AVCOL_SPC_UNSPECIFIED } from "node-av/constants";
import type { ClipRange, VideoJob, VideoRung } from "../../protocol/jobs.ts";
import type { SourceVideo } from "../../protocol/source-facts.ts";
import type { Pick } from "../../protocol/media/frame-picker.ts";
import type { MarkPlace } from "../../protocol/media/mark-place.ts";
import type { Size } from "../../protocol/ladder.ts";
import type { JobContext } from "./job-context.ts";
import { pickedPictures, type SeenPictures, type WantedFrames } from "./picked-pictures.ts";
import { haveSameShape, type PixelAspects, pixelAspects, shownSize } from "./picture-shape.ts";
import { framesAround } from "./rung-plan.ts";
import { type ColorMatrix, type ColorPlan, colorPlan, scaleGraph } from "./scale-graph.ts";
import { FilePictures } from "./file-pictures.ts";
import { OpenFiles } from "./open-files.ts";
import { pictures, type TimedFrame } from "./picture.ts";
import { allowRange, montageFile, openSource } from "./source.ts";

/** libav's graph from a picture to those of all rungs. */
export type Filters = (frame: Frame, marks: readonly MarkPlace[]) => string;

export interface ShownPicture extends Pick<Frame> {
  /** One function for all pictures of a range: those of another range need another graph. */
  filters: Filters;
}

export interface ShownPictures {
  /** Of the output. */
  matrix: ColorMatrix;
  pictures: AsyncGenerator<ShownPicture>;
}

/** Those of the one range of the source. */
export async function sourcePictures(job: VideoJob, context: JobContext, seen: SeenPictures): Promise<ShownPictures> {
  const { video, clip, grid, rungs } = job;
  const source = await openSource(job, context, { clock: video.clock ?? null });
  const stream = source.format.streams[video.streamIndex];
  const color = colorPlan(stream?.codecpar.colorSpace ?? 1, video.heightPx, video.hdr);
  const filters = rungFilters(pixelAspects(stream), { video, rungs, canvas: video, color });
  const holdsLast = job.holdsLastPicture === true ? "unless truncated" : "never";
  const range = { video, clip, rate: grid.frameRate, wanted: framesAround(job), holdsLast } as const;
  const from = (seconds: number) => pictures(source, video, seconds, source.zeroSeconds + clip.startMs / 1000);
  return { matrix: color.matrix, pictures: withFilters(pickedPictures(from, range, seen), filters) };
}

async function* withFilters(
  picks: AsyncGenerator<Pick<Frame>>,
  filters: Filters,
  firstFrame = 0,
): AsyncGenerator<ShownPicture> {
  for await (const pick of picks) yield { ...pick, firstFrame: firstFrame + pick.firstFrame, filters };
}

interface Shaping {
  video: SourceVideo;
  rungs: readonly VideoRung[];
  /** The shape of the rungs. */
  canvas: Size;
  color: ColorPlan;
}

/**
 * The filters of the pictures of a range. Their size, pixels and matrix may change on the way, but those of a rung do not: a picture of another shape
 * than the rungs' gets bars.
 */
function rungFilters(
  aspects: PixelAspects,
  { video, rungs, canvas, color: { matrix, isConverted } }: Shaping,
): Filters {
  return (frame, marks) => {
    const shown = shownSize(frame, aspects, video);
    const own = colorPlan(frame.colorSpace, shown.heightPx, video.hdr);
    const hasOtherMatrix = frame.colorSpace !== AVCOL_SPC_UNSPECIFIED && own.matrix !== matrix;
    const other = haveSameShape(shown, canvas) ? null : shown;
    return scaleGraph(video, [...rungs], isConverted || own.isConverted || hasOtherMatrix, { matrix, other, marks });
  };
}

type Montage = NonNullable<VideoJob["montage"]>;

/** Those of several ranges, one after another. The matrix follows from the size, because no chunk may need to open the file that gives it. */
export function montagePictures(
  job: VideoJob,
  montage: Montage,
  context: JobContext,
  seen: SeenPictures,
): ShownPictures {
  const { matrix } = colorPlan(AVCOL_SPC_UNSPECIFIED, job.video.heightPx, job.video.hdr);
  return { matrix, pictures: takesOf(job, { montage, matrix, context, seen }) };
}

interface TakesContext {
  montage: Montage;
  matrix: ColorMatrix;
  context: JobContext;
  seen: SeenPictures;
}

async function* takesOf(job: VideoJob, around: TakesContext): AsyncGenerator<ShownPicture> {
  const range = framesAround(job);
  const videoOf = (file: number) => around.montage.pictures[file] ?? null;
  const files = new OpenFiles(
    async (file) => {
      const video = videoOf(file)!;
      const request = { path: montageFile(file), clock: video.clock ?? null };
      return new FilePictures(await openSource(job, around.context, request), video);
    },
    (opened) => opened.close(),
  );
  let firstFrame = 0;
  try {
    for (const { file, clip, frameCount } of around.montage.takes) {
      const first = Math.max(range.firstFrame, firstFrame);
      const end = Math.min(range.firstFrame + range.frameCount, firstFrame + frameCount);
      const wanted = { firstFrame: first - firstFrame, frameCount: end - first };
      const video = videoOf(file);
      if (wanted.frameCount > 0)
        yield* video === null
          ? black(job.rungs, firstFrame, wanted)
          : take(job, { from: await files.get(file), video, clip, firstFrame, wanted }, around);
      firstFrame += frameCount;
    }
  } finally {
    await files.close();
  }
}

interface Take {
  from: FilePictures;
  video: SourceVideo;
  clip: ClipRange;
  /** Of the output. */
  firstFrame: number;
  wanted: WantedFrames;
}

async function* take(
  job: VideoJob,
  { from, video, clip, firstFrame, wanted }: Take,
  { matrix, seen }: TakesContext,
): AsyncGenerator<ShownPicture> {
  const { rungs, grid } = job;
  const { source } = from;
  const aspects = pixelAspects(source.format.streams[video.streamIndex]);
  const fileMs = video.startMs + video.durationMs;
  allowRange(source, ((clip.endMs ?? fileMs) - clip.startMs) / Math.max(1, fileMs));
  const color = { matrix, isConverted: false };
  const filters = rungFilters(aspects, { video, rungs, canvas: job.video, color });
  const range = { video: inClip(video, clip), clip, rate: grid.frameRate, wanted, holdsLast: "always" } as const;
  const picks = pickedPictures((seconds) => inRange(from, clip.startMs / 1000, seconds), range, seen);
  for await (const picture of withFilters(picks, filters, firstFrame)) {
    picture.frame.colorSpace = declaredMatrix(picture.frame, shownSize(picture.frame, aspects, video), video);
    yield picture;
  }
}

/** Pictures of a file in the time of a range of it. */
async function* inRange(file: FilePictures, startSeconds: number, fromSeconds: number): AsyncGenerator<TimedFrame> {
  for await (const { timeSeconds, ...picture } of file.from(startSeconds + fromSeconds))
    yield { ...picture, timeSeconds: timeSeconds - startSeconds };
}

/** Facts of a whole file, in the time of a range of it. */
const inClip = (video: SourceVideo, { startMs }: ClipRange): SourceVideo => ({
  ...video,
  startMs: Math.max(0, video.startMs - startMs),
  ...(video.gridMs === undefined ? {} : { gridMs: video.gridMs - startMs }),
});

/** Pictures of several files meet in one output, so a matrix that is assumed for one of them is stated. */
function declaredMatrix(frame: Frame, { heightPx }: Size, { hdr }: SourceVideo): Frame["colorSpace"] {
  if (frame.colorSpace !== AVCOL_SPC_UNSPECIFIED || hdr !== null) return frame.colorSpace;
  return colorPlan(AVCOL_SPC_UNSPECIFIED, heightPx, null).matrix === 1 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

/** A file without a picture. */
async function* black(
  rungs: VideoRung[],
  firstFrame: number,
  { firstFrame: first, frameCount }: WantedFrames,
): AsyncGenerator<ShownPicture> {
  const { widthPx: width, heightPx: height } = rungs[0]!;
  const samples = Buffer.concat([Buffer.alloc(width * height, 16), Buffer.alloc((width * height) / 2, 128)]);
  const timeBase = { num: 1, den: 1 };
  const frame = Frame.fromVideoBuffer(samples, { width, height, format: AV_PIX_FMT_YUV420P, timeBase, pts: 0n });
  const upright = { hdr: null, rotationDegrees: 0 } as const;
  yield {
    frame,
    firstFrame: firstFrame + first,
    count: frameCount,
    filters: (_, marks) => scaleGraph(upright, rungs, false, { marks }),
  };
}
