import { type PeriodOrigin, periodsOf } from "../../media/live/mpd-periods.ts";
import type { OriginSession } from "../../media/live/origin-facts.ts";
import { SegmentPages } from "./origin-pages.ts";
import type { OriginStore } from "./origin-store.ts";
import { type LiveRendition, segmentAt, segmentSeconds } from "../../media/live/timeline.ts";

/** Of each rendition. More than a playlist without DVR lists, and than the measured bitrate looks at. */
export const SEGMENTS_IN_MEMORY = 600;
/** Segments leave the memory in blocks of this size; for each block the index keeps the time at which it begins. */
export const BLOCK_SEGMENTS = 256;
/** A DVR window: 12 h in segments of 2 s, 24 h in segments of 4 s. It bounds playlists and MPDs. */
export const MAX_DVR_SEGMENTS = 21_600;
/** Periods of an MPD: older ones are forgotten, and the DVR window of an MPD begins behind them. */
export const MAX_SEAMS = 512;

/**
 * What of a session is older than what the memory holds. Its segments are rows of the origin's SQLite, read when something needs them;
 * the memory keeps a fixed number for each rendition, however long the broadcast lasts.
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

  /** Null while every period since the session began is known. */
  get periodOrigin(): PeriodOrigin | null {
    return this.#periodOrigin;
  }

  /** For a session that was begun before seams were stored. Periods begin where the capture's clock says. */
  findSeams({ renditions }: OriginSession): void {
    this.#store.findSeams();
    const seams = this.#store.seams(null);
    const [leader] = renditions;
    if (seams.length <= MAX_SEAMS || leader === undefined) return;
    const [oldest, first] = [seams.at(-MAX_SEAMS)!, seams[0]!].map((msn) => this.#store.these(leader.name, [msn])[0]);
    if (oldest === undefined || first === undefined) return;
    const startSeconds = (oldest.capturedAtMs - first.capturedAtMs) / 1000;
    const mediaSeconds = oldest.decodeTicks / leader.timescale;
    this.#saveOrigin({ firstMsn: oldest.msn, startSeconds, mediaSeconds, zeroMs: first.capturedAtMs });
  }

  #saveOrigin(origin: PeriodOrigin): void {
    this.#periodOrigin = origin;
    this.#storage.kv.put("periodOrigin", origin);
    this.#store.forgetSeams(origin.firstMsn);
  }

  /** Segments beside seams that are older than those in memory, for a rendition that is loaded. */
  seamSegments(name: string, firstMsn: number): Map<number, LiveRendition["segments"][number]> {
    const beside = this.#store.seams(null).flatMap((msn) => [msn - 1, msn]);
    const older = [...new Set(beside)].filter((msn) => msn < firstMsn);
    return new Map(this.#store.these(name, older).map((segment) => [segment.msn, segment]));
  }

  /** Lets go of what is older than the memory is to hold. Cheap to call: it acts once for a block. */
  trim(renditions: LiveRendition[], session: OriginSession): void {
    const nextMsn = Math.max(0, ...renditions.map(({ segments }) => (segments.at(-1)?.msn ?? -1) + 1));
    const isDue = renditions.some(({ segments }) => segments.length >= SEGMENTS_IN_MEMORY + BLOCK_SEGMENTS);
    if (!isDue) return;
    const fromMsn = nextMsn - SEGMENTS_IN_MEMORY;
    const seams = new Set(renditions.flatMap((rendition) => rendition.seams));
    for (const rendition of renditions) this.#cut(rendition, fromMsn, seams);
    this.#forgetSeams(renditions, session);
    this.markUntil(renditions, fromMsn);
  }

  #cut(rendition: LiveRendition, fromMsn: number, seams: Set<number>): void {
    const last = rendition.segments.at(-1);
    if (last === undefined) return;
    const firstKept = Math.min(fromMsn, last.msn); // one that is behind goes on from its last
    const cut = rendition.segments.findIndex(({ msn }) => msn >= firstKept);
    const old = rendition.segments.splice(0, cut);
    rendition.seamSegments ??= new Map();
    for (const segment of old)
      if (seams.has(segment.msn) || seams.has(segment.msn + 1)) rendition.seamSegments.set(segment.msn, segment);
    const [older, kept] = [true, false].map((isOlder) =>
      rendition.discontinuities.filter((msn) => msn < firstKept === isOlder),
    );
    rendition.discontinuities = kept!;
    rendition.olderDiscontinuities = (rendition.olderDiscontinuities ?? 0) + older!.length;
    this.#store.forgetParts(rendition.name, firstKept);
  }

  #forgetSeams(renditions: LiveRendition[], session: OriginSession): void {
    const seams = [...new Set(renditions.flatMap((rendition) => rendition.seams))].toSorted((a, b) => a - b);
    const oldest = seams.at(-MAX_SEAMS);
    if (seams.length <= MAX_SEAMS || oldest === undefined) return;
    const facts = new Map(session.renditions.map((one) => [one.name, one]));
    const known = renditions.map((live) => ({ facts: facts.get(live.name)!, live }));
    const periods = periodsOf(known, this.#periodOrigin);
    const first = periods.find(({ firstMsn }) => firstMsn >= oldest);
    if (first === undefined) return;
    const { firstMsn, startSeconds, mediaSeconds } = first;
    const zeroMs = this.#periodOrigin?.zeroMs ?? periods[0]!.capturedAtMs;
    this.#saveOrigin({ firstMsn, startSeconds, mediaSeconds, zeroMs });
    for (const rendition of renditions) {
      rendition.seams = rendition.seams.filter((msn) => msn >= firstMsn);
      for (const msn of rendition.seamSegments?.keys() ?? []) if (msn < firstMsn) rendition.seamSegments!.delete(msn);
    }
  }

  /** Notes the time at which blocks begin, up to a sequence number whose predecessors are settled. */
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

  /** How much of the DVR window is older than what the memory holds, for delta updates, which skip it. */
  olderThanMemory(rendition: LiveRendition, isBounded: boolean): { segments: number; discontinuities: number } {
    const firstMsn = dvrFirstMsn(rendition, isBounded);
    const memoryMsn = rendition.segments[0]?.msn ?? firstMsn;
    const listed = this.#store.discontinuitiesBetween(rendition.name, firstMsn, memoryMsn - 1);
    const before =
      (rendition.olderDiscontinuities ?? 0) + rendition.discontinuities.filter((msn) => msn < memoryMsn).length;
    return { segments: Math.max(0, memoryMsn - firstMsn), discontinuities: before - listed };
  }
}

/** The first segment of a rendition's DVR window. A bounded session's is never cut: its playlists are of type EVENT. */
export function dvrFirstMsn({ segments, firstMsn }: LiveRendition, isBounded: boolean): number {
  if (isBounded) return firstMsn;
  return Math.max(firstMsn, (segments.at(-1)?.msn ?? -1) + 1 - MAX_DVR_SEGMENTS);
}

/** A segment of a session, as one rendition has it that can be played, else as any has it. */
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

/** In memory, or read from what is stored. */
export const segmentOf = (store: OriginStore, rendition: LiveRendition, msn: number) =>
  segmentAt(rendition, msn) ?? store.between(rendition.name, msn, msn)[0] ?? null;
