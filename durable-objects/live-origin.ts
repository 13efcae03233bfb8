import { DurableObject } from "cloudflare:workers";
import type { Opening, Resume } from "../protocol/live.ts";
import { acceptConnection } from "../src/live/edge/accept-connection.ts";
import { dropRung } from "../src/live/edge/drop-rung.ts";
import { endSession } from "../src/live/edge/end-session.ts";
import { findRange } from "../src/live/edge/find-range.ts";
import { findRecordedRange } from "../src/live/edge/find-recorded-range.ts";
import { holdPicture } from "../src/live/edge/hold-picture.ts";
import { droppedRungs } from "../src/live/edge/manifests.ts";
import { onAlarm } from "../src/live/edge/on-alarm.ts";
import { openSession } from "../src/live/edge/open-session.ts";
import { EdgeParts } from "../src/live/edge/parts.ts";
import { putGap } from "../src/live/edge/put-gap.ts";
import { putInit } from "../src/live/edge/put-init.ts";
import { putPart } from "../src/live/edge/put-part.ts";
import { putThumbnail } from "../src/live/edge/put-thumbnail.ts";
import { readCaptions, readCaptionsMp4 } from "../src/live/edge/read-captions.ts";
import { readMedia } from "../src/live/edge/read-media.ts";
import { readRecordedWindow } from "../src/live/edge/read-recorded-window.ts";
import { readSession } from "../src/live/edge/read-session.ts";
import { releaseSession } from "../src/live/edge/release-session.ts";
import { resumeMedia } from "../src/live/edge/resume-media.ts";
import { scheduleLostRelease } from "../src/live/edge/schedule-lost-release.ts";
import type { LiveOriginCalls, MpdRequest, OriginAnswer, Taken, Written } from "../src/live/origin/origin-rpc.ts";
import type { CaptionPage, RangeAnswer, RecordedSession, SegmentRange } from "../src/live/origin/recorded-session.ts";
import type { CaptionChannel } from "../src/media/live/captions.ts";
import type { LiveOffer } from "../src/media/live/multivariant.ts";
import type { ArrivingPart, OriginSession, PartVerdict } from "../src/media/live/origin-facts.ts";
import type { Directives } from "../src/media/live/reload.ts";
import type { Env } from "../src/platform/env.ts";

/** The live edge of one session (docs/architecture/live.md). Each call is explained in `src/live/edge/`. */
export class LiveOrigin extends DurableObject<Env> implements LiveOriginCalls {
  readonly parts: EdgeParts;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.parts = new EdgeParts(ctx, env);
    if (this.parts.lacksRelease) void ctx.blockConcurrencyWhile(() => scheduleLostRelease(this.parts));
  }

  override alarm(): Promise<void> {
    return onAlarm(this.parts);
  }

  // Writes of gateways.

  open(session: OriginSession, connection = 1): void {
    openSession(this.parts, session, connection);
  }

  accept(connection = 1): void {
    acceptConnection(this.parts, connection);
  }

  resume(opening: Opening, connection = 1): Promise<Resume> {
    return resumeMedia(this.parts, opening, connection);
  }

  hold(untilMs: number, by = this.parts.connection): Promise<void> {
    return holdPicture(this.parts, untilMs, by);
  }

  putInit(rendition: string, version: number, bytes: Uint8Array, by = this.parts.connection): Promise<Written<Taken>> {
    return putInit(this.parts, rendition, version, bytes, by);
  }

  putPart(arriving: ArrivingPart, bytes: Uint8Array, by = this.parts.connection): Written<PartVerdict> {
    return putPart(this.parts, arriving, bytes, by);
  }

  putThumbnail(capturedAtMs: number, bytes: Uint8Array, by = this.parts.connection): Promise<Written<Taken>> {
    return putThumbnail(this.parts, capturedAtMs, bytes, by);
  }

  gap(rendition: string, msn: number, by = this.parts.connection): Written<PartVerdict> {
    return putGap(this.parts, rendition, msn, by);
  }

  drop(rendition: string, fromMsn: number, by = this.parts.connection): Written<PartVerdict> {
    return dropRung(this.parts, rendition, fromMsn, by);
  }

  end(): Promise<void> {
    return endSession(this.parts);
  }

  release(afterMs: number): Promise<void> {
    return releaseSession(this.parts, afterMs);
  }

  // Requests of viewers.

  playlist(name: string, directives: Directives, isDvr: boolean, keyTags: string[] = []): Promise<OriginAnswer> {
    return this.parts.manifests.playlist(name, directives, isDvr, keyTags);
  }

  mpd(request: MpdRequest): { text: string; hasEnded: boolean } | null {
    return this.parts.manifests.mpd(request);
  }

  media(name: string, msn: number, part: number | null): Promise<OriginAnswer> {
    return readMedia(this.parts, name, msn, part);
  }

  captions(name: string, msn: number, part: number | null): Promise<OriginAnswer> {
    return readCaptions(this.parts, name, msn, part);
  }

  captionsMp4(name: string, msn: number): Promise<OriginAnswer> {
    return readCaptionsMp4(this.parts, name, msn);
  }

  offer(): LiveOffer | null {
    return this.parts.manifests.offer();
  }

  dropped(): string[] {
    return droppedRungs(this.parts.index.all);
  }

  watched(streamId: string, viewers: string[]): void {
    const { env, sessionId } = this.parts;
    this.parts.viewers.see(env, streamId, sessionId, viewers);
  }

  // Recordings and clips.

  recorded(range: SegmentRange | null): RecordedSession | null {
    return readSession(this.parts, range);
  }

  captionChannels(): CaptionChannel[] | null {
    const { session, captions } = this.parts.index;
    return session === null ? null : captions.offered;
  }

  captionPage(channel: string, range: SegmentRange): CaptionPage {
    return this.parts.index.captions.page(channel, range);
  }

  findRange(startSeconds: number, endSeconds: number): RangeAnswer | null {
    return findRange(this.parts, startSeconds, endSeconds);
  }

  findRecordedRange(sessionId: string, startSeconds: number, endSeconds: number): Promise<RangeAnswer | null | "busy"> {
    return findRecordedRange(this.parts, sessionId, startSeconds, endSeconds);
  }

  recordedWindow(sessionId: string, range: SegmentRange): Promise<RecordedSession | null | "busy"> {
    return readRecordedWindow(this.parts, sessionId, range);
  }
}
