/** Mixes further sounds into that of an audio job. */
import type { Frame } from "node-av/lib";
import { AV_DISPOSITION_DEFAULT, AV_NOPTS_VALUE } from "node-av/constants";
import type { AudioJob, ImposedSound } from "../../protocol/jobs.ts";
import { imposedGain, type ImposedSpan } from "../../protocol/media/imposed-gain.ts";
import { JobError } from "../platform/errors.ts";
import { convertedSound } from "./converted-sound.ts";
import { decodedSound, planesOf } from "./decoded-sound.ts";
import type { JobContext } from "./job-context.ts";
import type { SoundOutput } from "./sound-encoder.ts";
import { type OpenSource, openSource } from "./source.ts";

/** Keeps the sum of several loud sounds below full scale, without a change of what is below it anyway. */
export const LIMITER = "alimiter=limit=1:level=disabled:latency=1";

export class ImposedSounds {
  readonly #sounds: Sound[];

  private constructor(sounds: Sound[]) {
    this.#sounds = sounds;
  }

  /** @throws {JobError} with a `source_*` code when a file has no usable sound; the message names its position */
  static async open(job: AudioJob, output: SoundOutput, context: JobContext): Promise<ImposedSounds> {
    const sounds: Sound[] = [];
    for (const [position, imposed] of (job.imposed ?? []).entries())
      sounds.push(await named(position, () => Sound.open(job, { position, imposed, output }, context)));
    return new ImposedSounds(sounds);
  }

  /** @param frame of the output's format; its samples are changed */
  async mixInto(frame: Frame): Promise<void> {
    const planes = (frame.data ?? []).slice(0, frame.channels);
    const samples = planes.map((plane) => new Float32Array(plane.buffer, plane.byteOffset, frame.nbSamples));
    for (const [position, sound] of this.#sounds.entries())
      await named(position, () => sound.mixInto(samples, Number(frame.pts)));
  }

  async close(): Promise<void> {
    for (const sound of this.#sounds) await sound.close();
  }
}

/** One of them, which is decoded as far as it is needed. */
class Sound {
  readonly #span: ImposedSpan;
  readonly #pieces: AsyncGenerator<Float32Array[]>;
  /** Decoded samples from `#position` on. */
  #piece: Float32Array[] = [];
  #position: number;
  #isOver = false;

  private constructor(span: ImposedSpan, pieces: AsyncGenerator<Float32Array[]>) {
    this.#span = span;
    this.#pieces = pieces;
    this.#position = span.start;
  }

  static async open(
    job: AudioJob,
    { position, imposed, output }: { position: number; imposed: ImposedSound; output: SoundOutput },
    context: JobContext,
  ): Promise<Sound> {
    const source = await openSource(job, context, { path: `imposed/${position}` });
    return new Sound(spanOf(imposed, job.durationMs, secondsOf(source), output), piecesOf(source, output));
  }

  /** @param first number of the first sample */
  async mixInto(planes: Float32Array[], first: number): Promise<void> {
    const length = planes[0]?.length ?? 0;
    const until = Math.min(first + length, this.#span.end);
    while (!this.#isOver && this.#position < until && this.#span.start < first + length) {
      const available = this.#piece[0]?.length ?? 0;
      if (available === 0) {
        const { value, done } = await this.#pieces.next();
        if (done === true) this.#isOver = true;
        else this.#piece = value;
        continue;
      }
      const count = Math.min(available, until - this.#position);
      this.#add(planes, this.#position - first, count);
      this.#piece = this.#piece.map((plane) => plane.subarray(count));
      this.#position += count;
    }
  }

  #add(planes: Float32Array[], at: number, count: number): void {
    for (let index = 0; index < count; index += 1) {
      const gain = imposedGain(this.#position + index, this.#span);
      for (const [channel, plane] of planes.entries()) plane[at + index]! += gain * this.#piece[channel]![index]!;
    }
  }

  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }
}

function spanOf(
  { startMs, endMs, fadeInMs, fadeOutMs }: ImposedSound,
  mediaMs: number | null,
  ownSeconds: number,
  { sampleRateHz }: SoundOutput,
): ImposedSpan {
  const samplesIn = (ms: number) => Math.round((ms * sampleRateHz) / 1000);
  const start = samplesIn(startMs);
  const ends = [endMs ?? Infinity, mediaMs ?? Infinity].map(samplesIn);
  const end = Math.min(...ends, start + Math.round(ownSeconds * sampleRateHz));
  return { start, end, fadeIn: samplesIn(fadeInMs), fadeOut: samplesIn(fadeOutMs) };
}

/** @returns Infinity = the container does not say */
function secondsOf({ format, clock }: OpenSource): number {
  return clock !== null || format.duration === AV_NOPTS_VALUE || format.duration <= 0n
    ? Infinity
    : Number(format.duration) / 1e6;
}

/** The sound of a file's default stream from its first sample on, one plane per channel. */
async function* piecesOf(source: OpenSource, output: SoundOutput): AsyncGenerator<Float32Array[]> {
  const sound = decodedSound(source, defaultStream(source).index, source.zeroSeconds);
  try {
    for await (const frame of convertedSound(sound, output)) {
      const planes = planesOf(frame);
      frame.free();
      yield planes;
    }
  } finally {
    await source.format.closeInput();
  }
}

function defaultStream({ audio }: OpenSource) {
  const stream = audio.find((one) => one.hasDisposition(AV_DISPOSITION_DEFAULT)) ?? audio[0];
  if (stream === undefined) throw new JobError("source_no_streams", "The file has no sound.");
  return stream;
}

/** Which of several files is at fault. */
async function named<T>(position: number, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    throw new JobError(error.code, `imposeTracks[${position}]: ${error.message}`, { cause: error });
  }
}
