import { chunk, join, TIMESCALE } from "./cmaf.ts";
import type { Fault } from "./faults.ts";

export const PARTS = 4;
const WINDOW_SEGMENTS = 15;
/** Segments between discontinuities, at which media times jump. */
const DISCONTINUITY_EVERY = 9;
const SKIP_UNTIL_TARGETS = 6;
const SAMPLES = 6;
/** Interval of late parts, and number of parts that arrive together with one. */
const [LATE_FROM, LATE_EVERY, LATE_PARTS] = [128, 40, 13];

export type Name = "video" | "audio";
export interface Place {
  msn: number;
  part: number;
}

export interface StreamPlan {
  beganAtMs: number;
  fault: Fault | null;
  endsAtMs: number | null;
  partTargetMs: number;
  /** Duration of the interruption before this segment. */
  absence: { msn: number; ms: number };
}

/** The parts of a live stream as a function of time: part n exists n + 1 part targets after the stream's beginning. */
export class Stream {
  readonly beganAtMs: number;
  readonly fault: Fault | null;
  /** With a whole segment; null = never. */
  readonly endsAtMs: number | null;
  readonly partTargetMs: number;
  readonly segmentMs: number;
  readonly targetS: number;
  readonly #absence: StreamPlan["absence"];

  constructor({ beganAtMs, fault, endsAtMs, partTargetMs, absence }: StreamPlan) {
    this.#absence = absence;
    this.beganAtMs = beganAtMs;
    this.fault = fault;
    this.endsAtMs = endsAtMs;
    this.partTargetMs = partTargetMs;
    this.segmentMs = partTargetMs * PARTS;
    this.targetS = Math.max(1, Math.round(this.segmentMs / 1000));
  }

  /** Number of parts that exist at a time. */
  partCount(nowMs: number): number {
    const untilMs = this.endsAtMs === null ? nowMs : Math.min(nowMs, this.endsAtMs);
    const awayMs = this.#absence.msn * this.segmentMs; // since the beginning
    const elapsedMs = untilMs - this.beganAtMs;
    const onAirMs = elapsedMs <= awayMs ? elapsedMs : Math.max(awayMs, elapsedMs - this.#absence.ms);
    const count = Math.max(0, Math.floor(onAirMs / this.partTargetMs));
    const late = this.fault === "late part" ? (count - LATE_FROM) % LATE_EVERY : LATE_PARTS;
    return count >= LATE_FROM && late < LATE_PARTS ? count - late : count;
  }

  #hasEnded(nowMs: number): boolean {
    return this.endsAtMs !== null && nowMs >= this.endsAtMs;
  }

  /** A late part delays the following parts. */
  has({ msn, part }: Place, nowMs: number): boolean {
    return msn * PARTS + part < this.partCount(nowMs);
  }

  /** Milliseconds until a part exists. */
  waitMs({ msn, part }: Place, nowMs: number): number {
    return this.beganAtMs + (msn * PARTS + part + 1) * this.partTargetMs + this.#awayMsBefore(msn) - nowMs;
  }

  /** Length of the interruption before this segment. */
  #awayMsBefore = (msn: number) => (msn >= this.#absence.msn ? this.#absence.ms : 0);

  #isShort({ msn, part }: Place): boolean {
    return this.fault === "short part" && part === 1 && msn % 2 === 0;
  }

  partMs(place: Place): number {
    return this.#isShort(place) ? this.partTargetMs / 2 : this.partTargetMs;
  }

  /** Total duration of the first parts of a segment. */
  #partsMs(msn: number, count: number): number {
    return Array.from({ length: count }, (_, part) => this.partMs({ msn, part })).reduce((sum, ms) => sum + ms, 0);
  }

  #segmentMs(msn: number): number {
    return this.#mediaMs(msn + 1) - this.#mediaMs(msn);
  }

  /** Media time at the beginning of a segment; the short parts before it are missing. */
  #mediaMs(msn: number): number {
    return msn * this.segmentMs - (this.fault === "short part" ? Math.ceil(msn / 2) * (this.partTargetMs / 2) : 0);
  }

  #isBack = (msn: number) => this.#absence.ms > 0 && msn === this.#absence.msn;

  #isDiscontinuous = (msn: number) => (msn > 0 && msn % DISCONTINUITY_EVERY === 0) || this.#isBack(msn);

  #discontinuitiesBefore = (msn: number) =>
    Array.from({ length: msn }, (_, before) => before).filter((before) => this.#isDiscontinuous(before)).length;

  partBytes(name: Name, { msn, part }: Place): Uint8Array {
    const jumpMs = Math.floor(msn / DISCONTINUITY_EVERY) * 10_000 + this.#awayMsBefore(msn);
    const lateMs = this.fault === "gap in media times" ? msn * 50 : 0;
    const beforeMs = this.#mediaMs(msn) + this.#partsMs(msn, part);
    return chunk({
      startTicks: ((beforeMs + jumpMs + lateMs) * TIMESCALE) / 1000,
      durationTicks: (this.partMs({ msn, part }) * TIMESCALE) / 1000,
      sampleCount: SAMPLES,
      beginsWithSync: name === "audio" || part === 0,
      seed: `${name} ${msn}.${part}`,
    });
  }

  segmentBytes(name: Name, msn: number): Uint8Array {
    const parts = Array.from({ length: PARTS }, (_, part) => this.partBytes(name, { msn, part }));
    if (this.fault === "other bytes in the segment") parts[2]!.set([33], parts[2]!.length - 1);
    return join(...parts);
  }

  playlist(name: Name, nowMs: number, isDelta: boolean): string {
    const { fault } = this;
    const count = this.partCount(nowMs);
    const [whole, open] = [Math.floor(count / PARTS), count % PARTS];
    const hasEnded = this.#hasEnded(nowMs);
    const first = Math.max(0, whole - (fault === "short window" ? 2 : WINDOW_SEGMENTS));
    const keptS = fault === "parts leave early" ? this.targetS : 3 * this.targetS;
    const endMs = this.#mediaMs(whole) + this.#partsMs(whole, open);
    const secondsToEnd = (msn: number) => (endMs - this.#mediaMs(msn + 1)) / 1000;
    const skipUntilS = SKIP_UNTIL_TARGETS * this.targetS;
    const boundary = fault === "wrong skip boundary" ? skipUntilS - 2 : skipUntilS;
    const all = Array.from({ length: whole - first }, (_, index) => first + index);
    const skipped = isDelta && !hasEnded ? all.filter((msn) => secondsToEnd(msn) > boundary).length : 0;
    const partTarget =
      fault === "moving PART-TARGET" && whole % 2 === 0 ? (1.05 * this.partTargetMs) / 1000 : this.partTargetMs / 1000;
    const holdBackS = ((fault === "short hold back" ? 1.5 : 3.15) * this.partTargetMs) / 1000;
    const jump = fault === "media sequence jumps" && whole % 4 === 0 ? 1 : 0;
    const discontinuities = fault === "no discontinuity sequence" ? 0 : this.#discontinuitiesBefore(first);
    const lines = [
      "#EXTM3U",
      `#EXT-X-VERSION:${skipped > 0 && fault !== "version too low" ? 9 : 6}`,
      `#EXT-X-TARGETDURATION:${this.targetS}`,
      `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${holdBackS},HOLD-BACK=${3 * this.targetS},CAN-SKIP-UNTIL=${skipUntilS}`,
      `#EXT-X-PART-INF:PART-TARGET=${partTarget}`,
      `#EXT-X-MEDIA-SEQUENCE:${first + jump}`,
      `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuities}`,
      "#EXT-X-INDEPENDENT-SEGMENTS",
      ...(skipped > 0 ? [`#EXT-X-SKIP:SKIPPED-SEGMENTS=${skipped}`] : []),
    ];
    for (let msn = first + skipped; msn < whole + (open > 0 ? 1 : 0); msn += 1) {
      if (this.#isDiscontinuous(msn)) lines.push("#EXT-X-DISCONTINUITY");
      if (msn === first || this.#isDiscontinuous(msn)) lines.push(`#EXT-X-MAP:URI="${name}-init.mp4"`);
      lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(this.#dateMs(name, msn)).toISOString()}`);
      const isOpen = msn === whole;
      if (isOpen || secondsToEnd(msn) <= keptS) lines.push(...this.#partLines(name, msn, isOpen ? open : PARTS));
      if (isOpen) continue;
      const isLonger =
        (fault === "changed duration" && whole - msn === 6) ||
        (fault === "delta of another playlist" && isDelta && msn % 2 === 0);
      lines.push(`#EXTINF:${(this.#segmentMs(msn) + (isLonger ? 90 : 0)) / 1000},`, `${name}-${msn}.m4s`);
    }
    if (hasEnded) return `${[...lines, "#EXT-X-ENDLIST"].join("\n")}\n`;
    const hinted = count + (fault === "wrong hint" ? 1 : 0);
    lines.push(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${name}-${Math.floor(hinted / PARTS)}.${hinted % PARTS}.m4s"`);
    lines.push(...this.#reportLines(name, count));
    return `${lines.join("\n")}\n`;
  }

  #dateMs(name: Name, msn: number): number {
    const driftMs = this.fault === "dates drift" ? msn * 150 : 0;
    const offMs = this.fault === "another clock" && name === "audio" ? 2000 : 0;
    const awayMs = this.fault === "late behind a discontinuity" ? 0 : this.#awayMsBefore(msn);
    return this.beganAtMs + this.#mediaMs(msn) + awayMs + driftMs + offMs;
  }

  #partLines(name: Name, msn: number, count: number): string[] {
    const claims = this.fault === "false INDEPENDENT" && name === "video";
    return Array.from({ length: count }, (_, part) => {
      const isIndependent = name === "audio" || part === 0 || (claims && part === 2);
      const uri = `URI="${name}-${msn}.${part}.m4s"${isIndependent && this.fault !== "short part" ? ",INDEPENDENT=YES" : ""}`;
      return `#EXT-X-PART:DURATION=${this.partMs({ msn, part }) / 1000},${uri}`;
    });
  }

  #reportLines(name: Name, count: number): string[] {
    if (this.fault === "a report is missing" && name === "audio") return [];
    const last = count - 1 - (this.fault === "stale rendition reports" ? 6 : 0);
    const others: string[] = [name === "video" ? "audio" : "video"];
    if (this.fault === "an unlisted report" && name === "audio") others.push("dropped");
    return others.map(
      (other) =>
        `#EXT-X-RENDITION-REPORT:URI="${other}.m3u8",LAST-MSN=${Math.floor(last / PARTS)},LAST-PART=${last % PARTS}`,
    );
  }
}
