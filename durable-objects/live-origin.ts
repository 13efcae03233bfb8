import { DurableObject } from "cloudflare:workers";
import { renditionKey } from "../src/assets/keys.ts";
import {
  type ArrivingPart,
  type LiveEnd,
  OriginIndex,
  type OriginSession,
  type PartVerdict,
} from "../src/delivery/live/origin-index.ts";
import { livePlaylist } from "../src/delivery/live/playlist.ts";
import { contains, decideReload, type Directives } from "../src/delivery/live/reload.ts";
import { type LivePlace, type LiveRendition, nextPart, windowed } from "../src/delivery/live/timeline.ts";
import type { Env } from "../src/env.ts";
import { log } from "../src/http/log.ts";

/** A request that waits longer than this many target durations is told to come again (RFC 8216bis §6.2.5.2). */
const WAIT_TARGETS = 3;
/** Segments whose bytes stay here after they are in R2: what players at the edge ask for. */
const KEPT_SEGMENTS = 4;
const STORE_AGAIN_MS = 1000;
const CACHE_CONTROL = "public, max-age=31536000, immutable";

export type OriginAnswer =
  | { kind: "playlist"; text: string; hasEnded: boolean }
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "stored"; key: string; range: { offset: number; length: number } | null }
  | { kind: "bad"; problem: string }
  | { kind: "late" }
  | { kind: "nothing" };

/**
 * The live edge of one session: takes parts from the encoder, announces them, holds the requests of players until there is what they
 * ask for, and brings whole segments to R2. Native: it moves bytes and holds requests open. Survives its own death with every
 * part it has announced.
 */
export class LiveOrigin extends DurableObject<Env> {
  readonly #index: OriginIndex;
  #waiting: { rendition: string; place: LivePlace; go: () => void }[] = [];
  #storing: Promise<void> | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#index = new OriginIndex(ctx.storage);
  }

  open(session: OriginSession): void {
    this.#index.open(session);
  }

  /** The broadcaster comes back after a while. @returns where its media goes on; at the beginning when nothing has come yet */
  async goOn(): Promise<LiveEnd> {
    const end = this.#index.goOn();
    this.#release();
    await this.#storeWhole();
    return end;
  }

  async putInit(rendition: string, version: number, bytes: Uint8Array): Promise<boolean> {
    const { session } = this.#index;
    if (session === null || this.#index.rendition(rendition) === null) return false;
    await this.env.MEDIA.put(this.#initKey(session, rendition, version), bytes, {
      httpMetadata: { contentType: "video/mp4", cacheControl: CACHE_CONTROL },
    });
    return true;
  }

  putPart(arriving: ArrivingPart, bytes: Uint8Array): PartVerdict {
    const verdict = this.#index.add(arriving, bytes);
    if (verdict.verdict !== "taken") return verdict;
    this.#release();
    if (arriving.isLast) {
      void this.ctx.storage.setAlarm(Date.now() + STORE_AGAIN_MS); // should this object die before R2 has it
      void this.#storeWhole();
    }
    return verdict;
  }

  /** Nothing follows: playlists end, and whoever waits gets them. */
  async end(): Promise<void> {
    this.#index.end();
    this.#release();
    await this.#storeWhole();
  }

  override async alarm(): Promise<void> {
    await this.#storeWhole();
  }

  async playlist(name: string, { waitFor, skip }: Directives, isDvr: boolean): Promise<OriginAnswer> {
    const { session } = this.#index;
    const rendition = this.#index.rendition(name);
    if (session === null || rendition === null) return { kind: "nothing" };
    const decision = decideReload(rendition, session.timing, waitFor);
    if (typeof decision !== "string") return { kind: "bad", problem: decision.problem };
    if (decision === "wait" && !(await this.#held(name, waitFor!, session))) return { kind: "late" };
    const offered = windowed(rendition, session.timing, isDvr ? null : session.windowSeconds);
    const others = this.#index.all.filter((other) => other !== rendition);
    const text = livePlaylist({ rendition: offered, timing: session.timing, others, isDelta: skip !== null });
    return { kind: "playlist", text, hasEnded: rendition.hasEnded };
  }

  /** A part, at once or when it comes if it is the next one; a whole segment. */
  async media(name: string, msn: number, part: number | null): Promise<OriginAnswer> {
    const { session } = this.#index;
    const rendition = this.#index.rendition(name);
    if (session === null || rendition === null) return { kind: "nothing" };
    const next = nextPart(rendition);
    const isHinted = part !== null && next !== null && next.msn === msn && next.part === part;
    if (isHinted && !(await this.#held(name, { msn, part }, session))) return { kind: "late" };
    return this.#answerMedia(rendition, session, msn, part);
  }

  /** Where the init segment lies; null when it is none of this session's. */
  initKey(rendition: string, version: number): string | null {
    const { session } = this.#index;
    return session === null || this.#index.rendition(rendition) === null
      ? null
      : this.#initKey(session, rendition, version);
  }

  #answerMedia(rendition: LiveRendition, session: OriginSession, msn: number, part: number | null): OriginAnswer {
    const segment = rendition.segments.find((one) => one.msn === msn);
    const isThere = segment !== undefined && (part === null ? segment.isWhole : part < segment.parts.length);
    if (!isThere || segment.isGap) return { kind: "nothing" };
    const bytes = this.#index.bytes(rendition.name, msn, part);
    if (bytes !== null) return { kind: "bytes", bytes };
    const key = renditionKey(session.sessionId, rendition.name, `${msn}.m4s`);
    if (part === null) return { kind: "stored", key, range: null };
    const offset = segment.parts.slice(0, part).reduce((sum, before) => sum + before.bytes, 0);
    return { kind: "stored", key, range: { offset, length: segment.parts[part]!.bytes } };
  }

  /** False when it has not come in time. */
  #held(rendition: string, place: LivePlace, { timing }: OriginSession): Promise<boolean> {
    return new Promise((done) => {
      const waiter = { rendition, place, go: () => finish(true) };
      const timer = setTimeout(() => finish(false), WAIT_TARGETS * timing.targetDurationSeconds * 1000);
      const finish = (isThere: boolean) => {
        clearTimeout(timer);
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        done(isThere);
      };
      this.#waiting.push(waiter);
    });
  }

  #release(): void {
    for (const { rendition: name, place, go } of this.#waiting) {
      const rendition = this.#index.rendition(name);
      if (rendition === null || rendition.hasEnded || contains(rendition, place)) go();
    }
  }

  #storeWhole(): Promise<void> {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = null;
    });
    return this.#storing;
  }

  async #storeAll(): Promise<void> {
    const { session } = this.#index;
    if (session === null) return;
    for (;;) {
      const [next] = this.#index.unstored();
      if (next === undefined) break;
      const bytes = this.#index.bytes(next.rendition, next.msn, null);
      try {
        await this.env.MEDIA.put(renditionKey(session.sessionId, next.rendition, `${next.msn}.m4s`), bytes, {
          httpMetadata: { contentType: "video/mp4", cacheControl: CACHE_CONTROL },
        });
      } catch (error) {
        log("live.not_stored", { sessionId: session.sessionId, ...next, error: String(error) });
        await this.ctx.storage.setAlarm(Date.now() + STORE_AGAIN_MS);
        return;
      }
      this.#index.markStored(next.rendition, next.msn);
      this.#index.forgetBytes(next.rendition, next.msn - KEPT_SEGMENTS + 1);
    }
    await this.ctx.storage.deleteAlarm();
  }

  #initKey = (session: OriginSession, rendition: string, version: number) =>
    renditionKey(session.sessionId, rendition, `init-${version}.mp4`);
}
