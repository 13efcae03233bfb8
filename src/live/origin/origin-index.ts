import { gapSegment, newSegment } from "./new-segment.ts";
import type { ArrivingPart, LiveEnd, OriginSession, PartVerdict } from "../../media/live/origin-facts.ts";
import { OriginHistory, segmentOf, SEGMENTS_IN_MEMORY } from "./origin-history.ts";
import { OriginStore } from "./origin-store.ts";
import { contains } from "../../media/live/reload.ts";
import {
  endTicks,
  isSeam,
  lastWhole,
  type LiveRendition,
  type LiveSegment,
  nextPart,
} from "../../media/live/timeline.ts";

/** Segments that keep their parts in memory: more than a playlist ever lists parts of, short ones after a bad connection included. */
const SEGMENTS_WITH_PARTS = 24;
const NO_RENDITION = { verdict: "refused", reason: "no such rendition" } as const;

/**
 * The renditions of a session and what of them exists, in memory and in the origin's own SQLite: a playlist must never lose what it
 * has announced, so a part is stored before it is announced.
 */
export class OriginIndex {
  readonly #storage: DurableObjectStorage;
  readonly #renditions = new Map<string, LiveRendition>();
  readonly store: OriginStore;
  readonly history: OriginHistory;
  session: OriginSession | null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.store = new OriginStore(storage.sql);
    this.history = new OriginHistory(storage, this.store);
    this.session = storage.kv.get<OriginSession>("session") ?? null;
    if (this.session !== null) this.#load(this.session);
  }

  /**
   * A session is opened once. Told again, after a reconnect, what the broadcast has no more is given up from here on, and what it
   * has now is added.
   */
  open(session: OriginSession): void {
    if (this.session === null) return this.#begin(session);
    const nextMsn = this.#nextMsn();
    const named = new Set(session.renditions.map(({ name }) => name));
    for (const rendition of this.all) if (!named.has(rendition.name)) this.drop(rendition.name, nextMsn);
    const added = session.renditions.filter(({ name }) => this.rendition(name) === null);
    if (added.length === 0) return;
    const renditions = added.map((rendition) => ({ ...rendition, firstMsn: nextMsn }));
    this.#begin({ ...this.session, renditions: [...this.session.renditions, ...renditions] });
  }

  #begin(session: OriginSession): void {
    this.#storage.kv.put("session", session);
    if (this.session === null) this.#storage.kv.put("hasSeams", true);
    this.session = session;
    this.#load(session);
  }

  rendition(name: string): LiveRendition | null {
    return this.#renditions.get(name) ?? null;
  }

  get all(): LiveRendition[] {
    return [...this.#renditions.values()];
  }

  get hasEnded(): boolean {
    return this.#storage.kv.get<boolean>("hasEnded") === true;
  }

  /** What is unfinished stays as short as it is: every picture that has come counts. */
  end(): void {
    this.#storage.kv.put("hasEnded", true);
    for (const rendition of this.all) {
      this.#close(rendition);
      rendition.hasEnded = true;
    }
  }

  /** What was unfinished stays as it is, and every rendition ends with the same sequence number. A segment that only others have is a gap. */
  settle(): number {
    const nextMsn = this.#nextMsn();
    for (const rendition of this.all) {
      this.#close(rendition);
      while (nextPart(rendition) !== null && nextPart(rendition)!.msn < nextMsn) this.#addGap(rendition);
    }
    return nextMsn;
  }

  /**
   * Media comes again, perhaps after a while without any. A rung that was given up may come again too; what is not named has been given up.
   *
   * @param names of what comes
   * @returns where it goes on
   */
  goOn(names: ReadonlySet<string>): LiveEnd {
    const nextMsn = this.settle();
    for (const rendition of this.all)
      if (names.has(rendition.name)) this.#setDropped(rendition, null);
      else if (rendition.droppedFrom === null) this.#setDropped(rendition, nextMsn);
    const ends = this.all.flatMap(({ segments, timescale }) => segments.slice(-1).map((s) => endTicks(s) / timescale));
    const versions = this.all.flatMap(({ segments }) => segments.slice(-1).map(({ initVersion }) => initVersion));
    return { nextMsn, initVersion: Math.max(-1, ...versions) + 1, seconds: Math.max(0, ...ends) };
  }

  add(arriving: ArrivingPart, bytes: Uint8Array): PartVerdict {
    const rendition = this.#renditions.get(arriving.rendition);
    if (rendition === undefined) return NO_RENDITION;
    const { durationTicks, isIndependent, isLast, msn, part } = arriving;
    const place = this.#judge(rendition, { msn, part });
    if (place !== null) return place;
    const open = part === 0 ? newSegment(arriving, rendition) : rendition.segments.at(-1)!;
    const segment: LiveSegment = {
      ...open,
      isWhole: isLast,
      durationTicks: open.durationTicks + durationTicks,
      bytes: open.bytes + bytes.byteLength,
      parts: [...open.parts, { durationTicks, bytes: bytes.byteLength, isIndependent }],
    };
    this.#storage.transactionSync(() => {
      this.store.savePart(arriving.rendition, msn, part, bytes);
      this.#put(rendition, segment);
    });
    if (rendition.droppedFrom !== null && msn >= rendition.droppedFrom) this.#setDropped(rendition, null);
    if (isLast) this.#fillDropped();
    return { verdict: "taken" };
  }

  /** Parts of a segment are lost, and none of it follows: it ends with those that were announced, or is a gap. */
  gap(name: string, msn: number): PartVerdict {
    const rendition = this.#renditions.get(name);
    if (rendition === undefined) return NO_RENDITION;
    const open = rendition.segments.at(-1);
    if (open?.msn === msn && !open.isWhole && !rendition.hasEnded) this.#close(rendition);
    else {
      const place = this.#judge(rendition, { msn, part: 0 });
      if (place !== null) return place;
      this.#addGap(rendition);
    }
    this.#fillDropped();
    return { verdict: "taken" };
  }

  /** The encoder has given a rung up: gaps follow, as others have whole segments, so that who plays it changes to another. */
  drop(name: string, fromMsn: number): PartVerdict {
    const rendition = this.#renditions.get(name);
    if (rendition === undefined) return NO_RENDITION;
    if (rendition.hasEnded) return { verdict: "refused", reason: "the session has ended" };
    if (rendition.droppedFrom === fromMsn) return { verdict: "known" };
    this.#setDropped(rendition, fromMsn);
    this.#fillDropped();
    return { verdict: "taken" };
  }

  /** @returns null when this is the place that comes next */
  #judge(rendition: LiveRendition, place: { msn: number; part: number }): PartVerdict | null {
    if (contains(rendition, place)) return { verdict: "known" };
    const expected = nextPart(rendition);
    if (expected === null) return { verdict: "refused", reason: "the session has ended" };
    const isNext = expected.msn === place.msn && expected.part === place.part;
    return isNext ? null : { verdict: "missing", expected };
  }

  #nextMsn = (): number => Math.max(0, ...this.all.map(({ segments }) => (segments.at(-1)?.msn ?? -1) + 1));

  #fillDropped(): void {
    const others = this.all.filter(({ droppedFrom }) => droppedFrom === null);
    const edge = Math.max(-1, ...others.map((rendition) => lastWhole(rendition)?.msn ?? -1));
    for (const rendition of this.all) {
      const { droppedFrom, segments } = rendition;
      if (droppedFrom === null || rendition.hasEnded) continue;
      const last = segments.at(-1);
      if (last !== undefined && last.msn >= droppedFrom) this.#close(rendition);
      for (let next = nextPart(rendition)!; next.part === 0 && next.msn <= edge; next = nextPart(rendition)!) {
        if (next.msn < droppedFrom) break; // of this one there are parts to come
        this.#addGap(rendition);
      }
    }
  }

  #setDropped(rendition: LiveRendition, fromMsn: number | null): void {
    rendition.droppedFrom = fromMsn;
    this.#storage.kv.put("dropped", Object.fromEntries(this.all.map((one) => [one.name, one.droppedFrom])));
  }

  #close(rendition: LiveRendition): void {
    const open = rendition.segments.at(-1);
    if (open !== undefined && !open.isWhole) this.#put(rendition, { ...open, isWhole: true });
  }

  #addGap(rendition: LiveRendition): void {
    const { msn } = nextPart(rendition)!;
    const { targetDurationSeconds } = this.session!.timing;
    const at = (other: LiveRendition) => segmentOf(this.store, other, msn);
    this.#put(rendition, gapSegment(msn, rendition, this.all, targetDurationSeconds, Date.now(), at));
  }

  /** The last segment as it is now, or the one behind it. */
  #put(rendition: LiveRendition, segment: LiveSegment): void {
    const { segments, discontinuities } = rendition;
    this.store.saveSegment(rendition.name, segment);
    if (segments.at(-1)?.msn === segment.msn) segments[segments.length - 1] = segment;
    else {
      if (isSeam(segments.at(-1), segment)) {
        this.store.saveSeam(rendition.name, segment.msn);
        rendition.seams.push(segment.msn);
      }
      segments.push(segment);
      if (segment.isDiscontinuous) discontinuities.push(segment.msn);
      const old = segments.at(-1 - SEGMENTS_WITH_PARTS);
      if (old !== undefined) old.parts = [];
      this.history.trim(this.all, this.session!);
    }
  }

  /** The newest segments, and of older ones what lies beside seams. */
  #load(session: OriginSession): void {
    const { hasEnded } = this;
    this.store.createTables();
    if (this.#storage.kv.get<boolean>("hasSeams") !== true) {
      this.history.findSeams(session);
      this.#storage.kv.put("hasSeams", true);
    }
    const dropped = this.#storage.kv.get<Record<string, number | null>>("dropped") ?? {};
    for (const { name, timescale, firstMsn = 0 } of session.renditions) {
      if (this.#renditions.has(name)) continue;
      const segments = this.store.newest(name, SEGMENTS_IN_MEMORY, SEGMENTS_WITH_PARTS);
      const [leader] = session.renditions;
      // One that came later counts those that the session had before.
      const before =
        leader && leader.name !== name ? this.store.discontinuitiesBetween(leader.name, 0, firstMsn - 1) : 0;
      const memoryMsn = segments[0]?.msn ?? firstMsn;
      const older = this.store.discontinuitiesBetween(name, 0, memoryMsn - 1);
      const discontinuities = segments.filter(({ isDiscontinuous }) => isDiscontinuous).map(({ msn }) => msn);
      this.#renditions.set(name, {
        name,
        timescale,
        firstMsn,
        segments,
        seamSegments: this.history.seamSegments(name, memoryMsn),
        discontinuities,
        olderDiscontinuities: before + older,
        seams: this.store.seams(name),
        droppedFrom: dropped[name] ?? null,
        hasEnded,
      });
    }
    const memoryMsns = this.all.flatMap(({ segments }) => segments.slice(0, 1).map(({ msn }) => msn));
    this.history.markUntil(this.all, memoryMsns.length > 0 ? Math.min(...memoryMsns) : 0);
  }
}
