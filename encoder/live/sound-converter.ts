/** Converts decoded sound of any format, which may change midway, to timed samples of one format. */
import { planesOf } from "../media/decoded-sound.ts";
import { SoundGraph } from "../media/sound-graph.ts";
import type { SoundFormat } from "./broadcast-sounds.ts";
import type { DecodedFrame } from "./stream-decoder.ts";

export interface SoundPiece {
  seconds: number; // source time
  planes: Float32Array[]; // one per channel
}

export class SoundConverter {
  readonly #output: SoundFormat;
  #graph: SoundGraph | undefined;
  #kind = "";
  #zeroSeconds = 0;

  constructor(output: SoundFormat) {
    this.#output = output;
  }

  /** Takes the frame. */
  async *convert({ frame, seconds }: DecodedFrame): AsyncGenerator<SoundPiece> {
    if (frame.nbSamples <= 0 || frame.sampleRate <= 0) return frame.free();
    const kind = [frame.format, frame.sampleRate, frame.channels].join();
    if (kind !== this.#kind) {
      yield* this.rest();
      this.#graph = await SoundGraph.open(this.#filters(), frame);
      this.#kind = kind;
      this.#zeroSeconds = seconds;
    }
    frame.pts = BigInt(Math.round((seconds - this.#zeroSeconds) * frame.sampleRate));
    this.#graph!.put(frame);
    frame.free();
    yield* this.#ready();
  }

  /** Drains the resampler. */
  async *rest(): AsyncGenerator<SoundPiece> {
    if (this.#graph === undefined) return;
    this.#graph.put(null);
    yield* this.#ready();
    this.close();
  }

  close(): void {
    this.#graph?.close();
    this.#graph = undefined;
    this.#kind = "";
  }

  async *#ready(): AsyncGenerator<SoundPiece> {
    for await (const frame of this.#graph!.take()) {
      const seconds = this.#zeroSeconds + Number(frame.pts) / this.#output.sampleRateHz;
      const planes = planesOf(frame);
      frame.free();
      yield { seconds, planes };
    }
  }

  /** Downmix coefficients sum to 1, which prevents clipping. */
  #filters(): string {
    const { sampleRateHz, channels } = this.#output;
    const layout = channels === 1 ? "mono" : "stereo";
    return `aresample=${sampleRateHz}:rematrix_maxval=1.0:out_chlayout=${layout}:out_sample_fmt=fltp`;
  }
}
