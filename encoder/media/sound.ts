/** The `audio` job: encodes one whole stream to AAC-LC segments. */
import { Frame, avChannelLayoutDefault } from "node-av/lib";
import { AV_NOPTS_VALUE, AV_SAMPLE_FMT_FLTP } from "node-av/constants";
import type { AudioJob, AudioResult } from "../../protocol/jobs.ts";
import { JobError } from "../platform/errors.ts";
import { AAC_FRAME_SAMPLES, outputChannels, outputRateHz, soundFilters } from "../../protocol/media/audio-plan.ts";
import { decodedFrames, openDecoder } from "./decode.ts";
import type { JobContext } from "./job-context.ts";
import { SoundEncoder, type SoundOutput } from "./sound-encoder.ts";
import { SoundGraph } from "./sound-graph.ts";
import { keepOnly, openSource } from "./source.ts";
import { Store } from "./store.ts";

export async function encodeSound(job: AudioJob, context: JobContext): Promise<AudioResult> {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const store = new Store(job, context.onWait);
  const output = { sampleRateHz: outputRateHz(job.audio.sampleRateHz), channels: outputChannels(job.audio.channels) };
  const encoder = await SoundEncoder.open(job, output, store, context);
  for await (const frame of outputFrames(job, output, context)) {
    await encoder.encode(frame);
    frame.free();
  }
  await encoder.encode(null);
  await store.flushed();
  const { user, system } = process.cpuUsage(cpu);
  return {
    kind: "audio",
    rendition: encoder.facts(),
    channels: output.channels,
    encodeMs: performance.now() - startedMs,
    cpuMs: (user + system) / 1000,
  };
}

/** Frames of 1024 samples in the output's format, from presentation zero to the planned end. */
async function* outputFrames(job: AudioJob, output: SoundOutput, context: JobContext): AsyncGenerator<Frame> {
  const startedMs = performance.now();
  const samplesIn = (ms: number) => Math.round((ms * output.sampleRateHz) / 1000);
  const exactly = job.durationMs === null ? null : samplesIn(job.durationMs);
  const clipMs = job.clip.endMs === null ? null : job.clip.endMs - job.clip.startMs;
  const filters = soundFilters(output, { exactly, atMost: exactly ?? (clipMs === null ? null : samplesIn(clipMs)) });
  const expectedMs = job.durationMs ?? Math.max(1, job.audio.startMs + job.audio.durationMs);

  let graph: SoundGraph | undefined;
  let format = "";
  for await (const { frame, startSample, seconds } of sourceSound(job, context)) {
    const kind = [frame.format, frame.sampleRate, frame.channels].join();
    if (graph === undefined) {
      graph = await SoundGraph.open(filters, frame);
      format = kind;
    }
    // After a format change the stream continues as silence; this is rare and better than failing.
    if (kind === format) {
      frame.pts = BigInt(startSample);
      graph.put(frame);
    }
    frame.free();
    yield* graph.take();
    context.onProgress(Math.min(1, (seconds * 1000) / expectedMs), seconds / ((performance.now() - startedMs) / 1000));
    if (clipMs !== null && seconds * 1000 > clipMs + 1000) break;
  }
  if (graph === undefined) {
    if (exactly === null) throw new JobError("source_damaged", "No sound of the source could be decoded.");
    using silence = silentFrame(output);
    graph = await SoundGraph.open(filters, silence);
    graph.put(silence);
  }
  graph.put(null);
  yield* graph.take();
  graph.close();
}

/** Yields decoded sound with its presentation time in samples of its own rate. Frames that end before time 0 are skipped. */
async function* sourceSound(job: AudioJob, context: JobContext) {
  const source = await openSource(job, context);
  const stream = source.format.streams[job.audio.streamIndex];
  if (stream === undefined) throw new JobError("source_damaged", "The source's audio stream is missing.");
  keepOnly(source, stream);
  const decoder = await openDecoder(stream, 1);
  const { num, den } = stream.timeBase;
  const zeroSeconds = source.zeroSeconds + job.clip.startMs / 1000;
  let nextSeconds = 0;
  try {
    for await (const frame of decodedFrames(source, stream, decoder)) {
      const pts = frame.bestEffortTimestamp;
      const seconds = pts === AV_NOPTS_VALUE ? nextSeconds : (Number(pts) * num) / den - zeroSeconds;
      nextSeconds = seconds + frame.nbSamples / frame.sampleRate;
      if (nextSeconds <= 0 || frame.nbSamples === 0) frame.free();
      else yield { frame, startSample: Math.round(seconds * frame.sampleRate), seconds };
    }
  } finally {
    decoder.freeContext();
  }
}

function silentFrame({ sampleRateHz, channels }: SoundOutput): Frame {
  const samples = Buffer.alloc(AAC_FRAME_SAMPLES * channels * Float32Array.BYTES_PER_ELEMENT);
  return Frame.fromAudioBuffer(samples, {
    nbSamples: AAC_FRAME_SAMPLES,
    format: AV_SAMPLE_FMT_FLTP,
    sampleRate: sampleRateHz,
    channelLayout: avChannelLayoutDefault(channels),
    timeBase: { num: 1, den: sampleRateHz },
    pts: 0n,
  });
}
