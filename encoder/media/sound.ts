/** The `audio` job: encodes one whole stream to AAC-LC segments. */
import type { Frame } from "node-av/lib";
import {
  type AudioJob,
  type AudioResult,
  type LoudnessTarget,
  type MeasuredLoudness,
  SoundCuts,
} from "../../protocol/jobs.ts";
import type { SourceAudio } from "../../protocol/source-facts.ts";
import { callBack } from "../platform/callbacks.ts";
import { JobError } from "../platform/errors.ts";
import {
  AAC_FRAME_SAMPLES,
  AAC_FRAMES,
  endFilters,
  outputChannels,
  outputRateHz,
} from "../../protocol/media/audio-plan.ts";
import { corrected, levelFilters, type LevelPlan, planLevel } from "../../protocol/media/level-plan.ts";
import { cutSound, frameCountOf, type SoundCut } from "../../protocol/media/sound-cuts.ts";
import { convertedSound, silentFrame, stereoSound } from "./converted-sound.ts";
import { decodedSound } from "./decoded-sound.ts";
import { ImposedSounds, LIMITER } from "./imposed-sound.ts";
import { joinedSound, type JoinedTake } from "./joined-sound.ts";
import type { JobContext } from "./job-context.ts";
import { LoudnessMeter } from "./loudness-meter.ts";
import { SoundEncoder, type SoundOutput } from "./sound-encoder.ts";
import { SoundGraph } from "./sound-graph.ts";
import { OpenFiles } from "./open-files.ts";
import { allowRange, montageFile, type OpenSource, openSource } from "./source.ts";
import { Store } from "./store.ts";

export async function encodeSound(job: AudioJob, context: JobContext): Promise<AudioResult> {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const store = new Store(job, context.onWait);
  const output = outputOf(job);
  const cuts = job.hasCuts === true ? cutSound(await readCuts(job, context), output.sampleRateHz) : null;
  const encoder = await SoundEncoder.open({ job, cuts }, output, store, context);
  const exactly = lengthOf(job, output, cuts);
  const level =
    job.loudness === undefined ? null : await measuredLevel({ job, output, exactly }, job.loudness, context);
  const meter = level === null ? null : new LoudnessMeter();
  const frames = outputFrames({ job, output, exactly, filters: level?.filters ?? "" }, level?.context ?? context);
  for await (const frame of job.imposed === undefined ? frames : mixedFrames(job, output, context, frames)) {
    await meter?.put(frame);
    await encoder.encode(frame);
    frame.free();
  }
  await encoder.encode(null);
  await store.flushed();
  const { user, system } = process.cpuUsage(cpu);
  const rendition = encoder.facts();
  return {
    kind: "audio",
    ...(cuts === null
      ? { rendition }
      : {
          rendition: { ...rendition, segments: [] },
          segmentBytes: rendition.segments.map(({ bytes }) => bytes),
        }),
    channels: output.channels,
    ...(level === null || meter === null ? {} : { loudness: { ...level.found, result: meter.finish() } }),
    encodeMs: performance.now() - startedMs,
    cpuMs: (user + system) / 1000,
  };
}

/** The share of a job that measuring takes. */
const MEASURING = 0.4;

/**
 * The first of two passes: what the sound has, and what is done to it. Where the limiter takes loudness away, one more pass says how much, and the gain
 * makes up for it.
 */
async function measuredLevel(
  sound: Omit<Output, "filters">,
  target: LoudnessTarget,
  context: JobContext,
): Promise<{ found: { source: MeasuredLoudness; gainDb: number }; filters: string; context: JobContext }> {
  const measure = async (filters: string): Promise<MeasuredLoudness> => {
    const meter = new LoudnessMeter();
    const onMeasured: JobContext["onProgress"] = (share, speed) => context.onProgress(share * MEASURING, speed);
    for await (const frame of outputFrames({ ...sound, filters }, { ...context, onProgress: onMeasured })) {
      await meter.put(frame);
      frame.free();
    }
    return meter.finish();
  };
  const filtersOf = (plan: LevelPlan) => levelFilters(plan, target, sound.output.sampleRateHz);
  const source = await measure("");
  const first = planLevel(source, target);
  const plan = first.isLimited ? corrected(first, await measure(filtersOf(first)), target) : first;
  const onEncoded: JobContext["onProgress"] = (share, speed) =>
    context.onProgress(MEASURING + share * (1 - MEASURING), speed);
  return {
    found: { source, gainDb: plan.gainDb },
    filters: filtersOf(plan),
    context: { ...context, onProgress: onEncoded },
  };
}

async function readCuts(job: AudioJob, { onWait }: JobContext): Promise<SoundCuts> {
  const { body } = await callBack(job, { method: "GET", path: "cuts" }, onWait);
  return SoundCuts.parse(JSON.parse(body.toString("utf8")));
}

/** What the sound is filled or cut to, in samples; null = its own length. */
function lengthOf({ durationMs }: AudioJob, { sampleRateHz }: SoundOutput, cuts: SoundCut[] | null): number | null {
  if (cuts !== null) return frameCountOf(cuts) * AAC_FRAME_SAMPLES;
  return durationMs === null ? null : Math.round((durationMs * sampleRateHz) / 1000);
}

/** What is mixed into mono may have two channels, so the result does. */
const outputOf = ({ audio, imposed }: AudioJob): SoundOutput => ({
  sampleRateHz: outputRateHz(audio.sampleRateHz),
  channels: imposed === undefined ? outputChannels(audio.channels) : 2,
});

/** The same frames, with the sounds that are mixed into them. */
async function* mixedFrames(
  job: AudioJob,
  output: SoundOutput,
  context: JobContext,
  frames: AsyncGenerator<Frame>,
): AsyncGenerator<Frame> {
  const sounds = await ImposedSounds.open(job, output, context);
  let limiter: SoundGraph | undefined;
  for await (const frame of frames) {
    await sounds.mixInto(frame);
    limiter ??= await SoundGraph.open(`${LIMITER},aformat=sample_fmts=fltp,${AAC_FRAMES}`, frame);
    limiter.put(frame);
    frame.free();
    yield* limiter.take();
  }
  limiter?.put(null);
  if (limiter !== undefined) yield* limiter.take();
  limiter?.close();
  await sounds.close();
}

interface Output {
  job: AudioJob;
  output: SoundOutput;
  /** Samples; null = the length of the sound. */
  exactly: number | null;
  /** libav's, before the sound is cut into frames; "" = none. */
  filters: string;
}

/** Frames of 1024 samples in the output's format, from presentation zero to the planned end. */
async function* outputFrames(
  { job, output, exactly, filters: level }: Output,
  context: JobContext,
): AsyncGenerator<Frame> {
  const startedMs = performance.now();
  const clipMs = job.clip.endMs === null ? null : job.clip.endMs - job.clip.startMs;
  const atMost = exactly ?? (clipMs === null ? null : Math.round((clipMs * output.sampleRateHz) / 1000));
  const endSeconds = atMost === null ? Infinity : atMost / output.sampleRateHz;
  const ends = endFilters({ exactly, atMost });
  const filters = level === "" ? ends : `${level},aformat=sample_fmts=fltp,${ends}`;
  const expectedMs = job.durationMs ?? Math.max(1, job.audio.startMs + job.audio.durationMs);

  let graph: SoundGraph | undefined;
  for await (const frame of soundOf(job, output, context)) {
    graph ??= await SoundGraph.open(filters, frame);
    graph.put(frame);
    const seconds = Number(frame.pts) / output.sampleRateHz;
    frame.free();
    yield* graph.ready();
    context.onProgress(Math.min(1, (seconds * 1000) / expectedMs), seconds / ((performance.now() - startedMs) / 1000));
    if (seconds > endSeconds + 1) break;
  }
  if (graph === undefined) {
    if (exactly === null) throw new JobError("source_damaged", "No sound of the source could be decoded.");
    using silence = silentFrame(output, AAC_FRAME_SAMPLES);
    graph = await SoundGraph.open(filters, silence);
    graph.put(silence);
  }
  for (const frame of graph.rest()) {
    context.onRead(); // hours of silence may follow a short sound
    yield frame;
  }
  graph.close();
}

/** The sound of the job in the output's format, from the start of the output on. */
async function* soundOf(job: AudioJob, output: SoundOutput, context: JobContext): AsyncGenerator<Frame> {
  const { montage } = job;
  const sounds = montage?.sounds ?? [job.audio];
  const files = [0, 1].map(
    () =>
      new OpenFiles(
        (file) => openSource(job, context, { path: montageFile(file), clock: sounds[file]?.clock ?? null }),
        ({ format }) => format.closeInput(),
      ),
  );
  try {
    if (montage === undefined)
      yield* rangeSound({ file: 0, startMs: job.clip.startMs, share: 1, audio: job.audio }, output, files);
    else yield* joinedSound(takesOf(montage, output, files), output);
  } finally {
    for (const opened of files) await opened.close();
  }
}

/** Each channel of a sound reads its file for itself. */
type SoundFiles = readonly OpenFiles<OpenSource>[];

function takesOf(montage: NonNullable<AudioJob["montage"]>, output: SoundOutput, files: SoundFiles): JoinedTake[] {
  let endMs = 0;
  const samplesUntil = (ms: number) => Math.round((ms * output.sampleRateHz) / 1000);
  return montage.takes.map(({ file, clip, durationMs }): JoinedTake => {
    const firstSample = samplesUntil(endMs);
    endMs += durationMs;
    const audio = montage.sounds[file] ?? null;
    const samples = samplesUntil(endMs) - firstSample;
    if (audio === null) return { samples, open: null };
    const share = durationMs / Math.max(1, audio.startMs + audio.durationMs);
    const open = (leadSeconds: number) =>
      rangeSound({ file, startMs: clip.startMs - leadSeconds * 1000, share, audio }, output, files);
    return { samples, open };
  });
}

interface SoundRange {
  file: number;
  /** May be before the start of the file, which is silent then. */
  startMs: number;
  /** Of the file. */
  share: number;
  audio: SourceAudio;
}

/** The sound of a file from a time on. */
function rangeSound(range: SoundRange, output: SoundOutput, files: SoundFiles): AsyncGenerator<Frame> {
  const { streamIndex, rightStreamIndex } = range.audio;
  const [one, other] = files;
  if (rightStreamIndex === undefined) return convertedSound(fileSound(one!, streamIndex, range), output);
  const mono = { ...output, channels: 1 };
  const left = convertedSound(fileSound(one!, streamIndex, range), mono);
  const right = convertedSound(fileSound(other!, rightStreamIndex, range), mono);
  return stereoSound(left, right, output);
}

async function* fileSound(files: OpenFiles<OpenSource>, streamIndex: number, { file, startMs, share }: SoundRange) {
  const source = await files.get(file);
  allowRange(source, share);
  yield* decodedSound(source, streamIndex, source.zeroSeconds + startMs / 1000);
}
