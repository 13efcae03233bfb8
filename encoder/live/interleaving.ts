/**
 * How long the streams of a source are waited for: a source multiplexes picture and sound of one time up to seconds apart. Pure. Waiting
 * costs latency whenever a stream pauses, so a stream is waited for as long as it has been behind the others so far.
 */

/** A stream is waited for at least this long. */
const LEAST_SECONDS = 1.2;
/** The same in MP4, where a whole fragment of one track precedes the fragment of the other. */
const LEAST_FRAGMENT_SECONDS = 5;
/** Streams further apart are not played together. */
const LARGEST_SECONDS = 3.5;
/** A stream may come this much later than before. */
const MARGIN_SECONDS = 0.4;

/** A sound is named by its `streamId`. */
export type InterleavedStream = number | null | "picture";

export class Interleaving {
  /** A stream is waited for at most this long, in seconds. */
  readonly largestSeconds: number;
  readonly #leastSeconds: number;
  /** How far each stream has been behind the furthest one, at most. */
  readonly #lags = new Map<InterleavedStream, number>();
  #firstSeconds: number | undefined;
  #furthestSeconds = -Infinity;

  /** @param isFragmented the source is MP4 */
  constructor(isFragmented: boolean) {
    this.#leastSeconds = isFragmented ? LEAST_FRAGMENT_SECONDS : LEAST_SECONDS;
    this.largestSeconds = Math.max(this.#leastSeconds, LARGEST_SECONDS);
  }

  /** Notes a packet. @param seconds its decode time @returns whether it is too late to be waited for */
  note(stream: InterleavedStream, seconds: number): boolean {
    this.#firstSeconds ??= seconds;
    const lag = this.#furthestSeconds - seconds;
    this.#furthestSeconds = Math.max(this.#furthestSeconds, seconds);
    this.#lags.set(stream, Math.max(this.#lags.get(stream) ?? 0, Math.min(lag, this.largestSeconds)));
    return lag > this.largestSeconds;
  }

  /** The source's times begin anew. */
  changeTimeline(): void {
    this.#firstSeconds = undefined;
    this.#furthestSeconds = -Infinity;
  }

  /** How much later than the others a stream may come, in seconds. One that has not come by then is not waited for. */
  delaySeconds(stream: InterleavedStream): number {
    const lag = this.#lags.get(stream);
    if (lag !== undefined) return Math.min(this.largestSeconds, Math.max(this.#leastSeconds, lag + MARGIN_SECONDS));
    const passed = this.#furthestSeconds - (this.#firstSeconds ?? this.#furthestSeconds);
    return passed > this.largestSeconds ? 0 : this.largestSeconds;
  }
}
