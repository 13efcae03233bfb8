import type { Opening, Resume } from "../../../protocol/live.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { beginHold, heldRenditions, type HoldStart, holdTimes, holdUntil } from "./origin-hold.ts";
import { type Still, stillPicture, stillSound } from "../../media/live/held/still.ts";
import type { OriginIndex } from "./origin-index.ts";
import { endTicks, type LiveRendition } from "../../media/live/timeline.ts";
import { log } from "../../platform/log.ts";

/** An absence that nobody has filled while it lasted is filled at once up to this length; a longer one is a discontinuity. */
export const MAX_FILLED_AT_ONCE_MS = 120_000;
/** A hold without stills is as good as none: timestamps may be off by this much. */
const UNNOTICED_MS = 100;

/** Renditions that end further apart show different pictures at one time if each goes on where it ended. */
const SAME_END_SECONDS = 0.05;

const OPENING_KEY = "opening";
const HOLD_KEY = "hold";
const UNTIL_KEY = "holdUntilMs";

/**
 * What viewers of a session see while its broadcaster is away: the last picture and silence, in segments of their own, so that a
 * broadcaster that comes back with the same media goes on without a discontinuity.
 */
export class Holding {
  readonly #storage: DurableObjectStorage;
  readonly #bucket: R2Bucket;
  readonly #index: () => OriginIndex;
  #stills: Map<string, Still> | null = null;
  /** Stills that were looked for before media came again are none any more. */
  #mediaRuns = 0;

  constructor(storage: DurableObjectStorage, bucket: R2Bucket, index: () => OriginIndex) {
    this.#storage = storage;
    this.#bucket = bucket;
    this.#index = index;
  }

  /** The first segment of a hold that nothing has followed yet. Recordings end before it. */
  get firstMsn(): number | null {
    return this.#start?.firstMsn ?? null;
  }

  /** When more of the picture is due, epoch ms; Infinity while nobody is away. */
  dueAtMs(nowMs: number): number {
    const untilMs = this.#storage.kv.get<number>(UNTIL_KEY) ?? 0;
    return nowMs >= untilMs || this.#index().hasEnded ? Infinity : nowMs + holdTimes(this.#index()).partTargetMs;
  }

  /** The broadcaster has left, and everything it sent is here. The hold is to be continued until somebody connects. */
  begin(untilMs: number): void {
    if (this.#index().session !== null) this.#storage.kv.put(UNTIL_KEY, untilMs);
  }

  /** A broadcaster has come: its media says where the hold ends. */
  pause(): void {
    this.#storage.kv.delete(UNTIL_KEY);
  }

  async continue(nowMs: number): Promise<void> {
    const stills = await this.#findStills();
    const index = this.#index();
    const isWanted = (this.#storage.kv.get<number>(UNTIL_KEY) ?? 0) > nowMs && !index.hasEnded;
    const start = isWanted ? this.#begun(stills) : null;
    if (start === null) return this.pause();
    holdUntil(index, start, stills, { capturedAtMs: nowMs, isEnd: false });
  }

  /**
   * Media comes again: what was unfinished is closed. When it is of the same kind as before the absence is filled, and it goes on as if
   * nothing had happened.
   *
   * @param isWanted whether this broadcaster's word still counts
   * @returns where it begins; the same for the same opening, whatever has come since
   * @throws {Error} when it is not wanted any more: whoever asks again is told why
   */
  async resume(opening: Opening, isWanted: () => boolean): Promise<Resume> {
    this.pause();
    const stills = await this.#findStills();
    // Meanwhile the same question may have been answered, another broadcaster may have come, or the session may have ended.
    const known = this.#storage.kv.get<{ id: string; answer: Resume }>(OPENING_KEY);
    if (known?.id === opening.id) return known.answer;
    if (!isWanted()) throw new Error("the session goes on without this broadcaster");
    const answer = this.#resume(opening, stills);
    this.#storage.kv.put(OPENING_KEY, { id: opening.id, answer });
    this.#storage.kv.delete(HOLD_KEY);
    this.#stills = null;
    this.#mediaRuns += 1;
    return answer;
  }

  #resume(opening: Opening, stills: Map<string, Still>): Resume {
    const index = this.#index();
    const initVersion = index.session === null ? null : this.#sameVersion(opening);
    const isFilled = initVersion !== null && this.#fill(opening.capturedAt, stills);
    const names = new Set(opening.renditions.map(({ name }) => name));
    const { nextMsn, initVersion: fresh, seconds } = index.goOn(names);
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

  /** The version of the init segments when the media is of the same kind as what there is; null when anything of it is not. */
  #sameVersion({ renditions }: Opening): number | null {
    const { all } = this.#index();
    const hashes = new Map(renditions.map(({ name, initSha256 }) => [name, initSha256]));
    const isMissing = heldRenditions(this.#index()).some(({ name }) => !hashes.has(name));
    const there = all.filter(({ name, segments }) => hashes.has(name) && segments.length > 0);
    if (isMissing || there.length === 0 || there.length < hashes.size) return null;
    const versions = new Set(there.map(({ segments }) => segments.at(-1)!.initVersion));
    const [version] = versions;
    const isSame = ({ name }: LiveRendition) =>
      this.#storage.kv.get<string | boolean>(`init ${name} ${version}`) === hashes.get(name);
    return versions.size === 1 && there.every(isSame) ? version! : null;
  }

  /** @returns false when the absence cannot be filled */
  #fill(capturedAtMs: number, stills: Map<string, Still>): boolean {
    const index = this.#index();
    const hasBegun = this.#start !== null;
    if (!hasBegun) index.settle();
    const [leader] = heldRenditions(index);
    const last = leader?.segments.at(-1);
    if (leader === undefined || last === undefined) return false;
    const endMs = last.capturedAtMs + (1000 * last.durationTicks) / leader.timescale;
    const missingMs = capturedAtMs - endMs;
    if (missingMs > MAX_FILLED_AT_ONCE_MS) return false;
    const start = this.#begun(stills);
    if (start === null) return missingMs <= UNNOTICED_MS;
    holdUntil(index, start, stills, { capturedAtMs, isEnd: true });
    return true;
  }

  /** Of init segments: one may have come without any media. */
  get #unusedVersion(): number {
    return (this.#storage.kv.get<number>("initVersion") ?? -1) + 1;
  }

  get #start(): HoldStart | null {
    return this.#storage.kv.get<HoldStart>(HOLD_KEY) ?? null;
  }

  /** The hold that is under way, else a new one. Null when the session's media cannot be held. */
  #begun(stills: Map<string, Still>): HoldStart | null {
    const known = this.#start;
    if (known !== null) return known;
    const index = this.#index();
    index.settle();
    const start = beginHold(index, stills);
    if (start !== null) {
      this.#storage.kv.put(HOLD_KEY, start);
      log("live.hold_begun", { sessionId: index.session?.sessionId ?? null, firstMsn: start.firstMsn });
    }
    return start;
  }

  /** Of every rendition that can be held, by name. */
  async #findStills(): Promise<Map<string, Still>> {
    if (this.#stills !== null) return this.#stills;
    const index = this.#index();
    const run = this.#mediaRuns;
    const stills = new Map<string, Still>();
    for (const rendition of heldRenditions(index)) {
      const still = await this.#findStill(index, rendition);
      if (still !== null) stills.set(rendition.name, still);
    }
    if (run === this.#mediaRuns) this.#stills = stills;
    return stills;
  }

  async #findStill({ session, store }: OriginIndex, { name, segments }: LiveRendition): Promise<Still | null> {
    const { initVersion } = segments.at(-1)!;
    const key = (file: string) => renditionKey(session!.sessionId, name, file);
    const init = await this.#read(key(`init-${initVersion}.mp4`));
    if (init === null) return null;
    if (session!.renditions.find((one) => one.name === name)?.kind === "audio") return stillSound(init);
    // The newest may have been cut off before its first key frame was whole.
    for (const { msn, isGap } of segments.slice(-2).toReversed()) {
      const bytes = isGap ? null : (store.bytes(name, msn, null) ?? (await this.#read(key(`${msn}.m4s`))));
      const still = bytes && stillPicture(init, bytes);
      if (still) return still;
    }
    return null;
  }

  async #read(key: string): Promise<Uint8Array | null> {
    const object = await this.#bucket.get(key);
    return object && new Uint8Array(await object.arrayBuffer());
  }
}

function endTogether(renditions: LiveRendition[]): boolean {
  const ends = renditions.map(({ segments, timescale }) => endTicks(segments.at(-1)!) / timescale);
  return Math.max(...ends) - Math.min(...ends) <= SAME_END_SECONDS;
}
