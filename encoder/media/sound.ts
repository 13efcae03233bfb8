/** The `audio` job: encodes one whole stream to AAC-LC segments. */
import { createHash } from "node:crypto";
import { Codec, CodecContext, Frame, Packet, Rational, avChannelLayoutDefault } from "node-av";
import { AV_CODEC_FLAG_GLOBAL_HEADER, AV_NOPTS_VALUE, AV_SAMPLE_FMT_FLTP, FF_ENCODER_AAC } from "node-av/constants";
import type { AudioJob, AudioResult, InitFacts, SegmentFacts } from "../../protocol/jobs.ts";
import { JobError } from "../errors.ts";
import {
  AAC_FRAME_SAMPLES,
  nominalEnd,
  outputChannels,
  outputRateHz,
  soundFilters,
} from "../../protocol/media/audio-plan.ts";
import { initSegment, mediaSegment, type Sample } from "../../protocol/media/cmaf.ts";
import { decodedFrames, openDecoder } from "./decode.ts";
import type { JobContext } from "./job-context.ts";
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
async function* outputFrames(
  job: AudioJob,
  output: { sampleRateHz: number; channels: number },
  context: JobContext,
): AsyncGenerator<Frame> {
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

function silentFrame({ sampleRateHz, channels }: { sampleRateHz: number; channels: number }): Frame {
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

class SoundEncoder {
  readonly #job: AudioJob;
  readonly #store: Store;
  readonly #sampleRateHz: number;
  readonly #context: CodecContext;
  readonly #packet = new Packet();
  readonly #init: InitFacts;
  readonly #segments: SegmentFacts[] = [];
  #samples: Sample[] = [];
  #framesDone = 0; // AAC frames in finished segments
  readonly #listener: JobContext;
  readonly #channels: number;
  readonly #isStored: boolean[] = []; // by segment; uploads may finish out of order
  #isInitStored = false;
  #reported = 0; // number of segments reported as stored

  private constructor(
    job: AudioJob,
    output: { sampleRateHz: number; channels: number },
    context: CodecContext,
    store: Store,
    listener: JobContext,
  ) {
    this.#job = job;
    this.#listener = listener;
    this.#channels = output.channels;
    this.#store = store;
    this.#sampleRateHz = output.sampleRateHz;
    this.#context = context;
    this.#packet.alloc();
    const audioSpecificConfig = context.extraData ?? Buffer.alloc(0);
    const bytes = initSegment({
      kind: "audio",
      timescale: output.sampleRateHz,
      channels: output.channels,
      audioSpecificConfig,
      bitrateBps: job.bitrateBps,
    });
    this.#init = { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), codec: "mp4a.40.2" };
    store.put(job.rendition, "init.mp4", bytes, () => {
      this.#isInitStored = true;
      this.#reportStored();
    });
  }

  static async open(
    job: AudioJob,
    output: { sampleRateHz: number; channels: number },
    store: Store,
    listener: JobContext,
  ): Promise<SoundEncoder> {
    const codec = Codec.findEncoderByName(FF_ENCODER_AAC);
    const context = new CodecContext();
    context.allocContext3(codec);
    context.sampleRate = output.sampleRateHz;
    context.channelLayout = avChannelLayoutDefault(output.channels);
    context.sampleFormat = AV_SAMPLE_FMT_FLTP;
    context.timeBase = new Rational(1, output.sampleRateHz);
    context.bitRate = BigInt(job.bitrateBps);
    context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
    const opened = await context.open2(codec);
    if (opened < 0) throw new JobError("encoder_failed", `The AAC encoder did not start (${opened}).`);
    return new SoundEncoder(job, output, context, store, listener);
  }

  /** @param frame 1024 samples; null ends the stream */
  async encode(frame: Frame | null): Promise<void> {
    const sent = await this.#context.sendFrame(frame);
    if (sent < 0) throw new JobError("encoder_failed", `The AAC encoder refused sound (${sent}).`);
    while ((await this.#context.receivePacket(this.#packet)) >= 0) {
      // Discard priming, which the encoder outputs before its first sample.
      if (this.#packet.pts >= 0n) this.#add(Buffer.from(this.#packet.data ?? []));
      this.#packet.unref();
    }
    if (frame === null) this.#cut();
    await this.#store.settled();
  }

  facts() {
    return { name: this.#job.rendition, timescale: this.#sampleRateHz, init: this.#init, segments: this.#segments };
  }

  /** Reports each segment once, after all earlier ones are stored. */
  #reportStored(): void {
    if (!this.#isInitStored) return;
    let end = this.#reported;
    while (this.#isStored[end] === true) end++;
    if (end === this.#reported) return;
    const segments = this.#segments.slice(this.#reported, end);
    const { name, timescale, init } = this.facts();
    this.#listener.onStored({ name, timescale, init, channels: this.#channels, firstIndex: this.#reported, segments });
    this.#reported = end;
  }

  #add(data: Buffer): void {
    const end = nominalEnd(this.#segments.length + 1, this.#sampleRateHz, this.#job.segmentSeconds);
    if (this.#framesDone + this.#samples.length >= end) this.#cut();
    this.#samples.push({ data, isSync: true, durationTicks: AAC_FRAME_SAMPLES, compositionTicks: 0 });
  }

  #cut(): void {
    if (this.#samples.length === 0) return;
    const sequenceNumber = this.#segments.length + 1;
    const fragment = { sequenceNumber, decodeTicks: this.#framesDone * AAC_FRAME_SAMPLES, samples: this.#samples };
    const { bytes } = mediaSegment([fragment]);
    this.#store.put(this.#job.rendition, `${sequenceNumber - 1}.m4s`, bytes, () => {
      this.#isStored[sequenceNumber - 1] = true;
      this.#reportStored();
    });
    this.#segments.push({
      durationTicks: this.#samples.length * AAC_FRAME_SAMPLES,
      bytes: bytes.length,
      keyframes: [],
    });
    this.#framesDone += this.#samples.length;
    this.#samples = [];
  }
}
