/** A rung that is not encoded: the pictures of the files themselves. */
import { Packet, type Stream } from "node-av/lib";
import { AV_NOPTS_VALUE } from "node-av/constants";
import type { RenditionFacts, VideoJob } from "../../protocol/jobs.ts";
import { frameSeconds } from "../../protocol/media/frame-picker.ts";
import { JobError } from "../platform/errors.ts";
import type { JobContext } from "./job-context.ts";
import { keepOnly, readPacket, seek } from "./packets.ts";
import type { ColorMatrix } from "./scale-graph.ts";
import { SegmentCutter } from "./segment-cutter.ts";
import { montageFile, type OpenSource, openSource } from "./source.ts";
import type { Store } from "./store.ts";

/**
 * Copies the pictures of a chunk of a montage to the segments of its first rung. The Worker has found that every take is a whole file with the same
 * parameters of the codec, and has key frames where segments begin.
 *
 * @throws {JobError} source_damaged when a file is otherwise
 */
export async function copyTopRung(
  job: VideoJob,
  montage: NonNullable<VideoJob["montage"]>,
  { context, store, matrix }: { context: JobContext; store: Store; matrix: ColorMatrix },
): Promise<RenditionFacts> {
  let cutter: SegmentCutter | undefined;
  let takeStart = 0;
  const [jobStart, jobEnd] = [job.firstFrame, job.firstFrame + job.frameCount];
  for (const { file, frameCount } of montage.takes) {
    const video = montage.pictures[file];
    const range = {
      first: Math.max(jobStart - takeStart, 0),
      end: Math.min(jobEnd - takeStart, frameCount),
    };
    if (range.first < range.end && video) {
      const source = await openSource(job, context, { path: montageFile(file), clock: video.clock ?? null });
      const stream = source.format.streams[video.streamIndex];
      const avcConfig = stream?.codecpar.extradata;
      if (stream === undefined || !avcConfig) throw notCopied();
      cutter ??= new SegmentCutter(job.rungs[0]!, job.grid, { ...job, colorMatrix: matrix }, avcConfig, store);
      const pictures = { source, stream, zeroSeconds: source.zeroSeconds + video.startMs / 1000 };
      for await (const { frame, ...coded } of codedPictures(pictures, range, frameSeconds(job.grid.frameRate))) {
        cutter.add({ frame: takeStart + frame, ...coded });
        await store.settled();
      }
      await source.format.closeInput();
    }
    takeStart += frameCount;
  }
  if (cutter === undefined) throw notCopied();
  cutter.finish();
  return cutter.facts();
}

interface Pictures {
  source: OpenSource;
  stream: Stream;
  /** File time of frame 0. */
  zeroSeconds: number;
}

/** Frames of the file [first, end) in decode order, the first of which is a key frame. */
async function* codedPictures(
  { source, stream, zeroSeconds }: Pictures,
  { first, end }: { first: number; end: number },
  secondsPerFrame: number,
) {
  keepOnly(source, stream);
  // A time between two frames: that of the first one may be rounded up.
  if (first > 0 && !(await seek(source, stream, zeroSeconds + (first + 0.25) * secondsPerFrame))) throw notCopied();
  const { num, den } = stream.timeBase;
  using packet = new Packet();
  packet.alloc();
  let found = 0;
  while (found < end - first && (await readPacket(source, packet))) {
    const { streamIndex, pts, isKeyframe: isSync } = packet;
    if (streamIndex === stream.index && pts !== AV_NOPTS_VALUE) {
      const frame = Math.round(((Number(pts) * num) / den - zeroSeconds) / secondsPerFrame);
      const isWanted = found > 0 || (isSync && frame === first);
      if (isWanted) {
        if (frame < first || frame >= end) throw notCopied();
        found += 1;
        yield { frame, isSync, data: Buffer.from(packet.data ?? []) };
      }
    }
    packet.unref();
  }
  if (found < end - first) throw notCopied();
}

const notCopied = () => new JobError("source_damaged", "The source's pictures are not where its index says.");
