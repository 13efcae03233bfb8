/** What a live origin is told, and what it answers. Types only. */
import type { Started } from "../../../protocol/live.ts";
import type { LiveVariant } from "./multivariant.ts";
import type { LivePart, LiveTiming } from "./timeline.ts";

export interface OriginRendition extends LiveVariant {
  timescale: number;
  /** Came with another broadcaster of the session; 0 when not given. */
  firstMsn?: number;
}

/** What a live origin is told once, before the first part. */
export interface OriginSession {
  /** Also the id of the recording: segments lie where its renditions will be. */
  sessionId: string;
  timing: LiveTiming;
  /** How far back a player may go; null = to the first segment. */
  windowSeconds: number | null;
  /** Its longest duration fits into the DVR window, so DVR playlists never lose a segment. */
  isBounded?: boolean;
  renditions: OriginRendition[];
  /** What the gateway has said of the broadcast at its start: the recording tells of it. */
  started?: Started;
}

/** A part as the encoder hands it over, without its bytes. */
export interface ArrivingPart extends LivePart {
  rendition: string;
  msn: number;
  part: number;
  /** The segment is whole with it. */
  isLast: boolean;
  /** Decode time of the part's first sample on the session's timeline. */
  decodeTicks: number;
  /** Of the segment: told with each of its parts. */
  capturedAtMs: number;
  isDiscontinuous: boolean;
  initVersion: number;
}

/** Where a session's media goes on after a while without any. */
export interface LiveEnd {
  nextMsn: number;
  /** Of init segments: not used before. */
  initVersion: number;
  /** On the session's timeline. */
  seconds: number;
}

/** `known`: it came before, and nothing has changed. `missing`: another one is expected, and told. */
export type PartVerdict =
  | { verdict: "taken" | "known" }
  | { verdict: "missing"; expected: { msn: number; part: number } }
  | { verdict: "refused"; reason: string };
