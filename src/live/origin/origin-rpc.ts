import type { Opening, Resume } from "../../../protocol/live.ts";
import type { ArrivingPart, OriginSession, PartVerdict } from "../../media/live/origin-facts.ts";
import type { LiveOffer } from "../../media/live/multivariant.ts";
import type { Directives } from "../../media/live/reload.ts";
import type { Selection } from "../../media/manifest/selection.ts";
import type { RangeAnswer, RecordedSession, SegmentRange } from "./recorded-session.ts";

export interface MpdRequest {
  playbackId: string;
  /** From the first segment on. */
  isDvr: boolean;
  /** The rungs that are asked for; the MPD leads to the next one with the same question. */
  selection: Selection;
  /** See `LiveMpd`. */
  omitsType: boolean;
}

export type OriginAnswer =
  | { kind: "playlist"; text: string; hasEnded: boolean; isEdge: boolean; targetDurationSeconds: number }
  | { kind: "bytes"; bytes: Uint8Array }
  /** A segment that is being made: its parts as they come, to its end. */
  | { kind: "growing"; stream: ReadableStream<Uint8Array> }
  | { kind: "stored"; key: string; range: { offset: number; length: number } | null }
  /** A segment behind the end of a session that is over: there will never be one. */
  | { kind: "ended" }
  | { kind: "bad"; problem: string }
  | { kind: "late" }
  | { kind: "nothing" };

/** What became of something that a gateway has brought; `over`: its connection is none any more, or the session has ended. */
export type Written<Verdict> = Verdict | { verdict: "over" };
export type Taken = { verdict: "taken" | "none" };

/**
 * What the Worker asks of a session's live origin (`durable-objects/live-origin.ts`, where each call is explained). `connection` and `by`
 * name the broadcaster's connection: only the newest one may write.
 */
export interface LiveOriginCalls {
  open(session: OriginSession, connection?: number): void;
  accept(connection?: number): void;
  resume(opening: Opening, connection?: number): Promise<Resume>;
  hold(untilMs: number, by?: number): Promise<void>;
  putInit(rendition: string, version: number, bytes: Uint8Array, by?: number): Promise<Written<Taken>>;
  putPart(arriving: ArrivingPart, bytes: Uint8Array, by?: number): Written<PartVerdict>;
  putThumbnail(capturedAtMs: number, bytes: Uint8Array, by?: number): Promise<Written<Taken>>;
  gap(rendition: string, msn: number, by?: number): Written<PartVerdict>;
  drop(rendition: string, fromMsn: number, by?: number): Written<PartVerdict>;
  end(): Promise<void>;
  release(afterMs: number): Promise<void>;

  playlist(name: string, directives: Directives, isDvr: boolean): Promise<OriginAnswer>;
  mpd(request: MpdRequest): { text: string; hasEnded: boolean } | null;
  media(name: string, msn: number, part: number | null): Promise<OriginAnswer>;
  offer(): LiveOffer | null;
  dropped(): string[];
  watched(streamId: string, viewers: string[]): void;

  recorded(range: SegmentRange | null): RecordedSession | null;
  findRange(startSeconds: number, endSeconds: number): RangeAnswer | null;
  findRecordedRange(sessionId: string, startSeconds: number, endSeconds: number): Promise<RangeAnswer | null | "busy">;
  recordedWindow(sessionId: string, range: SegmentRange): Promise<RecordedSession | null | "busy">;
}
