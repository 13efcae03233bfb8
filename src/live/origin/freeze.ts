import type { Opening, Resume } from "../../../protocol/live.ts";
import { findStills } from "./find-stills.ts";
import { beginFreeze, renditionsToFreeze, type FreezeStart, freezeTimes, freezeUntil } from "./frozen-media.ts";
import type { Still } from "../../media/live/freeze/still.ts";
import type { OriginIndex } from "./index/origin-index.ts";
import { endTicks, type LiveRendition } from "../../media/live/timeline.ts";
import { log } from "../../platform/log.ts";

/** When a broadcaster returns, an unfilled absence is filled up to this length. A longer one causes a discontinuity. */
export const MAX_FILLED_AT_ONCE_MS = 120_000;
/** An absence up to this length is ignored when the media cannot be frozen. Dates are then off by at most this much. */
const UNNOTICED_MS = 100;

/** Renditions that end further apart would be out of sync if each continued where it ended. */
const SAME_END_SECONDS = 0.05;

const OPENING_KEY = "opening";
// A freeze was called a hold in earlier releases; stored keys keep that name.
const FREEZE_KEY = "hold";
const UNTIL_KEY = "holdUntilMs";

/**
 * Fills the absence of a broadcaster with the last picture and silence, in separate segments. A broadcaster that returns with the same init
 * segments then continues without a discontinuity.
 */
export class Freeze {
  readonly #storage: DurableObjectStorage;
  readonly #bucket: R2Bucket;
  readonly #index: () => OriginIndex;
  #stills: Map<string, Still> | null = null;
  /** Number of resumptions. Stills read before the last one are outdated. */
  #resumptions = 0;

  constructor(storage: DurableObjectStorage, bucket: R2Bucket, index: () => OriginIndex) {
    this.#storage = storage;
    this.#bucket = bucket;
    this.#index = index;
  }

  /** The first segment of the current freeze. Recordings end before it. */
  get firstMsn(): number | null {
    return this.#start?.firstMsn ?? null;
  }

  /** When the next frozen part is due, epoch ms; Infinity without a freeze. */
  dueAtMs(nowMs: number): number {
    const untilMs = this.#storage.kv.get<number>(UNTIL_KEY) ?? 0;
    return nowMs >= untilMs || this.#index().hasEnded ? Infinity : nowMs + freezeTimes(this.#index()).partTargetMs;
  }

  /** Begins a freeze. Call when the broadcaster has left and all its media has arrived; then call `continue` for each part until a broadcaster connects. */
  begin(untilMs: number): void {
    if (this.#index().session !== null) this.#storage.kv.put(UNTIL_KEY, untilMs);
  }

  /** Stops adding frozen parts, because a broadcaster has connected. `resume` ends the freeze. */
  pause(): void {
    this.#storage.kv.delete(UNTIL_KEY);
  }

  async continue(nowMs: number): Promise<void> {
    const stills = await this.#findStills();
    const index = this.#index();
    const isWanted = (this.#storage.kv.get<number>(UNTIL_KEY) ?? 0) > nowMs && !index.hasEnded;
    const start = isWanted ? this.#begun(stills) : null;
    if (start === null) return this.pause();
    freezeUntil(index, start, stills, { capturedAtMs: nowMs, isEnd: false });
  }

  /**
   * Closes unfinished segments before new media. When the init segments are the same as before, the absence is filled and the timeline
   * continues without a discontinuity.
   *
   * @param isWanted whether this broadcaster may still write
   * @returns where the media begins; a repeated request gets the same answer
   * @throws {Error} when the broadcaster may no longer write; the answer to its next request states the reason
   */
  async resume(opening: Opening, isWanted: () => boolean): Promise<Resume> {
    this.pause();
    const stills = await this.#findStills();
    // While the stills were read, a repeated request may have been answered, another broadcaster may have connected, or the session may have ended.
    const known = this.#storage.kv.get<{ id: string; answer: Resume }>(OPENING_KEY);
    if (known?.id === opening.id) return known.answer;
    if (!isWanted()) throw new Error("this broadcaster may no longer write to the session");
    const answer = this.#resume(opening, stills);
    this.#storage.kv.put(OPENING_KEY, { id: opening.id, answer });
    this.#storage.kv.delete(FREEZE_KEY);
    this.#stills = null;
    this.#resumptions += 1;
    return answer;
  }

  #resume(opening: Opening, stills: Map<string, Still>): Resume {
    const index = this.#index();
    const initVersion = index.session === null ? null : this.#sameVersion(opening);
    const isFilled = initVersion !== null && this.#fill(opening.capturedAt, stills);
    const names = new Set(opening.renditions.map(({ name }) => name));
    const { nextMsn, initVersion: fresh, seconds } = index.resume(names);
    const there = index.all.filter(({ name, segments }) => names.has(name) && segments.length > 0);
    if (!isFilled || initVersion === null || !endTogether(there))
      return {
        nextMsn,
        discontinuity: nextMsn > 0,
        initVersion: Math.max(fresh, this.#unusedVersion),
        seconds,
        ticks: {},
      };
    const ends = there.map((rendition) => ({ rendition, ticks: endTicks(rendition.segments.at(-1)!) }));
    const [leader] = ends;
    return {
      nextMsn,
      discontinuity: false,
      initVersion,
      seconds: leader!.ticks / leader!.rendition.timescale,
      ticks: Object.fromEntries(ends.map(({ rendition, ticks }) => [rendition.name, ticks])),
    };
  }

  /** The version of the current init segments, if the new media has the same ones; else null. */
  #sameVersion({ renditions }: Opening): number | null {
    const { all } = this.#index();
    const hashes = new Map(renditions.map(({ name, initSha256 }) => [name, initSha256]));
    const isMissing = renditionsToFreeze(this.#index()).some(({ name }) => !hashes.has(name));
    const there = all.filter(({ name, segments }) => hashes.has(name) && segments.length > 0);
    if (isMissing || there.length === 0 || there.length < hashes.size) return null;
    const versions = new Set(there.map(({ segments }) => segments.at(-1)!.initVersion));
    const [version] = versions;
    const isSame = ({ name }: LiveRendition) =>
      this.#storage.kv.get<string | boolean>(`init ${name} ${version}`) === hashes.get(name);
    return versions.size === 1 && there.every(isSame) ? version! : null;
  }

  /** @returns false when the absence cannot be filled; a discontinuity follows */
  #fill(capturedAtMs: number, stills: Map<string, Still>): boolean {
    const index = this.#index();
    const hasBegun = this.#start !== null;
    if (!hasBegun) index.settle();
    const [leader] = renditionsToFreeze(index);
    const last = leader?.segments.at(-1);
    if (leader === undefined || last === undefined) return false;
    const endMs = last.capturedAtMs + (1000 * last.durationTicks) / leader.timescale;
    const missingMs = capturedAtMs - endMs;
    if (missingMs > MAX_FILLED_AT_ONCE_MS) return false;
    const start = this.#begun(stills);
    if (start === null) return missingMs <= UNNOTICED_MS;
    freezeUntil(index, start, stills, { capturedAtMs, isEnd: true });
    return true;
  }

  /** The next unused version of the init segments. Versions may have been stored without media. */
  get #unusedVersion(): number {
    return (this.#storage.kv.get<number>("initVersion") ?? -1) + 1;
  }

  get #start(): FreezeStart | null {
    return this.#storage.kv.get<FreezeStart>(FREEZE_KEY) ?? null;
  }

  /** The current freeze, or a new one. Null when the session's media cannot be frozen. */
  #begun(stills: Map<string, Still>): FreezeStart | null {
    const known = this.#start;
    if (known !== null) return known;
    const index = this.#index();
    index.settle();
    const start = beginFreeze(index, stills);
    if (start !== null) {
      this.#storage.kv.put(FREEZE_KEY, start);
      log("live.hold_begun", { sessionId: index.session?.sessionId ?? null, firstMsn: start.firstMsn });
    }
    return start;
  }

  async #findStills(): Promise<Map<string, Still>> {
    if (this.#stills !== null) return this.#stills;
    const resumptions = this.#resumptions;
    const stills = await findStills(this.#bucket, this.#index());
    if (resumptions === this.#resumptions) this.#stills = stills;
    return stills;
  }
}

function endTogether(renditions: LiveRendition[]): boolean {
  const ends = renditions.map(({ segments, timescale }) => endTicks(segments.at(-1)!) / timescale);
  return Math.max(...ends) - Math.min(...ends) <= SAME_END_SECONDS;
}
