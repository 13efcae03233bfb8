import type { MediaFormat } from "../../../protocol/init-facts.ts";
import type { IngestSettings, Opening, Resume, Started } from "../../../protocol/live.ts";
import type { Protection } from "../../media/cenc/content-key.ts";
import type { CaptionChannel } from "../../media/live/captions.ts";
import type { LiveOffer } from "../../media/live/multivariant.ts";
import type { ArrivingPart, OriginSession, PartVerdict } from "../../media/live/origin-facts.ts";
import type { Directives } from "../../media/live/reload.ts";
import type { Selection } from "../../media/manifest/selection.ts";
import type { Env } from "../../platform/env.ts";
import { remoteObject } from "../../platform/machine/remote.ts";
import { WINDOW_SECONDS } from "../streams/after-end.ts";
import { MAX_DVR_SEGMENTS } from "./index/origin-history.ts";
import type { CaptionPage, RangeAnswer, RecordedSession, SegmentRange } from "./recorded/recorded-session.ts";

export interface MpdRequest {
  playbackId: string;
  /** From the first segment on. */
  isDvr: boolean;
  /** The selected rungs. The MPD's Location keeps the selection. */
  selection: Selection;
  /** See `LiveMpd`. */
  omitsType: boolean;
  /** For encrypted media; null = viewers get clear media. */
  protection?: Protection | null;
}

export type OriginAnswer =
  | { kind: "playlist"; text: string; hasEnded: boolean; isEdge: boolean; targetDurationSeconds: number }
  /** Captions as WebVTT. */
  | { kind: "text"; text: string }
  | { kind: "bytes"; bytes: Uint8Array; initVersion: number }
  /** The unfinished segment, streamed part by part. */
  | { kind: "growing"; stream: ReadableStream<Uint8Array>; initVersion: number }
  | { kind: "stored"; key: string; range: { offset: number; length: number } | null; initVersion: number }
  /** A segment after the end of the session: it will never exist. */
  | { kind: "ended" }
  | { kind: "bad"; problem: string }
  | { kind: "late" }
  | { kind: "nothing" };

/** The verdict on a gateway's write; `over`: a newer connection has replaced its own, or the session has ended. */
export type Written<Verdict> = Verdict | { verdict: "over" };
export type Taken = { verdict: "taken" | "none" };

/**
 * The RPC methods of a session's live origin (`durable-objects/live-origin.ts`); the verbs in this folder explain each. `connection` and `by` name
 * the broadcaster's connection: only the newest one may write.
 */
export interface LiveOriginCalls {
  open(session: OriginSession, connection?: number): void;
  accept(connection?: number): void;
  resume(opening: Opening, connection?: number): Promise<Resume>;
  freeze(untilMs: number, by?: number): Promise<void>;
  putInit(
    rendition: string,
    version: number,
    bytes: Uint8Array,
    by?: number,
    format?: MediaFormat | null,
  ): Promise<Written<Taken>>;
  putPart(arriving: ArrivingPart, bytes: Uint8Array, by?: number): Written<PartVerdict>;
  putThumbnail(capturedAtMs: number, bytes: Uint8Array, by?: number): Promise<Written<Taken>>;
  gap(rendition: string, msn: number, by?: number): Written<PartVerdict>;
  drop(rendition: string, fromMsn: number, by?: number): Written<PartVerdict>;
  end(): Promise<void>;
  release(afterMs: number): Promise<void>;

  playlist(name: string, directives: Directives, isDvr: boolean, keyTags?: string[]): Promise<OriginAnswer>;
  mpd(request: MpdRequest): { text: string; hasEnded: boolean } | null;
  media(name: string, msn: number, part: number | null): Promise<OriginAnswer>;
  captions(name: string, msn: number, part: number | null): Promise<OriginAnswer>;
  captionsMp4(name: string, msn: number): Promise<OriginAnswer>;
  offer(isDvr?: boolean): LiveOffer | null;
  windowFirstMsn(): number | null;
  dropped(): string[];
  watched(streamId: string, viewers: string[]): void;

  recorded(range: SegmentRange | null): RecordedSession | null;
  findRange(startSeconds: number, endSeconds: number): RangeAnswer | null;
  findRecordedRange(sessionId: string, startSeconds: number, endSeconds: number): Promise<RangeAnswer | null | "busy">;
  captionChannels(): CaptionChannel[] | null;
  captionPage(channel: string, range: SegmentRange): CaptionPage;
  recordedWindow(sessionId: string, range: SegmentRange): Promise<RecordedSession | null | "busy">;
}

/** Whether `maxDuration` ends a broadcast before its DVR window is full. @param maxDurationS 0 = no limit */
const fitsDvrWindow = (maxDurationS: number, segmentMs: number): boolean =>
  maxDurationS > 0 && (maxDurationS * 1000) / segmentMs <= MAX_DVR_SEGMENTS;

/** Returns a stub; sends nothing. */
export const originOf = (env: Env, sessionId: string) => remoteObject<LiveOriginCalls>(env.LIVE_ORIGIN, sessionId);

/** Opens the session's origin. A reconnect does not change the values that players rely on. */
export async function openOrigin(
  env: Env,
  sessionId: string,
  { latencyMode, partTargetMs, segmentMs, maxDurationS }: Omit<IngestSettings, "reconnect"> & { maxDurationS: number },
  started: Started,
  connection: number,
): Promise<void> {
  const session = {
    sessionId,
    timing: {
      targetDurationSeconds: Math.ceil(segmentMs / 1000),
      partTargetMs: latencyMode === "low" ? partTargetMs : null,
    },
    windowSeconds: WINDOW_SECONDS,
    isBounded: fitsDvrWindow(maxDurationS, segmentMs),
    renditions: started.renditions,
    started,
  };
  await originOf(env, sessionId).open(session, connection);
}
