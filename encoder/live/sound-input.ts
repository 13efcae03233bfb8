/** One sound of a broadcast: decodes it and converts it to one format for the current run. */
import type { BroadcastSound } from "./broadcast-sounds.ts";
import { SoundConverter } from "./sound-converter.ts";
import type { TimedPacket } from "./live-source.ts";
import type { RunSequence } from "./run-sequence.ts";
import { type DecodedFrame, StreamDecoder } from "./stream-decoder.ts";

export class SoundInput {
  readonly #runs: RunSequence;
  /** Name of its rendition. */
  readonly #name: string;
  /** The source has no picture, so a run starts with its sound. */
  readonly #startsRuns: boolean;
  readonly #decoder = new StreamDecoder();
  readonly #converter: SoundConverter;

  /** @param startsRuns the source has no picture */
  constructor(runs: RunSequence, { name, format }: BroadcastSound, startsRuns: boolean) {
    this.#runs = runs;
    this.#name = name;
    this.#startsRuns = startsRuns;
    this.#converter = new SoundConverter(format);
  }

  async put(timed: TimedPacket): Promise<void> {
    if (!this.#decoder.isFor(timed.stream)) for await (const frame of this.#decoder.rest()) await this.#play(frame);
    for await (const frame of this.#decoder.decode(timed)) await this.#play(frame);
  }

  /** Puts the sound that is still in the decoder and in the converter. */
  async drain(): Promise<void> {
    for await (const frame of this.#decoder.rest()) await this.#play(frame);
    for await (const piece of this.#converter.rest()) await this.#runs.current?.putSound(this.#name, piece);
  }

  [Symbol.dispose](): void {
    this.#decoder.close();
    this.#converter.close();
  }

  async #play(decoded: DecodedFrame): Promise<void> {
    const { seconds } = decoded;
    const runs = this.#runs;
    for await (const piece of this.#converter.convert(decoded)) {
      if (runs.isPublished(seconds)) continue;
      if (runs.current === null && this.#startsRuns) await runs.open(seconds, null);
      if (runs.current === null) runs.keepEarly(this.#name, piece);
      else await runs.current.putSound(this.#name, piece);
    }
  }
}
