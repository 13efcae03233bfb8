import { DurableObject } from "cloudflare:workers";
import { liveThumbnailKey, renditionKey } from "../src/platform/storage/keys.ts";
import type { ArrivingPart, OriginSession, PartVerdict } from "../src/media/live/origin-facts.ts";
import type { Taken, Written } from "../src/live/origin/origin-rpc.ts";
import { OriginIndex } from "../src/live/origin/origin-index.ts";
import type { Env } from "../src/platform/env.ts";
import type { Opening, Resume } from "../protocol/live.ts";
import { sha256Hex } from "../src/platform/crypto/hash.ts";
import { log } from "../src/platform/log.ts";
import { Holding } from "../src/live/origin/holding.ts";

/** Segments whose bytes stay here after they are in R2: what players at the edge ask for. */
const KEPT_SEGMENTS = 4;
const STORE_AGAIN_MS = 1000;
/** Segments that travel to R2 at once. */
const STORE_AT_ONCE = 6;
/** R2 takes this many keys in one call. */
const DELETE_AT_ONCE = 1000;
const RELEASE_LATE_MS = 7 * 24 * 3600_000;
const RELEASE_AGAIN_MS = 60_000;
const CACHE_CONTROL = "public, max-age=31536000, immutable";

const OVER = { verdict: "over" } as const;
const TAKEN = { verdict: "taken" } as const;
/** There is no such thing in this session. */
const NONE = { verdict: "none" } as const;

/**
 * What gateways bring to the live edge of one session: parts are kept here before they are announced, whole segments go to R2. Native: it
 * moves bytes. Survives its own death with every part it has announced.
 */
export abstract class LiveOriginKeeper extends DurableObject<Env> {
  protected index: OriginIndex;
  protected readonly holding: Holding;
  #storing: Promise<void> | null = null;
  #storeAtMs = Infinity;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.index = new OriginIndex(ctx.storage);
    this.holding = new Holding(ctx.storage, env.MEDIA, () => this.index);
    if (this.index.hasEnded && this.#releaseAtMs === Infinity)
      void ctx.blockConcurrencyWhile(() => this.#releaseLate());
  }

  /** Sessions that ended before there was a release, or whose release was lost. Whoever still records it calls `release` in time. */
  async #releaseLate(): Promise<void> {
    const releaseAtMs = Date.now() + RELEASE_LATE_MS;
    this.ctx.storage.kv.put("releaseAtMs", releaseAtMs);
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(releaseAtMs);
  }

  /** Something has come, or nothing more will: whoever waits is looked after. */
  protected abstract released(): void;

  /** @param connection whose word counts from now on: the broadcaster's newest */
  open(session: OriginSession, connection = 1): void {
    this.#accept(connection);
    this.index.open(session);
    this.released();
  }

  /** A broadcaster comes back, perhaps another one; nobody else is listened to from now on. */
  accept(connection = 1): void {
    this.#accept(connection);
    this.holding.pause();
  }

  /** Media is about to come that does not simply follow what came before. @returns where it begins */
  async resume(opening: Opening, connection = 1): Promise<Resume> {
    this.#accept(connection);
    const found = await this.holding.resume(opening, () => connection === this.#connection && !this.index.hasEnded);
    await this.#afterHold();
    return found;
  }

  /** The broadcaster has left with all that it sent: its last picture stands until somebody comes. @param untilMs epoch ms */
  async hold(untilMs: number, by = this.#connection): Promise<void> {
    if (!this.#mayWrite(by)) return;
    this.holding.begin(untilMs);
    await this.#schedule(); // should this object die before it has read what it needs
    await this.#continueHold();
  }

  async #continueHold(): Promise<void> {
    try {
      await this.holding.continue(Date.now());
    } catch (error) {
      log("live.not_held", { sessionId: this.index.session?.sessionId ?? null, error: String(error) });
    }
    await this.#afterHold();
  }

  async #afterHold(): Promise<void> {
    this.released();
    await this.#storeWhole();
  }

  /** Parts of a segment are lost for good, and none of it follows. */
  gap(rendition: string, msn: number, by = this.#connection): Written<PartVerdict> {
    if (!this.#mayWrite(by)) return OVER;
    return this.#changed(this.index.gap(rendition, msn));
  }

  /** A rung is given up: its last segment is the one before this. */
  drop(rendition: string, fromMsn: number, by = this.#connection): Written<PartVerdict> {
    if (!this.#mayWrite(by)) return OVER;
    return this.#changed(this.index.drop(rendition, fromMsn));
  }

  /** The newest picture of the live edge; an older one changes nothing. */
  async putThumbnail(capturedAtMs: number, bytes: Uint8Array, by = this.#connection): Promise<Written<Taken>> {
    if (!this.#mayWrite(by)) return OVER;
    const { session } = this.index;
    if (session === null) return NONE;
    if (capturedAtMs < (this.ctx.storage.kv.get<number>("thumbnailAtMs") ?? 0)) return TAKEN;
    this.ctx.storage.kv.put("thumbnailAtMs", capturedAtMs);
    await this.env.MEDIA.put(liveThumbnailKey(session.sessionId), bytes, {
      httpMetadata: { contentType: "image/jpeg" },
    });
    return TAKEN;
  }

  /** Once for each version: what players keep for ever never changes. */
  async putInit(rendition: string, version: number, bytes: Uint8Array, by = this.#connection): Promise<Written<Taken>> {
    if (!this.#mayWrite(by)) return OVER;
    const { session } = this.index;
    if (session === null || this.index.rendition(rendition) === null) return NONE;
    const key = `init ${rendition} ${version}`;
    if (this.ctx.storage.kv.get<string | boolean>(key) !== undefined) return TAKEN;
    const sha256 = await sha256Hex(bytes);
    await this.env.MEDIA.put(this.#initKey(session, rendition, version), bytes, {
      httpMetadata: { contentType: "video/mp4", cacheControl: CACHE_CONTROL },
    });
    this.ctx.storage.kv.put(key, sha256);
    this.ctx.storage.kv.put("initVersion", Math.max(version, this.#initVersion));
    return TAKEN;
  }

  putPart(arriving: ArrivingPart, bytes: Uint8Array, by = this.#connection): Written<PartVerdict> {
    if (!this.#mayWrite(by)) return OVER;
    const verdict = this.index.add(arriving, bytes);
    if (arriving.isLast) return this.#changed(verdict);
    if (verdict.verdict === "taken") this.released();
    return verdict;
  }

  /** The newest connection's word counts; an older one that comes back late changes nothing. */
  #accept(connection: number): void {
    if (connection > this.#connection) this.ctx.storage.kv.put("connection", connection);
  }

  get #connection(): number {
    return this.ctx.storage.kv.get<number>("connection") ?? 1;
  }

  /** The newest that has come, whether parts followed or not. */
  get #initVersion(): number {
    return this.ctx.storage.kv.get<number>("initVersion") ?? -1;
  }

  #mayWrite(connection: number): boolean {
    return connection === this.#connection && this.index.session !== null && !this.index.hasEnded;
  }

  /** Perhaps a segment is whole. */
  #changed(verdict: PartVerdict): PartVerdict {
    if (verdict.verdict !== "taken") return verdict;
    this.released();
    this.#storeAtMs = Date.now() + STORE_AGAIN_MS; // should this object die before R2 has it
    void this.#schedule();
    void this.#storeWhole();
    return verdict;
  }

  /**
   * Nothing follows: playlists end, and whoever waits gets them. When it comes back every segment is in R2, the last one as short as
   * it was left.
   *
   * @throws when R2 does not take them all: to be called again
   */
  async end(): Promise<void> {
    this.index.end();
    this.released();
    await this.#storeWhole();
    await this.#storeWhole(); // one that was under way may have looked before the end
    if (this.index.session !== null && this.index.store.unstored(1).length > 0)
      throw new Error("not every segment of the session is in R2");
  }

  /**
   * The session's index is needed for this long yet: players go on to the end of what they have begun. Then nothing of it stays; a
   * recording has its own lists. Only of a session that has ended.
   */
  async release(afterMs: number): Promise<void> {
    if (!this.index.hasEnded) return;
    this.ctx.storage.kv.put("releaseAtMs", Date.now() + afterMs);
    await this.#schedule();
  }

  override async alarm(): Promise<void> {
    const nowMs = Date.now();
    if (nowMs >= this.#releaseAtMs) return await this.#releaseNow();
    if (this.holding.dueAtMs(nowMs) < Infinity) await this.#continueHold();
    else await this.#afterHold();
  }

  /** There is one alarm, for whatever is due first. */
  async #schedule(): Promise<void> {
    const atMs = Math.min(this.#storeAtMs, this.#releaseAtMs, this.holding.dueAtMs(Date.now()));
    if (atMs < Infinity) await this.ctx.storage.setAlarm(atMs);
    else await this.ctx.storage.deleteAlarm();
  }

  get #releaseAtMs(): number {
    return this.ctx.storage.kv.get<number>("releaseAtMs") ?? Infinity;
  }

  /** An alarm that throws is given up after some attempts, so a refusal by R2 sets another one. */
  async #releaseNow(): Promise<void> {
    const sessionId = this.index.session?.sessionId ?? null;
    try {
      await this.#deleteHold();
    } catch (error) {
      log("live.origin_not_deleted", { sessionId, error: String(error) });
      return await this.ctx.storage.setAlarm(Date.now() + RELEASE_AGAIN_MS);
    }
    log("live.origin_deleted", { sessionId });
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.index = new OriginIndex(this.ctx.storage);
  }

  /** What was shown behind the last of a broadcast's media is no part of its recording. */
  async #deleteHold(): Promise<void> {
    const { session, all } = this.index;
    const { firstMsn } = this.holding;
    if (session === null || firstMsn === null) return;
    const keys = all.flatMap(({ name, segments }) => {
      const count = Math.max(0, (segments.at(-1)?.msn ?? -1) + 1 - firstMsn);
      return Array.from({ length: count }, (_, n) => renditionKey(session.sessionId, name, `${firstMsn + n}.m4s`));
    });
    for (let at = 0; at < keys.length; at += DELETE_AT_ONCE)
      await this.env.MEDIA.delete(keys.slice(at, at + DELETE_AT_ONCE));
  }

  #storeWhole(): Promise<void> {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = null;
    });
    return this.#storing;
  }

  async #storeAll(): Promise<void> {
    const { session } = this.index;
    if (session === null) return;
    this.#storeAtMs = Infinity;
    for (;;) {
      const due = this.index.store.unstored(STORE_AT_ONCE);
      if (due.length === 0) break;
      const stored = await Promise.all(due.map((segment) => this.#storeOne(session, segment)));
      if (stored.includes(false)) {
        this.#storeAtMs = Date.now() + STORE_AGAIN_MS;
        break;
      }
    }
    await this.#schedule();
  }

  async #storeOne({ sessionId }: OriginSession, segment: { rendition: string; msn: number }): Promise<boolean> {
    const { rendition, msn } = segment;
    const { store } = this.index;
    try {
      await this.env.MEDIA.put(renditionKey(sessionId, rendition, `${msn}.m4s`), store.bytes(rendition, msn, null), {
        httpMetadata: { contentType: "video/mp4", cacheControl: CACHE_CONTROL },
      });
    } catch (error) {
      log("live.not_stored", { sessionId, ...segment, error: String(error) });
      return false;
    }
    store.markStored(rendition, msn);
    store.forgetBytes(rendition, msn - KEPT_SEGMENTS + 1);
    return true;
  }

  #initKey = (session: OriginSession, rendition: string, version: number) =>
    renditionKey(session.sessionId, rendition, `init-${version}.mp4`);
}
