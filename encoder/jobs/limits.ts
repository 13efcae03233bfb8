/** Resource limits of a job's child process. Pure. */
import type { Job } from "../../protocol/jobs.ts";

export interface ChildLimits {
  /** Without progress for this long, libav is considered hung. */
  silenceMs: number;
  /** Total run time, excluding time spent waiting for the platform. */
  wallMs: number;
  /** Resident memory. */
  rssBytes: number;
}

const SILENCE_MS = 60_000;
const PROBE_WALL_MS = 10 * 60_000;
/** A demuxer of Matroska reads through the whole file. */
const CAPTIONS_WALL_MS = 60 * 60_000;
/** A piece has ten minutes at most, of which the model reports the end alone. A large one takes a dozen times as long on a slow processor. */
const SPEECH_WALL_MS = 3 * 3600_000;
/** 12 h of pictures are decoded in minutes, but its 9000 pictures are judged in an hour, and on a slow processor in several. */
const PICTURES_WALL_MS = 6 * 3600_000;
/** The largest models have 3 GB. */
const SPEECH_RSS_BYTES = 5 * 2 ** 30;
const START_WALL_MS = 10 * 60_000;
/** Slowest accepted encode: 90 s of run time per second of media. */
const WALL_PER_MEDIA = 90;
const BASE_RSS_BYTES = 1.5 * 2 ** 30;
/** Above 1080p memory grows with the picture size: reference frames, pictures in every thread, x264's lookahead. */
const RSS_BYTES_PER_PIXEL = 500;
const PIXELS_1080P = 1920 * 1080;

export function limitsOf(job: Job): ChildLimits {
  if (job.kind === "probe") return { silenceMs: SILENCE_MS, wallMs: PROBE_WALL_MS, rssBytes: BASE_RSS_BYTES };
  if (job.kind === "captions") return { silenceMs: SILENCE_MS, wallMs: CAPTIONS_WALL_MS, rssBytes: BASE_RSS_BYTES };
  if (job.kind === "speech") return { silenceMs: SILENCE_MS, wallMs: CAPTIONS_WALL_MS, rssBytes: BASE_RSS_BYTES };
  if (job.kind === "pictures") return { silenceMs: SILENCE_MS, wallMs: PICTURES_WALL_MS, rssBytes: BASE_RSS_BYTES };
  if (job.kind === "transcribe")
    return { silenceMs: SPEECH_WALL_MS, wallMs: SPEECH_WALL_MS, rssBytes: SPEECH_RSS_BYTES };
  if (job.kind === "audio") {
    const mediaMs = job.durationMs ?? job.audio.startMs + job.audio.durationMs;
    return { silenceMs: SILENCE_MS, wallMs: START_WALL_MS + mediaMs * 2, rssBytes: BASE_RSS_BYTES };
  }
  const { num, den } = job.grid.frameRate;
  const mediaMs = (job.frameCount * den * 1000) / num;
  const largerPixels = Math.max(0, job.video.widthPx * job.video.heightPx - PIXELS_1080P);
  return {
    silenceMs: SILENCE_MS,
    wallMs: START_WALL_MS + mediaMs * WALL_PER_MEDIA,
    rssBytes: BASE_RSS_BYTES + largerPixels * RSS_BYTES_PER_PIXEL,
  };
}
