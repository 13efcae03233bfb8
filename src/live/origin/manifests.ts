import { liveMpd } from "../../media/live/mpd.ts";
import { encodedChannels, type LiveOffer } from "../../media/live/multivariant.ts";
import type { LiveFormat, OriginSession } from "../../media/live/origin-facts.ts";
import { livePlaylist, skipsSegments } from "../../media/live/playlist.ts";
import { decideReload, type Directives, isAtEdge, wantedPlace } from "../../media/live/reload.ts";
import { type LiveRendition, measuredBitrate, windowed } from "../../media/live/timeline.ts";
import { formatsFrom, largestOf } from "../../media/manifest/formats.ts";
import { withQuery } from "../../media/manifest/query.ts";
import { selectionQuery, selectRungs } from "../../media/manifest/selection.ts";
import { dvrFirstMsn, segmentOf } from "./index/origin-history.ts";
import type { OriginIndex } from "./index/origin-index.ts";
import type { MpdRequest, OriginAnswer } from "./origin-calls.ts";
import type { HeldRequests } from "./held-requests.ts";

const soundChannels = ({ started }: OriginSession): number => encodedChannels(started?.audio?.channels ?? 0);

/** Renders the session's manifests. Caches playlists until the index changes, because many viewers request the same one. */
export class LiveManifests {
  readonly #playlists = new Map<string, string>();
  /** Renditions with their whole DVR window, read from SQLite. */
  readonly #dvrWindows = new Map<string, LiveRendition>();
  readonly #index: () => OriginIndex;
  readonly #requests: HeldRequests;
  readonly #clock: () => number;

  constructor(index: () => OriginIndex, requests: HeldRequests, clock: () => number) {
    this.#index = index;
    this.#requests = requests;
    this.#clock = clock;
  }

  /** Call after every change of the index. */
  clearCache(): void {
    this.#playlists.clear();
    this.#dvrWindows.clear();
  }

  /**
   * Holds a blocking request until its segment or part exists.
   *
   * @param isDvr lists the whole DVR window
   * @param keyTags EXT-X-KEY of encrypted media
   */
  async playlist(
    name: string,
    { waitFor: asked, skip }: Directives,
    isDvr: boolean,
    keyTags: string[] = [],
  ): Promise<OriginAnswer> {
    const { session } = this.#index();
    const isText = this.#isCaptions(name);
    // Captions have the segments and parts of the picture.
    const rendition = isText ? this.#index().captionLeader : this.#index().rendition(name);
    if (session === null || rendition === null) return { kind: "nothing" };
    const { timing } = session;
    const waitFor = wantedPlace(rendition, timing, asked);
    const decision = decideReload(rendition, timing, waitFor);
    if (typeof decision !== "string") return { kind: "bad", problem: decision.problem };
    if (decision === "wait" && !(await this.#requests.wait(rendition.name, waitFor!, session))) return { kind: "late" };
    const asCaptions = isText ? name : null;
    const text = this.#render(rendition, session, { isDvr, isDelta: skip !== null, keyTags, asCaptions });
    const { targetDurationSeconds } = timing;
    const { hasEnded } = rendition;
    return { kind: "playlist", text, hasEnded, isEdge: isAtEdge(rendition, asked), targetDurationSeconds };
  }

  #isCaptions = (name: string): boolean => this.#index().captions.has(name);

  /** @param asCaptions the channel whose captions are listed with the segments of `rendition`; null = the rendition itself */
  #render(
    rendition: LiveRendition,
    session: OriginSession,
    {
      isDvr,
      isDelta,
      keyTags,
      asCaptions,
    }: { isDvr: boolean; isDelta: boolean; keyTags: string[]; asCaptions: string | null },
  ): string {
    const key = [asCaptions ?? rendition.name, isDvr, isDelta, ...keyTags].join(" ");
    const known = this.#playlists.get(key);
    if (known !== undefined) return known;
    const { timing, windowSeconds, isBounded = false } = session;
    const { all, history, captions, captionLeader } = this.#index();
    const name = asCaptions ?? rendition.name;
    const text =
      captionLeader === null ? [] : captions.offered.map(({ name: channel }) => ({ ...captionLeader, name: channel }));
    // A delta update skips everything older than the memory, so it needs no DVR window from SQLite.
    const isFromMemory = isDvr && isDelta && skipsSegments(rendition, timing);
    const dvrWindow = () => (isFromMemory ? rendition : this.#dvrWindow(rendition, isBounded));
    const listed = isDvr ? dvrWindow() : windowed(rendition, timing, windowSeconds);
    const playlist = livePlaylist({
      rendition: asCaptions === null ? listed : { ...listed, name, droppedFrom: null },
      timing,
      others: [...all, ...text].filter((other) => other.name !== name),
      isDelta,
      query: isDvr ? "?dvrMode=true" : "",
      isEvent: isDvr && isBounded,
      isText: asCaptions !== null,
      keyTags: asCaptions === null ? keyTags : [],
      ...(isFromMemory ? { older: history.olderThanMemory(rendition, isBounded) } : {}),
    });
    this.#playlists.set(key, playlist);
    return playlist;
  }

  #dvrWindow(rendition: LiveRendition, isBounded: boolean): LiveRendition {
    const known = this.#dvrWindows.get(rendition.name) ?? this.#index().history.withDvr(rendition, isBounded);
    this.#dvrWindows.set(rendition.name, known);
    return known;
  }

  /** @returns null before there is anything to play */
  mpd({
    playbackId,
    isDvr,
    selection,
    omitsType,
    protection = null,
  }: MpdRequest): { text: string; hasEnded: boolean } | null {
    const index = this.#index();
    const { session } = index;
    if (session === null) return null;
    const { isBounded = false } = session;
    const all = session.renditions.map((facts) => {
      const live = index.rendition(facts.name)!;
      const { widthPx, heightPx } = largestOf(this.#listedFormats(live, session, isDvr));
      const formats = index.formatsOf(facts.name);
      return { facts: { ...facts, widthPx, heightPx }, live: isDvr ? this.#dvrWindow(live, isBounded) : live, formats };
    });
    const [video, audio] = ["video", "audio"].map((kind) => all.filter(({ facts }) => facts.kind === kind));
    const selected = selectRungs(
      video!.map(({ facts }) => facts),
      selection,
    );
    const renditions = [...selected.map((facts) => video!.find((one) => one.facts === facts)!), ...audio!];
    const isCut = isDvr && renditions.some(({ live }) => dvrFirstMsn(live, isBounded) > live.firstMsn);
    const asked = { dvrMode: isDvr ? "true" : null, ...selectionQuery(selection) };
    const text = liveMpd({
      renditions,
      timing: session.timing,
      windowSeconds: isDvr ? null : session.windowSeconds,
      isCut,
      origin: index.history.periodOrigin,
      channels: soundChannels(session),
      base: `${playbackId}/${session.sessionId}/`,
      location: withQuery(`${playbackId}.${session.sessionId}.mpd`, asked),
      clockUri: `/${playbackId}/${session.sessionId}/time`,
      nowMs: this.#clock(),
      omitsType,
      protection,
      captions: index.captions.offered,
    });
    return text === null ? null : { text, hasEnded: renditions.every(({ live }) => live.hasEnded) };
  }

  /** The variants for new players; null before the session has begun. @param isDvr their playlists list the whole DVR window */
  offer(isDvr: boolean): LiveOffer | null {
    const { all, session, captions } = this.#index();
    if (session === null) return null;
    const dropped = droppedRungs(all);
    const variants = session.renditions
      .filter(({ name }) => !dropped.includes(name))
      .map((facts) => {
        const formats = this.#listedFormats(this.#index().rendition(facts.name)!, session, isDvr);
        const { codec, widthPx, heightPx } = largestOf(formats);
        const bitrateBps = Math.max(...formats.map((format) => format.bitrateBps));
        return { ...facts, codec, widthPx, heightPx, bitrateBps, formats };
      });
    const measuredBps = Object.fromEntries(all.map((live) => [live.name, measuredBitrate(live)]));
    return { variants, channels: soundChannels(session), measuredBps, captions: captions.offered };
  }

  /** The first segment that playlists without DVR list, the same of every rendition; null before there is one, and without an index. */
  windowFirstMsn(): number | null {
    const { session, captionLeader, all } = this.#index();
    const leader = captionLeader ?? all[0];
    if (session === null || leader === undefined) return null;
    return windowed(leader, session.timing, session.windowSeconds).segments[0]?.msn ?? null;
  }

  /** The formats of the segments that a rendition's playlist lists, and of those to come. */
  #listedFormats(
    live: LiveRendition,
    { timing, windowSeconds, isBounded = false }: OriginSession,
    isDvr: boolean,
  ): LiveFormat[] {
    const index = this.#index();
    const [first] = windowed(live, timing, windowSeconds).segments;
    const oldest = isDvr ? segmentOf(index.store, live, dvrFirstMsn(live, isBounded)) : first;
    return formatsFrom(index.formatsOf(live.name), oldest?.initVersion ?? Infinity);
  }
}

/** Rungs that the encoder has dropped; new players are not offered them. */
export const droppedRungs = (renditions: LiveRendition[]): string[] =>
  renditions.filter(({ droppedFrom }) => droppedFrom !== null).map(({ name }) => name);
