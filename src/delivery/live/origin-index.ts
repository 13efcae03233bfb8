import { contains } from "./reload.ts";
import {
  endTicks,
  type LivePart,
  type LiveRendition,
  type LiveSegment,
  type LiveTiming,
  nextPart,
  segmentSeconds,
} from "./timeline.ts";

/** What a live origin is told once, before the first part. */
export interface OriginSession {
  /** Also the id of the recording: segments lie where its renditions will be. */
  sessionId: string;
  timing: LiveTiming;
  /** How far back a player may go; null = to the first segment. */
  windowSeconds: number | null;
  renditions: { name: string; timescale: number }[];
}

/** A part as the encoder hands it over, without its bytes. */
export interface ArrivingPart extends LivePart {
  rendition: string;
  msn: number;
  part: number;
  /** The segment is whole with it. */
  isLast: boolean;
  /** Decode time of the part's first sample on the session's timeline. */
  decodeTicks: number;
  /** Of the segment: told with each of its parts. */
  capturedAtMs: number;
  isDiscontinuous: boolean;
  initVersion: number;
}

/** Where a session's media goes on after a while without any. */
export interface LiveEnd {
  nextMsn: number;
  /** Of init segments: not used before. */
  initVersion: number;
  /** On the session's timeline. */
  seconds: number;
}

/** `known`: it came before, and nothing has changed. `missing`: another one is expected, and told. */
export type PartVerdict =
  | { verdict: "taken" | "known" }
  | { verdict: "missing"; expected: { msn: number; part: number } }
  | { verdict: "refused"; reason: string };

/**
 * The renditions of a session and what of them exists, in memory and in the origin's own SQLite: a playlist must never lose what it
 * has announced, so a part is stored before it is announced.
 */
export class OriginIndex {
  readonly #storage: DurableObjectStorage;
  readonly #renditions = new Map<string, LiveRendition>();
  session: OriginSession | null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS segments (rendition TEXT, msn INTEGER, facts TEXT NOT NULL, stored INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (rendition, msn)) WITHOUT ROWID",
    );
    storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS parts (rendition TEXT, msn INTEGER, part INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (rendition, msn, part))",
    );
    this.session = storage.kv.get<OriginSession>("session") ?? null;
    if (this.session !== null) this.#load(this.session);
  }

  /** A repeat changes nothing; a session is opened once. */
  open(session: OriginSession): void {
    if (this.session !== null) return;
    this.#storage.kv.put("session", session);
    this.session = session;
    this.#load(session);
  }

  rendition(name: string): LiveRendition | null {
    return this.#renditions.get(name) ?? null;
  }

  get all(): LiveRendition[] {
    return [...this.#renditions.values()];
  }

  end(): void {
    this.#storage.kv.put("hasEnded", true);
    for (const rendition of this.#renditions.values()) rendition.hasEnded = true;
  }

  /**
   * The broadcaster has been away: what was unfinished stays as it is, and every rendition goes on at the same sequence number. A
   * segment that only others have is a gap.
   *
   * @returns where it goes on
   */
  goOn(): LiveEnd {
    const nextMsn = Math.max(0, ...this.all.map(({ segments }) => (segments.at(-1)?.msn ?? -1) + 1));
    for (const { name, timescale, segments } of this.all) {
      const last = segments.at(-1);
      if (last !== undefined && !last.isWhole) this.#put(name, { ...last, isWhole: true });
      for (let msn = segments.length === 0 ? 0 : segments.at(-1)!.msn + 1; msn < nextMsn; msn += 1) {
        const { capturedAtMs, seconds } = this.#known(msn)!; // nextMsn is behind the last one that anybody has
        const lost = { durationTicks: Math.round(seconds * timescale), bytes: 0, isIndependent: false };
        const before = segments.at(-1);
        const decodeTicks = before === undefined ? 0 : endTicks(before);
        const gap = { msn, capturedAtMs, decodeTicks, isDiscontinuous: false, initVersion: last?.initVersion ?? 0 };
        this.#put(name, { ...gap, isGap: true, isWhole: true, parts: [lost] });
      }
    }
    const ends = this.all.flatMap(({ segments, timescale }) => segments.slice(-1).map((s) => endTicks(s) / timescale));
    const versions = this.all.flatMap(({ segments }) => segments.map((segment) => segment.initVersion));
    return { nextMsn, initVersion: Math.max(-1, ...versions) + 1, seconds: Math.max(0, ...ends) };
  }

  /** A segment as any of the renditions has it. */
  #known(msn: number): { capturedAtMs: number; seconds: number } | null {
    for (const { segments, timescale } of this.all) {
      const there = segments.findLast((segment) => segment.msn === msn);
      if (there !== undefined) return { capturedAtMs: there.capturedAtMs, seconds: segmentSeconds(there, timescale) };
    }
    return null;
  }

  #put(name: string, facts: LiveSegment): void {
    const { segments } = this.#renditions.get(name)!;
    this.#save(name, facts);
    const at = segments.findIndex(({ msn }) => msn === facts.msn);
    if (at < 0) segments.push(facts);
    else segments[at] = facts;
  }

  add(arriving: ArrivingPart, bytes: Uint8Array): PartVerdict {
    const rendition = this.#renditions.get(arriving.rendition);
    if (rendition === undefined) return { verdict: "refused", reason: "no such rendition" };
    if (contains(rendition, { msn: arriving.msn, part: arriving.part })) return { verdict: "known" };
    const expected = nextPart(rendition);
    if (expected === null) return { verdict: "refused", reason: "the session has ended" };
    if (expected.msn !== arriving.msn || expected.part !== arriving.part) return { verdict: "missing", expected };
    const { durationTicks, isIndependent, isLast, msn, part } = arriving;
    const isFirst = part === 0;
    const open = isFirst ? newSegment(arriving) : rendition.segments.at(-1)!;
    const facts: LiveSegment = {
      ...open,
      isWhole: isLast,
      parts: [...open.parts, { durationTicks, bytes: bytes.byteLength, isIndependent }],
    };
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(
        "INSERT INTO parts (rendition, msn, part, bytes) VALUES (?, ?, ?, ?)",
        arriving.rendition,
        msn,
        part,
        bytes.slice().buffer,
      );
      this.#save(arriving.rendition, facts);
    });
    if (isFirst) rendition.segments.push(facts);
    else rendition.segments[rendition.segments.length - 1] = facts;
    return { verdict: "taken" };
  }

  /** The bytes of a segment so far, or of one of its parts; null when they have gone to R2. */
  bytes(rendition: string, msn: number, part: number | null): Uint8Array | null {
    const rows = this.#storage.sql
      .exec<{ bytes: ArrayBuffer }>(
        "SELECT bytes FROM parts WHERE rendition = ? AND msn = ? AND (? IS NULL OR part = ?) ORDER BY part",
        rendition,
        msn,
        part,
        part,
      )
      .toArray();
    if (rows.length === 0) return null;
    const whole = new Uint8Array(rows.reduce((sum, { bytes }) => sum + bytes.byteLength, 0));
    let offset = 0;
    for (const { bytes } of rows) {
      whole.set(new Uint8Array(bytes), offset);
      offset += bytes.byteLength;
    }
    return whole;
  }

  /** Whole segments that are not in R2 yet, oldest first. */
  unstored(): { rendition: string; msn: number }[] {
    return this.#storage.sql
      .exec<{ rendition: string; msn: number }>(
        "SELECT rendition, msn FROM segments WHERE stored = 0 AND json_extract(facts, '$.isWhole') AND NOT json_extract(facts, '$.isGap') ORDER BY msn",
      )
      .toArray();
  }

  markStored(rendition: string, msn: number): void {
    this.#storage.sql.exec("UPDATE segments SET stored = 1 WHERE rendition = ? AND msn = ?", rendition, msn);
  }

  /** Bytes of segments in R2 are kept here for a while, for those at the live edge. */
  forgetBytes(rendition: string, beforeMsn: number): void {
    this.#storage.sql.exec(
      "DELETE FROM parts WHERE rendition = ? AND msn < ? AND msn IN (SELECT msn FROM segments WHERE rendition = ? AND stored = 1)",
      rendition,
      beforeMsn,
      rendition,
    );
  }

  #save(rendition: string, facts: LiveSegment): void {
    this.#storage.sql.exec(
      "INSERT INTO segments (rendition, msn, facts) VALUES (?, ?, ?) ON CONFLICT (rendition, msn) DO UPDATE SET facts = excluded.facts",
      rendition,
      facts.msn,
      JSON.stringify(facts),
    );
  }

  #load(session: OriginSession): void {
    const hasEnded = this.#storage.kv.get<boolean>("hasEnded") === true;
    for (const { name, timescale } of session.renditions) {
      const segments = this.#storage.sql
        .exec<{ facts: string }>("SELECT facts FROM segments WHERE rendition = ? ORDER BY msn", name)
        .toArray()
        .map(({ facts }) => JSON.parse(facts) as LiveSegment);
      this.#renditions.set(name, { name, timescale, segments, discontinuitySequence: 0, hasEnded });
    }
  }
}

const newSegment = ({ msn, capturedAtMs, decodeTicks, isDiscontinuous, initVersion }: ArrivingPart): LiveSegment => ({
  msn,
  capturedAtMs,
  decodeTicks,
  isDiscontinuous,
  initVersion,
  isGap: false,
  isWhole: false,
  parts: [],
});
