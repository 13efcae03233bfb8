/** One sound of a broadcast: decodes it and converts it to one format for the current run. */
import type { BroadcastSound } from "./broadcast-sounds.ts";
import { SilenceMeter } from "./silence-meter.ts";
import { SoundConverter } from "./sound-converter.ts";
import type { TimedPacket } from "./live-source.ts";
import type { RunSequence } from "./run-sequence.ts";
import { type DecodedFrame, StreamDecoder } from "./stream-decoder.ts";

export class SoundInput {
  readonly #runs: RunSequence;
  /** Name of its rendition. */
  readonly #name: string;
  /** Whether a run may start with sound of this time. */
  readonly #startsRuns: (seconds: number) => boolean;
  readonly #decoder = new StreamDecoder();
  readonly #converter: SoundConverter;
  readonly #silence = new SilenceMeter();
  readonly #onSilent: () => void;

  /**
   * @param startsRuns whether a run may start with sound of this source time, because no picture is waited for
   * @param onSilent called when the sound has been silent for long
   */
  constructor(
    runs: RunSequence,
    { name, format }: Pick<BroadcastSound, "name" | "format">,
    startsRuns: (seconds: number) => boolean,
    onSilent: () => void,
  ) {
    this.#onSilent = onSilent;
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
    for await (const piece of this.#converter.rest()) await this.#runs.putSound(this.#name, piece);
  }

  [Symbol.dispose](): void {
    this.#decoder.close();
    this.#converter.close();
  }

  async #play(decoded: DecodedFrame): Promise<void> {
    const { seconds } = decoded;
    const runs = this.#runs;
    for await (const piece of this.#converter.convert(decoded)) {
      if (this.#silence.put(piece)) this.#onSilent();
      if (runs.isPublished(seconds)) continue;
      if (runs.current === null && this.#startsRuns(seconds)) await runs.openWithSound(seconds);
      await runs.putSound(this.#name, piece);
    }
  }
}
