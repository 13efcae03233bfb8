/** Watches a source, and warns its owner of what is wrong with it. */
import type { IngestWarning, IngestWarningCode } from "../../protocol/ingest-warning.ts";
import type { BroadcastSound } from "./broadcast-sounds.ts";
import { IngestWarnings } from "./ingest-warnings.ts";
import type { InterleavedStream, Interleaving } from "./interleaving.ts";
import type { SourceProblems } from "./live-source.ts";
import { MissingStreams } from "./missing-streams.ts";
import type { Kind } from "./source-timeline.ts";

const NAMES: Record<Kind, string> = { video: "picture", audio: "sound" };

export class SourceWatch implements SourceProblems {
  readonly #warnings = new IngestWarnings();
  readonly #missing = new MissingStreams();
  #sounds: () => readonly BroadcastSound[] = () => [];

  /**
   * Called once the streams are known.
   *
   * @param streams that the source has or announces
   * @param sounds of the broadcast, for their labels
   */
  begin(streams: readonly InterleavedStream[], sounds: () => readonly BroadcastSound[]): void {
    for (const stream of streams) this.#missing.expect(stream);
    this.#sounds = sounds;
  }

  /** Notes a packet. @param seconds its decode time */
  note(stream: InterleavedStream, seconds: number, interleaving: Interleaving): void {
    if (interleaving.note(stream, seconds)) {
      const late = `comes more than ${interleaving.largestSeconds} s late and is left out.`;
      this.#warn("interleaving", `The ${this.#nameOf(stream)} ${late}`);
    }
    for (const missing of this.#missing.note(stream, seconds))
      this.#warn(
        missing === "picture" ? "no_picture" : "no_sound",
        `The ${this.#nameOf(missing)} has been missing for 10 s.`,
      );
  }

  /** The source's times begin anew. */
  changeTimeline(): void {
    this.#missing.changeTimeline();
  }

  onSilent(sound: InterleavedStream): void {
    this.#warn("silent", `The ${this.#nameOf(sound)} has been silent for 30 s.`);
  }

  onRefused(codec: string, kind: Kind): void {
    this.#warn("codec_refused", `The ${NAMES[kind]} is left out: ${codec} cannot be decoded.`);
  }

  onWrongTime(kind: Kind): void {
    this.#warn("frames_dropped", `Timestamps of the ${NAMES[kind]} are far from their neighbours.`);
  }

  onDamaged(): void {
    this.#warn("frames_dropped", "Pictures arrive damaged.");
  }

  /** All warnings so far if there is a new one since the last call, and null otherwise. */
  takeChanged(): IngestWarning[] | null {
    return this.#warnings.takeChanged();
  }

  #warn(code: IngestWarningCode, message: string): void {
    this.#warnings.add(code, message, Date.now());
  }

  #nameOf(stream: InterleavedStream): string {
    if (stream === "picture") return NAMES.video;
    const sound = this.#sounds().find(({ streamId }) => streamId === stream);
    const { languageCode = "und", title = "" } = sound ?? {};
    const label = [title, languageCode].find((one) => one !== "" && one !== "und");
    return label === undefined ? NAMES.audio : `${NAMES.audio} "${label}"`;
  }
}
