import type { MediaFormat } from "../../../../protocol/init-facts.ts";
import type { Started } from "../../../../protocol/live.ts";
import { loadRendition, SEGMENTS_WITH_PARTS } from "./load-rendition.ts";
import { judgePlace, NO_RENDITION } from "./judge-place.ts";
import { gapSegment, newSegment } from "./new-segment.ts";
import type {
  ArrivingPart,
  LiveEnd,
  LiveFormat,
  OriginSession,
  PartVerdict,
} from "../../../media/live/origin-facts.ts";
import { OriginHistory, segmentOf } from "./origin-history.ts";
import { OriginCaptions } from "./origin-captions.ts";
import { liveFormat, OriginFormats } from "./origin-formats.ts";
import { OriginStore } from "./origin-store.ts";
import { isOpen, partEdges } from "../../../media/live/captions.ts";
import {
  endTicks,
  startsPeriod,
  lastWhole,
  type LiveRendition,
  type LiveSegment,
  nextPart,
} from "../../../media/live/timeline.ts";

/** The newest facts of a picture and of sound: a broadcast that lacks one of them says nothing about the media before. */
const mergedStarted = (known: Started | undefined, newest: Started | undefined): Started | undefined =>
  newest && { ...newest, video: newest.video ?? known?.video ?? null, audio: newest.audio ?? known?.audio ?? null };

/**
 * The renditions of a session and their segments, in memory and in the origin's SQLite. A part is stored before it is announced, because
 * a playlist must never lose what it has announced.
 */
export class OriginIndex {
  readonly #storage: DurableObjectStorage;
  readonly #renditions = new Map<string, LiveRendition>();
  readonly store: OriginStore;
  readonly history: OriginHistory;
  readonly captions: OriginCaptions;
  readonly #formats: OriginFormats;
  session: OriginSession | null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.store = new OriginStore(storage.sql);
    this.history = new OriginHistory(storage, this.store);
    this.captions = new OriginCaptions(storage);
    this.#formats = new OriginFormats(storage.kv);
    this.session = storage.kv.get<OriginSession>("session") ?? null;
    if (this.session !== null) this.#load(this.session);
  }

  /** Opens the session. After a reconnect, drops the renditions that the broadcast no longer has and adds new ones. */
  open(session: OriginSession): void {
    if (this.session === null) return this.#begin(session);
    const nextMsn = this.#nextMsn();
    const named = new Set(session.renditions.map(({ name }) => name));
    for (const rendition of this.all) if (!named.has(rendition.name)) this.drop(rendition.name, nextMsn);
    const added = session.renditions
      .filter(({ name }) => this.rendition(name) === null)
      .map((rendition) => ({ ...rendition, firstMsn: nextMsn }));
    // A rendition of sound may continue with another language.
    const labelled = this.session.renditions.map((known) => {
      const sound = session.renditions.find(({ name }) => name === known.name)?.sound;
      return sound === undefined ? known : { ...known, sound };
    });
    // The media so far keeps its formats. A session that an earlier release opened has not stored them.
    for (const { name } of this.session.renditions) this.#formats.add(name, liveFormat(this.session, name, 0));
    const started = mergedStarted(this.session.started, session.started);
    this.#begin({
      ...this.session,
      renditions: [...labelled, ...added],
      ...(started === undefined ? {} : { started }),
    });
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

  /** The formats of a rendition of the session, in ascending order; at least one. */
  formatsOf(name: string): readonly LiveFormat[] {
    const stored = this.#formats.of(name);
    return stored.length > 0 ? stored : [liveFormat(this.session!, name, 0)];
  }

  /** Stores the format of an init segment. @param reported null = the gateway does not report formats */
  addFormat(name: string, version: number, reported: MediaFormat | null): void {
    this.#formats.add(name, liveFormat(this.session!, name, version, reported));
  }

  get all(): LiveRendition[] {
    return [...this.#renditions.values()];
  }

  /** The rung whose segments and parts are those of the captions; null without a picture. */
  get captionLeader(): LiveRendition | null {
    const video = this.session?.renditions.filter(({ kind }) => kind === "video") ?? [];
    const rungs = video.flatMap(({ name }) => this.rendition(name) ?? []);
    return rungs.find(({ droppedFrom }) => droppedFrom === null) ?? rungs[0] ?? null;
  }

  get hasEnded(): boolean {
    return this.#storage.kv.get<boolean>("hasEnded") === true;
  }

  /** Ends every rendition. An unfinished segment keeps the parts it has. */
  end(): void {
    this.#storage.kv.put("hasEnded", true);
    for (const rendition of this.all) {
      this.#close(rendition);
      rendition.hasEnded = true;
    }
  }

  /** Closes unfinished segments and fills missing ones with gaps, so that all renditions end with the same sequence number. @returns the next one */
  settle(): number {
    const nextMsn = this.#nextMsn();
    for (const rendition of this.all) {
      this.#close(rendition);
      while (nextPart(rendition) !== null && nextPart(rendition)!.msn < nextMsn) this.#addGap(rendition);
    }
    return nextMsn;
  }

  /**
   * Prepares for media after an interruption. Restores dropped rungs that are named; drops the others.
   *
   * @param names the renditions that follow
   * @returns where they begin
   */
  resume(names: ReadonlySet<string>): LiveEnd {
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
    const place = judgePlace(rendition, { msn, part });
    if (place !== null) return place;
    const open = part === 0 ? newSegment(arriving, rendition) : rendition.segments.at(-1)!;
    const segment: LiveSegment = {
      ...open,
      isWhole: isLast,
      durationTicks: open.durationTicks + durationTicks,
      bytes: open.bytes + bytes.byteLength,
      parts: [...open.parts, { durationTicks, bytes: bytes.byteLength, isIndependent }],
    };
    const { captions = [] } = arriving;
    // A segment of captions is final once the leader's segment is.
    const leader = captions.length > 0 ? this.captionLeader : null;
    this.#storage.transactionSync(() => {
      this.store.savePart(arriving.rendition, msn, part, bytes);
      if (leader !== null && isOpen(leader, msn)) this.captions.add(msn, part, captions);
      this.#put(rendition, segment);
    });
    if (rendition.droppedFrom !== null && msn >= rendition.droppedFrom) this.#setDropped(rendition, null);
    if (isLast) this.#fillDropped();
    return { verdict: "taken" };
  }

  /** Records that the rest of a segment is lost. The segment ends with the announced parts; without any it becomes a gap. */
  gap(name: string, msn: number): PartVerdict {
    const rendition = this.#renditions.get(name);
    if (rendition === undefined) return NO_RENDITION;
    const open = rendition.segments.at(-1);
    if (open?.msn === msn && !open.isWhole && !rendition.hasEnded) this.#close(rendition);
    else {
      const place = judgePlace(rendition, { msn, part: 0 });
      if (place !== null) return place;
      this.#addGap(rendition);
    }
    this.#fillDropped();
    return { verdict: "taken" };
  }

  /** Records that the encoder drops a rung. The rung gets a gap for each segment of the other rungs, so that its players switch. */
  drop(name: string, fromMsn: number): PartVerdict {
    const rendition = this.#renditions.get(name);
    if (rendition === undefined) return NO_RENDITION;
    if (rendition.hasEnded) return { verdict: "refused", reason: "the session has ended" };
    if (rendition.droppedFrom === fromMsn) return { verdict: "known" };
    this.#setDropped(rendition, fromMsn);
    this.#fillDropped();
    return { verdict: "taken" };
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
        if (next.msn < droppedFrom) break; // its parts are still to come
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

  /** Replaces the last segment, or appends the one after it. */
  #put(rendition: LiveRendition, segment: LiveSegment): void {
    const { segments, discontinuities } = rendition;
    this.store.saveSegment(rendition.name, segment);
    if (segment.isWhole) this.#cutCaptions(rendition, segment);
    if (segments.at(-1)?.msn === segment.msn) segments[segments.length - 1] = segment;
    else {
      if (startsPeriod(segments.at(-1), segment)) {
        this.store.savePeriodStart(rendition.name, segment.msn);
        rendition.periodStarts.push(segment.msn);
      }
      segments.push(segment);
      if (segment.isDiscontinuous) discontinuities.push(segment.msn);
      const old = segments.at(-1 - SEGMENTS_WITH_PARTS);
      if (old !== undefined) old.parts = [];
      this.history.trim(this.all, this.session!);
    }
  }

  #cutCaptions(rendition: LiveRendition, segment: LiveSegment): void {
    if (this.session?.timing.partTargetMs === null || rendition !== this.captionLeader) return;
    this.captions.cut(segment.msn, partEdges(segment, rendition.timescale, 1000));
  }

  #load(session: OriginSession): void {
    const { hasEnded } = this;
    this.store.createTables();
    if (this.#storage.kv.get<boolean>("hasSeams") !== true) {
      this.history.derivePeriodStarts(session);
      this.#storage.kv.put("hasSeams", true);
    }
    const dropped = this.#storage.kv.get<Record<string, number | null>>("dropped") ?? {};
    for (const rendition of session.renditions) {
      const { name } = rendition;
      if (this.#renditions.has(name)) continue;
      const loaded = loadRendition(this, session, rendition);
      this.#renditions.set(name, { ...loaded, droppedFrom: dropped[name] ?? null, hasEnded });
    }
    const memoryMsns = this.all.flatMap(({ segments }) => segments.slice(0, 1).map(({ msn }) => msn));
    this.history.markUntil(this.all, memoryMsns.length > 0 ? Math.min(...memoryMsns) : 0);
  }
}
