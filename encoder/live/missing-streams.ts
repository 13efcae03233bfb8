/** Notices streams of a source that do not come, or no longer. Pure. */
import type { InterleavedStream } from "./interleaving.ts";

/** A stream is missing when the others have gone on for this long without it. */
const MISSING_SECONDS = 10;

export class MissingStreams {
  readonly #streams = new Map<InterleavedStream, { lastSeconds: number | undefined; isReported: boolean }>();
  #furthestSeconds = -Infinity;

  /** The source has or announces this stream. */
  expect(stream: InterleavedStream): void {
    if (!this.#streams.has(stream)) this.#streams.set(stream, { lastSeconds: undefined, isReported: false });
  }

  /** Notes a packet. @param seconds its decode time @returns the streams that are missing since, each once until it comes again */
  note(stream: InterleavedStream, seconds: number): InterleavedStream[] {
    this.#streams.set(stream, { lastSeconds: seconds, isReported: false });
    this.#furthestSeconds = Math.max(this.#furthestSeconds, seconds);
    const missing: InterleavedStream[] = [];
    for (const [name, one] of this.#streams) {
      one.lastSeconds ??= seconds;
      if (one.isReported || this.#furthestSeconds - one.lastSeconds <= MISSING_SECONDS) continue;
      one.isReported = true;
      missing.push(name);
    }
    return missing;
  }

  /** The source's times begin anew. */
  changeTimeline(): void {
    this.#furthestSeconds = -Infinity;
    for (const one of this.#streams.values()) one.lastSeconds = undefined;
  }
}
