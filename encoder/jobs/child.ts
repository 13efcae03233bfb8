/** Entry point of a job's child process, which confines hostile media and crashes in native code to one job. */
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { JobError, JobStopped } from "../platform/errors.ts";
import { readSubtitles } from "../media/captions.ts";
import { encodeChunk } from "../media/chunk.ts";
import { probe } from "../media/facts.ts";
import type { JobContext } from "../media/job-context.ts";
import { encodeSound } from "../media/sound.ts";
import { lookThrough } from "../moderation/look-through.ts";
import { prepareSpeech } from "../speech/speech.ts";
import { transcribe } from "../speech/transcribe.ts";
import type { ChildMessage, ParentMessage } from "./messages.ts";
import { errorFields } from "../../protocol/error-fields.ts";
import type { Job, JobResult } from "../../protocol/jobs.ts";

const TICK_MS = 200;

Log.setLevel(AV_LOG_QUIET);
let job: Job | undefined;
process.on("message", (message: ParentMessage) => {
  if (message.type === "run") {
    job = message.job;
    void runAndReport(job);
  } else if (job !== undefined) {
    Object.assign(job, { token: message.token, expiresAt: message.expiresAt }); // every callback of the job reads these fields
  }
});
send({ type: "ready" });

async function runAndReport(job: Job): Promise<void> {
  const answer = await run(job, ticking()).then(
    (result): ChildMessage => ({ type: "result", result }),
    (error: unknown): ChildMessage => failureOf(error),
  );
  process.send!(answer, () => process.exit(0));
}

function run(job: Job, context: JobContext): Promise<JobResult> {
  if (job.kind === "probe") return probe(job, context);
  if (job.kind === "captions") return readSubtitles(job, context);
  if (job.kind === "speech") return prepareSpeech(job, context);
  if (job.kind === "transcribe") return transcribe(job, context);
  if (job.kind === "pictures") return lookThrough(job, context);
  return job.kind === "video" ? encodeChunk(job, context) : encodeSound(job, context);
}

/** Sends a tick on activity, at most one per `TICK_MS`. A hung libav causes none. */
function ticking(): JobContext {
  let [progress, speed, waitedMs, lastTickMs] = [0, 0, 0, 0];
  const tick = () => {
    const nowMs = performance.now();
    if (nowMs - lastTickMs < TICK_MS) return;
    lastTickMs = nowMs;
    send({ type: "tick", progress, speed, waitedMs });
  };
  return {
    onProgress: (fraction, mediaSecondsPerSecond) => {
      progress = Math.min(1, Math.max(0, fraction));
      speed = Number.isFinite(mediaSecondsPerSecond) ? Math.max(0, mediaSecondsPerSecond) : 0;
      tick();
    },
    onStored: (partial) => send({ type: "stored", partial }),
    onRead: tick,
    onWait: (ms) => {
      waitedMs += ms;
      tick();
    },
  };
}

function failureOf(error: unknown): ChildMessage {
  if (error instanceof JobStopped) return { type: "stopped" };
  if (error instanceof JobError) return { type: "failure", code: error.code, message: error.message.slice(0, 1000) };
  const message = "The encoder failed on this job.";
  return { type: "failure", code: "encoder_failed", message, unexpected: errorFields(error) };
}

function send(message: ChildMessage): void {
  process.send?.(message);
}
