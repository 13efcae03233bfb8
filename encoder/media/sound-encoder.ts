/** Encodes sound to AAC-LC, cuts it into segments and reports each segment once it is stored. */
import { createHash } from "node:crypto";
import { type CodecContext, type Frame, Packet } from "node-av/lib";
import type { AudioJob, InitFacts, SegmentFacts } from "../../protocol/jobs.ts";
import { AAC_FRAME_SAMPLES, nominalEnd } from "../../protocol/media/audio-plan.ts";
import { initSegment, mediaSegment, type Sample } from "../../protocol/media/cmaf.ts";
import type { SoundCut } from "../../protocol/media/sound-cuts.ts";
import { openAacEncoder } from "./aac-encoder.ts";
import { JobError } from "../platform/errors.ts";
import type { JobContext } from "./job-context.ts";
import type { Store } from "./store.ts";

export interface SoundOutput {
  sampleRateHz: number;
  channels: number;
}

/** A job with the segments that it writes. */
interface CutJob {
  job: AudioJob;
  /** Null = segments of the job's nominal duration. */
  cuts: readonly SoundCut[] | null;
}

export class SoundEncoder {
  readonly #job: AudioJob;
  readonly #cuts: readonly SoundCut[] | null;
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
    { job, cuts }: CutJob,
    output: SoundOutput,
    context: CodecContext,
    store: Store,
    listener: JobContext,
  ) {
    this.#job = job;
    this.#cuts = cuts;
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
    store.put(job.rendition, cuts === null ? "init.mp4" : "init-0.mp4", bytes, () => {
      this.#isInitStored = true;
      this.#reportStored();
    });
  }

  static async open(work: CutJob, output: SoundOutput, store: Store, listener: JobContext): Promise<SoundEncoder> {
    const context = await openAacEncoder({ ...output, bitrateBps: work.job.bitrateBps });
    return new SoundEncoder(work, output, context, store, listener);
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

  /** Reports each segment once, after all earlier ones are stored. Sound of recordings is listed when it is whole. */
  #reportStored(): void {
    if (!this.#isInitStored || this.#cuts !== null) return;
    let end = this.#reported;
    while (this.#isStored[end] === true) end++;
    if (end === this.#reported) return;
    const segments = this.#segments.slice(this.#reported, end);
    const { name, timescale, init } = this.facts();
    this.#listener.onStored({ name, timescale, init, channels: this.#channels, firstIndex: this.#reported, segments });
    this.#reported = end;
  }

  #add(data: Buffer): void {
    if (this.#framesDone + this.#samples.length >= this.#segmentEnd()) this.#cut();
    this.#samples.push({ data, isSync: true, durationTicks: AAC_FRAME_SAMPLES, compositionTicks: 0 });
  }

  /** End of the current segment, in AAC frames from the start. */
  #segmentEnd(): number {
    const number = this.#segments.length;
    if (this.#cuts === null) return nominalEnd(number + 1, this.#sampleRateHz, this.#job.segmentSeconds);
    const cut = this.#cuts[number];
    return cut === undefined ? Infinity : cut.firstFrame + cut.frameCount;
  }

  #cut(): void {
    if (this.#samples.length === 0) return;
    const number = this.#segments.length;
    const { decodeTicks = this.#framesDone * AAC_FRAME_SAMPLES, isGap = false } = this.#cuts?.[number] ?? {};
    const { bytes } = mediaSegment([{ sequenceNumber: number + 1, decodeTicks, samples: this.#samples }]);
    if (!isGap)
      this.#store.put(this.#job.rendition, `${number}.m4s`, bytes, () => {
        this.#isStored[number] = true;
        this.#reportStored();
      });
    this.#segments.push({
      durationTicks: this.#samples.length * AAC_FRAME_SAMPLES,
      bytes: isGap ? 0 : bytes.length,
      keyframes: [],
    });
    this.#framesDone += this.#samples.length;
    this.#samples = [];
  }
}
