import { readInit } from "../init-segment.ts";
import type { HttpClient } from "../http-client.ts";
import { readSamples } from "../samples.ts";
import type { DashEvidence, MediaAnswer } from "./evidence.ts";
import { type Mpd, type Representation, representationsOf, type Segment } from "./manifest.ts";

/** Segments to load from each end of a Representation in a static MPD, or in the first dynamic one. */
const FROM_THE_START = 6;
const FROM_THE_END = 4;
const NEWEST = 3;
const AT_ONCE = 6;

/** Loads each resource that MPDs list once: init segments, and segments as soon as they are available. */
export class Loader {
  readonly #client: HttpClient;
  readonly #evidence: DashEvidence;
  readonly #begun = new Set<string>();
  readonly #inits = new Map<string, Promise<MediaAnswer | null>>();
  readonly #waiting = new Set<Promise<unknown>>();
  readonly #loading = new Set<Promise<void>>();
  #isFirst = true;

  constructor(client: HttpClient, evidence: DashEvidence) {
    this.#client = client;
    this.#evidence = evidence;
  }

  /** Resolves when every started load has ended. */
  async done(): Promise<void> {
    while (this.#waiting.size > 0) await Promise.all(this.#waiting);
  }

  see(mpd: Mpd): void {
    for (const { representation } of representationsOf(mpd)) {
      const { segments } = representation;
      const chosen = this.#isFirst ? first(segments, mpd.isDynamic) : segments;
      for (const skipped of segments.filter((segment) => !chosen.includes(segment))) this.#begun.add(skipped.url);
      for (const segment of chosen) {
        if (this.#begun.has(segment.url)) continue;
        this.#begun.add(segment.url);
        this.#enqueue(availableInMs(mpd, representation, segment), () => this.#load(representation, segment));
      }
    }
    this.#isFirst = false;
  }

  #enqueue(inMs: number, load: () => Promise<void>): void {
    const task = this.#client.pause(Math.max(0, inMs)).then(() => this.#inTurn(load));
    const kept = task.finally(() => this.#waiting.delete(kept));
    this.#waiting.add(kept);
  }

  async #inTurn(load: () => Promise<void>): Promise<void> {
    while (this.#loading.size >= AT_ONCE) await Promise.race(this.#loading);
    const loading = load().finally(() => this.#loading.delete(loading));
    this.#loading.add(loading);
    await loading;
  }

  async #load({ initUrl, timescale }: Representation, { url }: Segment): Promise<void> {
    const init = initUrl === null ? null : await this.#initAt(initUrl);
    const answer = await this.#client.get(url);
    if (answer === null) return;
    const { exchange, bytes } = answer;
    const track = init?.init?.tracks[0];
    const defaults = { durationTicks: track?.defaultDuration ?? 0, flags: track?.defaultFlags ?? 0 };
    const read = exchange.status === 200 && initUrl !== null ? readSamples(bytes, defaults) : [];
    // The media may have another timescale than the MPD (ISO/IEC 23009-1 §5.3.9.2).
    const ratio = timescale / (track?.timescale ?? timescale);
    const samples = read.map((sample) => ({
      ...sample,
      decodeTicks: sample.decodeTicks * ratio,
      durationTicks: sample.durationTicks * ratio,
    }));
    this.#evidence.media.set(url, { ...exchange, byteLength: bytes.byteLength, init: null, samples });
  }

  #initAt(url: string): Promise<MediaAnswer | null> {
    const loading = this.#inits.get(url) ?? this.#loadInit(url);
    this.#inits.set(url, loading);
    return loading;
  }

  async #loadInit(url: string): Promise<MediaAnswer | null> {
    const answer = await this.#client.get(url);
    if (answer === null) return null;
    const { exchange, bytes } = answer;
    const init = exchange.status === 200 ? readInit(bytes) : null;
    const media = { ...exchange, byteLength: bytes.byteLength, init, samples: [] };
    this.#evidence.media.set(url, media);
    return media;
  }
}

const first = (segments: Segment[], isDynamic: boolean): Segment[] =>
  isDynamic
    ? segments.slice(-NEWEST)
    : segments.filter((_, index) => index < FROM_THE_START || index >= segments.length - FROM_THE_END);

/** ISO/IEC 23009-1 §5.3.9.5.3: a segment is available at its end, or earlier by its availabilityTimeOffset. */
function availableInMs(
  { isDynamic, availabilityStartMs }: Mpd,
  { availabilityTimeOffsetS }: Representation,
  { endS }: Segment,
): number {
  if (!isDynamic || availabilityStartMs === null) return 0;
  return availabilityStartMs + (endS - (availabilityTimeOffsetS ?? 0)) * 1000 - Date.now();
}
