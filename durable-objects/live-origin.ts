import { DurableObject } from "cloudflare:workers";
import type { MediaFormat } from "../protocol/init-facts.ts";
import type { Opening, Resume } from "../protocol/live.ts";
import {
  acceptConnection,
  dropRung,
  openSession,
  putGap,
  putInit,
  putPart,
  putThumbnail,
} from "../src/live/origin/writes.ts";
import { endSession, releaseSession, scheduleLostRelease } from "../src/live/origin/release.ts";
import { findRange, findRecordedRange, readRecordedWindow, readSession } from "../src/live/origin/recorded.ts";
import { freezePicture, resumeMedia } from "../src/live/origin/freeze-picture.ts";
import { droppedRungs } from "../src/live/origin/manifests.ts";
import { onAlarm } from "../src/live/origin/on-alarm.ts";
import { OriginComponents } from "../src/live/origin/components.ts";
import { readCaptions, readCaptionsMp4 } from "../src/live/origin/read-captions.ts";
import { readMedia } from "../src/live/origin/read-media.ts";
import type { LiveOriginCalls, MpdRequest, OriginAnswer, Taken, Written } from "../src/live/origin/origin-calls.ts";
import type {
  CaptionPage,
  RangeAnswer,
  RecordedSession,
  SegmentRange,
} from "../src/live/origin/recorded/recorded-session.ts";
import type { CaptionChannel } from "../src/media/live/captions.ts";
import type { LiveOffer } from "../src/media/live/multivariant.ts";
import type { ArrivingPart, OriginSession, PartVerdict } from "../src/media/live/origin-facts.ts";
import type { Directives } from "../src/media/live/reload.ts";
import type { Env } from "../src/platform/env.ts";

/** The live edge of one session (docs/architecture/live.md). Each call is explained in `src/live/origin/`. */
export class LiveOrigin extends DurableObject<Env> implements LiveOriginCalls {
  readonly components: OriginComponents;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.components = new OriginComponents(ctx, env);
    if (this.components.lacksRelease) void ctx.blockConcurrencyWhile(() => scheduleLostRelease(this.components));
  }

  override alarm(): Promise<void> {
    return onAlarm(this.components);
  }

  // Writes of gateways.

  open(session: OriginSession, connection = 1): void {
    openSession(this.components, session, connection);
  }

  accept(connection = 1): void {
    acceptConnection(this.components, connection);
  }

  resume(opening: Opening, connection = 1): Promise<Resume> {
    return resumeMedia(this.components, opening, connection);
  }

  freeze(untilMs: number, by = this.components.connection): Promise<void> {
    return freezePicture(this.components, untilMs, by);
  }

  putInit(
    rendition: string,
    version: number,
    bytes: Uint8Array,
    by = this.components.connection,
    format: MediaFormat | null = null,
  ): Promise<Written<Taken>> {
    return putInit(this.components, rendition, version, bytes, by, format);
  }

  putPart(arriving: ArrivingPart, bytes: Uint8Array, by = this.components.connection): Written<PartVerdict> {
    return putPart(this.components, arriving, bytes, by);
  }

  putThumbnail(capturedAtMs: number, bytes: Uint8Array, by = this.components.connection): Promise<Written<Taken>> {
    return putThumbnail(this.components, capturedAtMs, bytes, by);
  }

  gap(rendition: string, msn: number, by = this.components.connection): Written<PartVerdict> {
    return putGap(this.components, rendition, msn, by);
  }

  drop(rendition: string, fromMsn: number, by = this.components.connection): Written<PartVerdict> {
    return dropRung(this.components, rendition, fromMsn, by);
  }

  end(): Promise<void> {
    return endSession(this.components);
  }

  release(afterMs: number): Promise<void> {
    return releaseSession(this.components, afterMs);
  }

  // Requests of viewers.

  playlist(name: string, directives: Directives, isDvr: boolean, keyTags: string[] = []): Promise<OriginAnswer> {
    return this.components.manifests.playlist(name, directives, isDvr, keyTags);
  }

  mpd(request: MpdRequest): { text: string; hasEnded: boolean } | null {
    return this.components.manifests.mpd(request);
  }

  media(name: string, msn: number, part: number | null): Promise<OriginAnswer> {
    return readMedia(this.components, name, msn, part);
  }

  captions(name: string, msn: number, part: number | null): Promise<OriginAnswer> {
    return readCaptions(this.components, name, msn, part);
  }

  captionsMp4(name: string, msn: number): Promise<OriginAnswer> {
    return readCaptionsMp4(this.components, name, msn);
  }

  offer(isDvr = false): LiveOffer | null {
    return this.components.manifests.offer(isDvr);
  }

  windowFirstMsn(): number | null {
    return this.components.manifests.windowFirstMsn();
  }

  dropped(): string[] {
    return droppedRungs(this.components.index.all);
  }

  watched(streamId: string, viewers: string[]): void {
    const { env, sessionId } = this.components;
    this.components.viewers.see(env, streamId, sessionId, viewers);
  }

  // Recordings and clips.

  recorded(range: SegmentRange | null): RecordedSession | null {
    return readSession(this.components, range);
  }

  captionChannels(): CaptionChannel[] | null {
    const { session, captions } = this.components.index;
    return session === null ? null : captions.offered;
  }

  captionPage(channel: string, range: SegmentRange): CaptionPage {
    return this.components.index.captions.page(channel, range);
  }

  findRange(startSeconds: number, endSeconds: number): RangeAnswer | null {
    return findRange(this.components, startSeconds, endSeconds);
  }

  findRecordedRange(sessionId: string, startSeconds: number, endSeconds: number): Promise<RangeAnswer | null | "busy"> {
    return findRecordedRange(this.components, sessionId, startSeconds, endSeconds);
  }

  recordedWindow(sessionId: string, range: SegmentRange): Promise<RecordedSession | null | "busy"> {
    return readRecordedWindow(this.components, sessionId, range);
  }
}
