import { placeOf, type ByteRange } from "./attributes.ts";
import type { Client } from "./client.ts";
import type { MediaAnswer, MediaPurpose, RenditionEvidence } from "./evidence.ts";
import { type MediaPlaylist, type Segment, secondsToEnd } from "./playlist.ts";

/** Number of the newest segments of the first playlist to load. */
const FIRST_SEGMENTS = 4;
/** Removed resources are requested again: parts after this many target durations (of 3, §6.2.2), segments at once. */
const PARTS_AFTER_TARGETS = 2;

/** Loads each resource of one rendition's playlists once: init segments, parts, hints, segments, and removed ones. */
export class Collector {
  readonly #client: Client;
  readonly #evidence: RenditionEvidence;
  readonly #loads = new Map<string, Promise<MediaAnswer | null>>();
  readonly #waiting = new Set<Promise<unknown>>();
  #last: MediaPlaylist | null = null;

  constructor(client: Client, evidence: RenditionEvidence) {
    this.#client = client;
    this.#evidence = evidence;
  }

  /** Resolves when every started load has ended. */
  async done(): Promise<void> {
    while (this.#waiting.size > 0) await Promise.all(this.#waiting);
  }

  see(playlist: MediaPlaylist): void {
    const isFirst = this.#last === null;
    const { segments, hints } = playlist;
    for (const [index, segment] of segments.entries()) {
      if (segment.isGap) continue;
      if (segment.map !== null) this.#load("init", segment.map.uri, segment.map.range);
      for (const part of segment.parts) if (!part.isGap) this.#load("part", part.uri, part.range, segment.msn);
      if (segment.uri === null || (isFirst && index < segments.length - FIRST_SEGMENTS)) continue;
      void this.#loadSegment(segment, segment.uri);
    }
    for (const { type, uri, range } of hints) if (type === "PART") this.#load("hint", uri, range);
    if (this.#last !== null) this.#seeLeaving(this.#last, playlist);
    this.#last = playlist;
  }

  #seeLeaving(before: MediaPlaylist, after: MediaPlaylist): void {
    const kept = new Map(after.segments.map((segment) => [segment.msn, segment]));
    const toEnd = secondsToEnd(after);
    for (const segment of before.segments) {
      const now = kept.get(segment.msn);
      if (now === undefined && segment.msn < after.mediaSequence && segment.uri !== null && !segment.isGap)
        this.#load("segment that left", segment.uri, segment.range, segment.msn);
      const [part] = segment.parts;
      // Parts that are removed too early are reported by another rule.
      const isOld = now === undefined || (toEnd[after.segments.indexOf(now)] ?? 0) > 3 * (after.targetDurationS ?? 0);
      if (part === undefined || part.isGap || (now !== undefined && now.parts.length > 0) || !isOld) continue;
      const { msn } = segment;
      const afterMs = (after.targetDurationS ?? 0) * PARTS_AFTER_TARGETS * 1000;
      this.#keep(this.#client.pause(afterMs).then(() => this.#load("part that left", part.uri, part.range, msn)));
    }
  }

  /** A segment is loaded after its parts, whose lengths determine its slices. */
  async #loadSegment({ uri, range, parts, msn, isGap }: Segment, address: string): Promise<void> {
    const key = `segment ${placeOf(address, range)}`;
    if (this.#loads.has(key) || uri === null || isGap) return;
    const loads = parts.map(
      (part) => this.#loads.get(`part ${placeOf(part.uri, part.range)}`) ?? Promise.resolve(null),
    );
    const isWhole = parts.length > 0 && parts.every((part) => !part.isGap);
    const begin = async () => {
      const answers = await Promise.all(loads);
      const known = answers.filter((answer) => answer !== null && answer.status < 300) as MediaAnswer[];
      const lengths = isWhole && known.length === parts.length ? known : null;
      return await this.#client.media("segment", address, { range, msn, parts: lengths });
    };
    this.#begin(key, begin);
  }

  #load(purpose: MediaPurpose, uri: string, range: ByteRange | null, msn: number | null = null): void {
    const key = `${purpose} ${placeOf(uri, range)}`;
    if (!this.#loads.has(key)) this.#begin(key, () => this.#client.media(purpose, uri, { range, msn }));
  }

  #begin(key: string, ask: () => Promise<MediaAnswer | null>): void {
    const load = ask().then((answer) => {
      if (answer !== null) this.#evidence.media.push(answer);
      return answer;
    });
    this.#loads.set(key, load);
    this.#keep(load);
  }

  #keep(task: Promise<unknown>): void {
    const kept = task.finally(() => this.#waiting.delete(kept));
    this.#waiting.add(kept);
  }
}
