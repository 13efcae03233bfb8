import type { SourceVideo } from "../../protocol/source-facts.ts";
import { pictures, type TimedFrame } from "./picture.ts";
import type { OpenSource } from "./source.ts";

/** The last pictures are kept for a range that begins where the one before ended. */
const PICTURES_KEPT = 4;
/** Up to here, decoding on is cheaper than a search. */
const NEAR_SECONDS = 1;

/**
 * The pictures of a file for one range after another. A range that lies ahead of the last one, with no key frame between them, continues its decoding:
 * a file with one key frame is decoded once, however many ranges of it are shown.
 */
export class FilePictures {
  readonly source: OpenSource;
  readonly #facts: SourceVideo;
  #running: AsyncGenerator<TimedFrame> | null = null;
  #kept: TimedFrame[] = [];
  /** A search has led back to pictures that had been decoded before. */
  #isSparse = false;

  constructor(source: OpenSource, facts: SourceVideo) {
    this.source = source;
    this.#facts = facts;
  }

  /** Yields pictures from the last one at or before a presentation time of the file, or from an earlier one. The receiver owns them. */
  async *from(fromSeconds: number): AsyncGenerator<TimedFrame> {
    const decodedSeconds = this.#kept.at(-1)?.timeSeconds ?? Infinity;
    const isAhead = (this.#kept[0]?.timeSeconds ?? Infinity) <= fromSeconds;
    if (isAhead && (this.#isSparse || fromSeconds - decodedSeconds < NEAR_SECONDS)) {
      for (const { frame, ...times } of this.#kept) yield { ...times, frame: cloneOf(frame) };
      return yield* this.#rest();
    }
    await this.#stop();
    this.#running = pictures(this.source, this.#facts, fromSeconds, this.source.zeroSeconds);
    for await (const picture of this.#rest()) {
      if (isAhead && picture.timeSeconds <= decodedSeconds) this.#isSparse = true;
      yield picture;
    }
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.source.format.closeInput();
  }

  /** Unlike the decoding itself, this may end early, and be continued. */
  async *#rest(): AsyncGenerator<TimedFrame> {
    while (this.#running !== null) {
      const { value, done } = await this.#running.next();
      if (done === true) return;
      this.#kept.push({ ...value, frame: cloneOf(value.frame) });
      if (this.#kept.length > PICTURES_KEPT) this.#kept.shift()!.frame.free();
      yield value;
    }
  }

  async #stop(): Promise<void> {
    await this.#running?.return(undefined);
    this.#running = null;
    for (const { frame } of this.#kept.splice(0)) frame.free();
  }
}

function cloneOf(frame: TimedFrame["frame"]): TimedFrame["frame"] {
  const clone = frame.clone();
  if (clone === null) throw new Error("there is no memory for a picture");
  return clone;
}
