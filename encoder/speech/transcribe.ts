/** The `transcribe` job: the words of one piece of speech. */
import { SPEECH_RATE_HZ, type TranscribeJob, type TranscribeResult } from "../../protocol/speech.ts";
import { convertedSound } from "../media/converted-sound.ts";
import { decodedSound, planesOf } from "../media/decoded-sound.ts";
import type { JobContext } from "../media/job-context.ts";
import { openSource } from "../media/source.ts";
import { JobError } from "../platform/errors.ts";
import { hear, modelName, modelPath } from "./whisper-model.ts";

export async function transcribe(job: TranscribeJob, context: JobContext): Promise<TranscribeResult> {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const model = modelName(modelPath());
  const samples = await readPiece(job, context);
  const seconds = samples.length / SPEECH_RATE_HZ;
  const onProgress = (share: number) =>
    context.onProgress(share, (share * seconds) / ((performance.now() - startedMs) / 1000));
  const { languageCode, words } = await hear({ ...job, samples }, onProgress);
  const { user, system } = process.cpuUsage(cpu);
  return {
    kind: "transcribe",
    engine: "whisper.cpp",
    model,
    languageCode,
    words,
    transcribeMs: performance.now() - startedMs,
    cpuMs: (user + system) / 1000,
  };
}

async function readPiece(job: TranscribeJob, context: JobContext): Promise<Float32Array> {
  const source = await openSource(job, context, { path: "piece" });
  const [stream] = source.audio;
  if (stream === undefined) throw new JobError("source_damaged", "The piece has no sound.");
  const planes: Float32Array[] = [];
  for await (const frame of convertedSound(decodedSound(source, stream.index, 0), {
    sampleRateHz: SPEECH_RATE_HZ,
    channels: 1,
  })) {
    planes.push(planesOf(frame)[0]!);
    frame.free();
  }
  await source.format.closeInput();
  const samples = new Float32Array(planes.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const plane of planes) {
    samples.set(plane, at);
    at += plane.length;
  }
  return samples;
}
