import { type PeriodOrigin, periodsOf, zeroMsOf } from "../../../media/live/mpd-periods.ts";
import type { OriginSession } from "../../../media/live/origin-facts.ts";
import { SegmentPages } from "./segment-pages.ts";
import type { OriginStore } from "./origin-store.ts";
import { type LiveRendition, segmentAt, segmentSeconds } from "../../../media/live/timeline.ts";

/** Per rendition. More than a playlist without DVR lists and than the bitrate measurement reads. */
export const SEGMENTS_IN_MEMORY = 600;
/** Segments are removed from memory in blocks of this size. The store keeps each block's start time. */
export const BLOCK_SEGMENTS = 256;
/** A DVR window: 12 h in segments of 2 s, 24 h in segments of 4 s. It bounds playlists and MPDs. */
export const MAX_DVR_SEGMENTS = 21_600;
/** Limits the Periods of an MPD. Older starts are deleted, and the MPD's DVR window begins after them. */
export const MAX_PERIOD_STARTS = 512;

/**
 * The segments of a session that are no longer in memory. They are rows of the origin's SQLite, read on demand. The memory keeps a bounded
 * number of segments per rendition, however long the broadcast lasts.
 */
export class OriginHistory {
  readonly #storage: DurableObjectStorage;
  readonly #store: OriginStore;
  #periodOrigin: PeriodOrigin | null;

  constructor(storage: DurableObjectStorage, store: OriginStore) {
    this.#storage = storage;
    this.#store = store;
    this.#periodOrigin = storage.kv.get<PeriodOrigin>("periodOrigin") ?? null;
  }

  /** Null while every Period since the session's start is known. */
  get periodOrigin(): PeriodOrigin | null {
    return this.#periodOrigin;
  }

  /** Derives the starts of Periods in a session that began before they were stored. The first known Period starts at its capture time. */
  derivePeriodStarts({ renditions }: OriginSession): void {
    this.#store.derivePeriodStarts();
    const periodStarts = this.#store.periodStarts(null);
    const [leader] = renditions;
    if (periodStarts.length <= MAX_PERIOD_STARTS || leader === undefined) return;
    const [oldest, first] = [periodStarts.at(-MAX_PERIOD_STARTS)!, periodStarts[0]!].map(
      (msn) => this.#store.these(leader.name, [msn])[0],
    );
    if (oldest === undefined || first === undefined) return;
    const zeroMs = zeroMsOf(first.capturedAtMs);
    const startSeconds = (oldest.capturedAtMs - zeroMs) / 1000;
    const mediaSeconds = oldest.decodeTicks / leader.timescale;
    this.#saveOrigin({ firstMsn: oldest.msn, startSeconds, mediaSeconds, zeroMs });
  }

  #saveOrigin(origin: PeriodOrigin): void {
    this.#periodOrigin = origin;
    this.#storage.kv.put("periodOrigin", origin);
    this.#store.forgetPeriodStarts(origin.firstMsn);
  }

  /** For a rendition that is being loaded: the segments on both sides of each Period start that are older than `firstMsn`, the first in memory. */
  boundarySegments(name: string, firstMsn: number): Map<number, LiveRendition["segments"][number]> {
    const beside = this.#store.periodStarts(null).flatMap((msn) => [msn - 1, msn]);
    const older = [...new Set(beside)].filter((msn) => msn < firstMsn);
    return new Map(this.#store.these(name, older).map((segment) => [segment.msn, segment]));
  }

  /** Removes the oldest segments from memory, one block at a time. Cheap when no block is due. */
  trim(renditions: LiveRendition[], session: OriginSession): void {
    const nextMsn = Math.max(0, ...renditions.map(({ segments }) => (segments.at(-1)?.msn ?? -1) + 1));
    const isDue = renditions.some(({ segments }) => segments.length >= SEGMENTS_IN_MEMORY + BLOCK_SEGMENTS);
    if (!isDue) return;
    const fromMsn = nextMsn - SEGMENTS_IN_MEMORY;
    const periodStarts = new Set(renditions.flatMap((rendition) => rendition.periodStarts));
    for (const rendition of renditions) this.#cut(rendition, fromMsn, periodStarts);
    this.#forgetPeriodStarts(renditions, session);
    this.markUntil(renditions, fromMsn);
  }

  #cut(rendition: LiveRendition, fromMsn: number, periodStarts: Set<number>): void {
    const last = rendition.segments.at(-1);
    if (last === undefined) return;
    const firstKept = Math.min(fromMsn, last.msn); // a rendition that is behind keeps its last segment
    const cut = rendition.segments.findIndex(({ msn }) => msn >= firstKept);
    const old = rendition.segments.splice(0, cut);
    rendition.boundarySegments ??= new Map();
    for (const segment of old)
      if (periodStarts.has(segment.msn) || periodStarts.has(segment.msn + 1))
        rendition.boundarySegments.set(segment.msn, segment);
    const [older, kept] = [true, false].map((isOlder) =>
      rendition.discontinuities.filter((msn) => msn < firstKept === isOlder),
    );
    rendition.discontinuities = kept!;
    rendition.olderDiscontinuities = (rendition.olderDiscontinuities ?? 0) + older!.length;
    this.#store.forgetParts(rendition.name, firstKept);
  }

  #forgetPeriodStarts(renditions: LiveRendition[], session: OriginSession): void {
    const periodStarts = [...new Set(renditions.flatMap((rendition) => rendition.periodStarts))].toSorted(
      (a, b) => a - b,
    );
    const oldest = periodStarts.at(-MAX_PERIOD_STARTS);
    if (periodStarts.length <= MAX_PERIOD_STARTS || oldest === undefined) return;
    const facts = new Map(session.renditions.map((one) => [one.name, one]));
    const known = renditions.map((live) => ({ facts: facts.get(live.name)!, live, formats: [] }));
    const periods = periodsOf(known, this.#periodOrigin);
    const first = periods.find(({ firstMsn }) => firstMsn >= oldest);
    if (first === undefined) return;
    const { firstMsn, startSeconds, mediaSeconds } = first;
    const zeroMs = this.#periodOrigin?.zeroMs ?? zeroMsOf(periods[0]!.capturedAtMs);
    this.#saveOrigin({ firstMsn, startSeconds, mediaSeconds, zeroMs });
    for (const rendition of renditions) {
      rendition.periodStarts = rendition.periodStarts.filter((msn) => msn >= firstMsn);
      for (const msn of rendition.boundarySegments?.keys() ?? [])
        if (msn < firstMsn) rendition.boundarySegments!.delete(msn);
    }
  }

  /** Stores the start times of blocks up to `endMsn`. All segments before `endMsn` must be final. */
  markUntil(renditions: LiveRendition[], endMsn: number): void {
    const last = this.#store.markBefore(Infinity);
    let { msn, seconds } = last;
    if (msn + BLOCK_SEGMENTS > endMsn) return;
    const pages = this.pagesOf(renditions);
    while (msn + BLOCK_SEGMENTS <= endMsn) {
      for (const end = msn + BLOCK_SEGMENTS; msn < end; msn += 1) seconds += lengthAt(pages, msn);
      this.#store.saveMark(msn, seconds);
    }
  }

  pagesOf = (renditions: LiveRendition[]) =>
    renditions.map(({ name, timescale }) => ({ timescale, pages: new SegmentPages(this.#store, name) }));

  /** The rendition with all the segments of its DVR window. @param isBounded see `OriginSession` */
  withDvr(rendition: LiveRendition, isBounded: boolean): LiveRendition {
    const first = rendition.segments[0];
    const firstMsn = dvrFirstMsn(rendition, isBounded);
    if (first === undefined || firstMsn >= first.msn) {
      const segments = isBounded ? rendition.segments : rendition.segments.slice(-MAX_DVR_SEGMENTS);
      return segments.length === rendition.segments.length ? rendition : { ...rendition, segments };
    }
    const older = this.#store.between(rendition.name, firstMsn, first.msn - 1);
    const discontinuities = older.filter(({ isDiscontinuous }) => isDiscontinuous).map(({ msn }) => msn);
    return {
      ...rendition,
      segments: [...older, ...rendition.segments],
      discontinuities: [...discontinuities, ...rendition.discontinuities],
      olderDiscontinuities: (rendition.olderDiscontinuities ?? 0) - discontinuities.length,
    };
  }

  /** Counts the segments and discontinuities of the DVR window that are older than memory. Delta updates skip them. */
  olderThanMemory(rendition: LiveRendition, isBounded: boolean): { segments: number; discontinuities: number } {
    const firstMsn = dvrFirstMsn(rendition, isBounded);
    const memoryMsn = rendition.segments[0]?.msn ?? firstMsn;
    const listed = this.#store.discontinuitiesBetween(rendition.name, firstMsn, memoryMsn - 1);
    const before =
      (rendition.olderDiscontinuities ?? 0) + rendition.discontinuities.filter((msn) => msn < memoryMsn).length;
    return { segments: Math.max(0, memoryMsn - firstMsn), discontinuities: before - listed };
  }
}

/** The first segment of a rendition's DVR window. A bounded session's window is never cut: its playlists are of type EVENT. */
export function dvrFirstMsn({ segments, firstMsn }: LiveRendition, isBounded: boolean): number {
  if (isBounded) return firstMsn;
  return Math.max(firstMsn, (segments.at(-1)?.msn ?? -1) + 1 - MAX_DVR_SEGMENTS);
}

/** A segment's duration in seconds: from a rendition in which it is playable, else from any rendition. */
export function lengthAt(renditions: { timescale: number; pages: SegmentPages }[], msn: number): number {
  let length = 0;
  for (const { timescale, pages } of renditions) {
    const segment = pages.at(msn);
    if (segment === null) continue;
    length = segmentSeconds(segment, timescale);
    if (segment.isWhole && !segment.isGap && segment.bytes > 0) return length;
  }
  return length;
}

/** The segment from memory, else from the store. */
export const segmentOf = (store: OriginStore, rendition: LiveRendition, msn: number) =>
  segmentAt(rendition, msn) ?? store.between(rendition.name, msn, msn)[0] ?? null;
