import { renditionKey } from "../src/platform/storage/keys.ts";
import type { OriginSession } from "../src/media/live/origin-facts.ts";
import { encodedChannels, type LiveOffer } from "../src/media/live/multivariant.ts";
import { liveMpd } from "../src/media/live/mpd.ts";
import type { LiveOriginCalls, MpdRequest, OriginAnswer } from "../src/live/origin/origin-rpc.ts";
import { dvrFirstMsn, lengthAt, segmentOf } from "../src/live/origin/origin-history.ts";
import { livePlaylist, skipsSegments } from "../src/media/live/playlist.ts";
import { contains, decideReload, type Directives, isAtEdge, wantedPlace } from "../src/media/live/reload.ts";
import {
  type LivePlace,
  type LiveRendition,
  measuredBitrate,
  nextPart,
  segmentAt,
  windowed,
} from "../src/media/live/timeline.ts";
import { withQuery } from "../src/media/manifest/query.ts";
import { selectionQuery, selectRungs } from "../src/media/manifest/selection.ts";
import { ViewerWindow } from "../src/live/origin/viewer-window.ts";
import { log } from "../src/platform/log.ts";
import type { RangeAnswer, RecordedSession, SegmentRange } from "../src/live/origin/recorded-session.ts";
import { edgeOf, findRangeIn } from "../src/live/recording/clips-range.ts";
import { findRangeInIndex, windowOf } from "../src/live/recording/recorded-index.ts";
import { RecordedReader } from "../src/live/recording/recorded-reader.ts";
import { listsFrom } from "../src/live/recording/recording-lists.ts";
import { recordingSources } from "../src/live/recording/recording-sources.ts";
import { tellViewers } from "../src/live/streams/viewers.ts";
import { LiveOriginKeeper } from "./live-origin-keeper.ts";

/** A request that waits longer than this many target durations is told to come again (RFC 8216bis §6.2.5.2). */
const WAIT_TARGETS = 3;
/** The machine hears of viewers no more often than this. */
const TELL_PACE_MS = 1000;

const soundChannels = ({ started }: OriginSession): number => encodedChannels(started?.audio?.channels ?? 0);

/**
 * The live edge of one session: what players ask of it, held until it is there, and what becomes of the session when it is over.
 */
export class LiveOrigin extends LiveOriginKeeper implements LiveOriginCalls {
  readonly #waiting = new Set<{ rendition: string; place: LivePlace; isMedia: boolean; go: () => void }>();
  /** Playlists as they are until something comes: many are asked for at once. */
  readonly #rendered = new Map<string, string>();
  /** Renditions with all of their DVR window, likewise: they are read from SQLite. */
  readonly #withDvr = new Map<string, LiveRendition>();
  readonly #viewers = new ViewerWindow();
  readonly #recordedReader = new RecordedReader();
  #toldAtMs = 0;
  #isTelling = false;

  /** Rungs that new players are not offered. */
  dropped(): string[] {
    return this.index.all.filter(({ droppedFrom }) => droppedFrom !== null).map(({ name }) => name);
  }

  /** The session as on-demand delivery sees it, or a stretch of it; null before there was anything whole. */
  recorded(range: SegmentRange | null): RecordedSession | null {
    const { session, store } = this.index;
    if (session === null) return null;
    const renditions = listsFrom(recordingSources(store, this.index.all, this.holding.firstMsn), range);
    if (session === null || renditions.length === 0) return null;
    const { video, audio } = session.started ?? { video: null, audio: null };
    const source = { frameRate: video?.frameRate ?? 0, channels: audio?.channels ?? 0 };
    return { variants: session.renditions, ...source, renditions };
  }

  /**
   * Which segments hold a stretch of the session; times count from its first segment. Null when there is no session here: it has not begun, or
   * it was deleted once its recording stood.
   */
  findRange(startSeconds: number, endSeconds: number): RangeAnswer | null {
    const { session, store, history, all } = this.index;
    if (session === null) return null;
    const pages = history.pagesOf(all);
    const hasEnded = all.every((rendition) => rendition.hasEnded);
    const from = store.markBefore(startSeconds);
    const lengths = {
      edge: Math.min(edgeOf(all), (this.holding.firstMsn ?? Infinity) - 1),
      hasEnded,
      from,
      lengthAt: (msn: number) => lengthAt(pages, msn),
    };
    return findRangeIn(lengths, startSeconds, endSeconds);
  }

  /** As `findRange`, in the recording: for when the index was deleted. Null when there is no recording; `busy`: ask again in a second. */
  async findRecordedRange(sessionId: string, startSeconds: number, endSeconds: number) {
    const index = await this.#recordedReader.read(this.env, sessionId);
    return typeof index === "object" && index !== null ? findRangeInIndex(index, startSeconds, endSeconds) : index;
  }

  /** As `recorded`, from the recording. */
  async recordedWindow(sessionId: string, range: SegmentRange) {
    const index = await this.#recordedReader.read(this.env, sessionId);
    return typeof index === "object" && index !== null ? windowOf(index, range) : index;
  }

  /** @param isDvr from the first segment on */
  async playlist(name: string, { waitFor: asked, skip }: Directives, isDvr: boolean): Promise<OriginAnswer> {
    const { session } = this.index;
    const rendition = this.index.rendition(name);
    if (session === null || rendition === null) return { kind: "nothing" };
    const { timing } = session;
    const waitFor = wantedPlace(rendition, timing, asked);
    const decision = decideReload(rendition, timing, waitFor);
    if (typeof decision !== "string") return { kind: "bad", problem: decision.problem };
    if (decision === "wait" && !(await this.#held(name, waitFor!, session))) return { kind: "late" };
    const text = this.#render(rendition, session, isDvr, skip !== null);
    const { targetDurationSeconds } = timing;
    const { hasEnded } = rendition;
    return { kind: "playlist", text, hasEnded, isEdge: isAtEdge(rendition, asked), targetDurationSeconds };
  }

  #dvrOf(rendition: LiveRendition, isBounded: boolean): LiveRendition {
    const known = this.#withDvr.get(rendition.name) ?? this.index.history.withDvr(rendition, isBounded);
    this.#withDvr.set(rendition.name, known);
    return known;
  }

  #render(
    rendition: LiveRendition,
    { timing, windowSeconds, isBounded = false }: OriginSession,
    isDvr: boolean,
    isDelta: boolean,
  ): string {
    const key = `${rendition.name} ${isDvr} ${isDelta}`;
    const known = this.#rendered.get(key);
    if (known !== undefined) return known;
    const { history } = this.index;
    // A delta update skips what is older than the memory holds; only whole playlists read it.
    const isOfMemory = isDvr && isDelta && skipsSegments(rendition, timing);
    const window = isDvr
      ? isOfMemory
        ? rendition
        : this.#dvrOf(rendition, isBounded)
      : windowed(rendition, timing, windowSeconds);
    const text = livePlaylist({
      rendition: window,
      timing,
      others: this.index.all.filter((other) => other !== rendition),
      isDelta,
      query: isDvr ? "?dvrMode=true" : "",
      isEvent: isDvr && isBounded,
      ...(isOfMemory ? { older: history.olderThanMemory(rendition, isBounded) } : {}),
    });
    this.#rendered.set(key, text);
    return text;
  }

  /**
   * @returns null before there is anything to play
   */
  mpd({ playbackId, isDvr, selection, omitsType }: MpdRequest): { text: string; hasEnded: boolean } | null {
    const { session } = this.index;
    if (session === null) return null;
    const [video, audio] = ["video", "audio"].map((kind) => session.renditions.filter((row) => row.kind === kind));
    const { history } = this.index;
    const { isBounded = false } = session;
    const renditions = [...selectRungs(video!, selection), ...audio!].map((facts) => {
      const live = this.index.rendition(facts.name)!;
      return { facts, live: isDvr ? this.#dvrOf(live, isBounded) : live };
    });
    const isCut = isDvr && renditions.some(({ live }) => dvrFirstMsn(live, isBounded) > live.firstMsn);
    const asked = { dvrMode: isDvr ? "true" : null, ...selectionQuery(selection) };
    const text = liveMpd({
      renditions,
      timing: session.timing,
      windowSeconds: isDvr ? null : session.windowSeconds,
      isCut,
      origin: history.periodOrigin,
      frameRate: session.started?.video?.frameRate || null,
      channels: soundChannels(session),
      base: `${playbackId}/${session.sessionId}/`,
      location: withQuery(`${playbackId}.${session.sessionId}.mpd`, asked),
      clockUri: `/${playbackId}/${session.sessionId}/time`,
      nowMs: Date.now(),
      omitsType,
    });
    return text === null ? null : { text, hasEnded: renditions.every(({ live }) => live.hasEnded) };
  }

  /** What new players are offered; null before the session has begun. */
  offer(): LiveOffer | null {
    const { session } = this.index;
    if (session === null) return null;
    const dropped = this.dropped();
    const variants = session.renditions.filter(({ name }) => !dropped.includes(name));
    const measuredBps = Object.fromEntries(this.index.all.map((live) => [live.name, measuredBitrate(live)]));
    const frameRate = session.started?.video?.frameRate || null;
    return { variants, frameRate, channels: soundChannels(session), measuredBps };
  }

  /** A part, at once or when it comes if it is the next one; a whole segment, or the one that is being made. */
  async media(name: string, msn: number, part: number | null): Promise<OriginAnswer> {
    const { session } = this.index;
    const rendition = this.index.rendition(name);
    if (session === null || rendition === null) return { kind: "nothing" };
    const next = nextPart(rendition);
    const isBeingMade = part === null && next?.msn === msn;
    if (isBeingMade && !(await this.#held(name, { msn, part: 0 }, session, true))) return { kind: "late" };
    if (isBeingMade && segmentAt(rendition, msn)?.isWhole === false)
      return { kind: "growing", stream: this.#growing(session, name, msn) };
    const isHinted = part !== null && next !== null && next.msn === msn && next.part === part;
    if (isHinted && !(await this.#held(name, { msn, part }, session, true))) return { kind: "late" };
    // Whoever was held when the broadcast ended hears the same as who asks later.
    if (part === null && rendition.hasEnded && msn > (rendition.segments.at(-1)?.msn ?? -1)) return { kind: "ended" };
    return this.#answerMedia(rendition, session, msn, part);
  }

  /** Viewers that were seen just now, by what stands for them; the stream's machine is told how many there are. */
  watched(streamId: string, viewers: string[]): void {
    const { session } = this.index;
    this.#viewers.see(viewers, Date.now());
    if (session === null || this.#isTelling) return;
    this.#isTelling = true;
    const waitMs = Math.max(0, this.#toldAtMs + TELL_PACE_MS - Date.now());
    setTimeout(() => void this.#tellViewers(streamId, session.sessionId), waitMs);
  }

  async #tellViewers(streamId: string, sessionId: string): Promise<void> {
    this.#isTelling = false;
    this.#toldAtMs = Date.now();
    try {
      await tellViewers(this.env, streamId, sessionId, this.#viewers.count(this.#toldAtMs));
    } catch (error) {
      log("live.viewers_not_told", { streamId, sessionId, error: String(error) });
    }
  }

  /** Ends with an error when parts stop coming: nobody may keep half a segment. */
  #growing(session: OriginSession, name: string, msn: number): ReadableStream<Uint8Array> {
    let part = 0;
    return new ReadableStream({
      type: "bytes",
      pull: async (controller: ReadableByteStreamController) => {
        const segment = () => segmentAt(this.index.rendition(name)!, msn);
        const isThere = () => part < (segment()?.parts.length ?? 0);
        const isOver = () => segment()?.isWhole === true || this.index.rendition(name)!.hasEnded;
        if (!isThere() && !isOver() && !(await this.#held(name, { msn, part }, session, true)))
          return controller.error(new Error("the segment has not come in time"));
        const bytes = isThere() ? this.index.store.bytes(name, msn, part) : null;
        if (bytes !== null) {
          part += 1;
          controller.enqueue(bytes);
        }
        if (isOver() && !isThere()) {
          if (part === 0) controller.error(new Error("there is no such segment"));
          else controller.close();
        } else if (bytes === null) controller.error(new Error("the segment is not there any more"));
      },
    });
  }

  #answerMedia(rendition: LiveRendition, session: OriginSession, msn: number, part: number | null): OriginAnswer {
    const segment = segmentOf(this.index.store, rendition, msn);
    if (segment === null || segment.isGap || (part === null && !segment.isWhole)) return { kind: "nothing" };
    const bytes = this.index.store.bytes(rendition.name, msn, part);
    if (bytes !== null) return { kind: "bytes", bytes };
    const key = renditionKey(session.sessionId, rendition.name, `${msn}.m4s`);
    if (part === null) return { kind: "stored", key, range: null };
    const parts = this.index.store.partsOf(rendition.name, msn);
    if (parts[part] === undefined) return { kind: "nothing" };
    const offset = parts.slice(0, part).reduce((sum, before) => sum + before.bytes, 0);
    return { kind: "stored", key, range: { offset, length: parts[part].bytes } };
  }

  /** False when it has not come in time. @param isMedia who waits for a part does not wait for the next segment's */
  async #held(name: string, place: LivePlace, { timing }: OriginSession, isMedia = false): Promise<boolean> {
    const rendition = this.index.rendition(name);
    if (rendition !== null && contains(rendition, place)) return true;
    return new Promise((done) => {
      const waiter = { rendition: name, place, isMedia, go: () => finish(true) };
      const timer = setTimeout(() => finish(false), WAIT_TARGETS * timing.targetDurationSeconds * 1000);
      const finish = (isThere: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        done(isThere);
      };
      this.#waiting.add(waiter);
    });
  }

  protected override released(): void {
    this.#rendered.clear();
    this.#withDvr.clear();
    for (const { rendition: name, place, isMedia, go } of this.#waiting) {
      const rendition = this.index.rendition(name);
      const isDone = rendition === null || rendition.hasEnded || contains(rendition, place);
      // A part that its segment has ended without will not come.
      if (isDone || (isMedia && segmentAt(rendition, place.msn)?.isWhole === true)) go();
    }
  }
}
