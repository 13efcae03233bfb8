/** Requests to a live origin and its answers. Types only. */
import type { PartCaptions, Started } from "../../../protocol/live.ts";
import type { PartFacts } from "../../../protocol/part-facts.ts";
import type { VersionedFormat } from "../types.ts";
import type { LiveVariant } from "./multivariant.ts";
import type { LivePart, LiveTiming } from "./timeline.ts";

export interface OriginRendition extends LiveVariant {
  timescale: number;
  /** First sequence number of a rendition added by a later broadcaster; default 0. */
  firstMsn?: number;
}

/** The format of a rendition from a version of its init segment on. */
export interface LiveFormat extends VersionedFormat {
  bitrateBps: number; // of the largest segment that the encoder may make
}

/** Sent to a live origin once, before the first part. */
export interface OriginSession {
  /** Also the id of the recording: segments are stored under the recording's keys. */
  sessionId: string;
  timing: LiveTiming;
  /** Length of the DVR window; null = from the first segment on. */
  windowSeconds: number | null;
  /** The session's longest duration fits into the DVR window, so DVR playlists never remove a segment. */
  isBounded?: boolean;
  renditions: OriginRendition[];
  /** Facts about the broadcast from the gateway, for the recording. */
  started?: Started;
}

/** A part's properties as sent by the encoder, without its bytes. */
export interface ArrivingPart extends LivePart, PartFacts {
  /** What captions show during the part. Absent when there are none. */
  captions?: PartCaptions;
}

/** Where a session's media resumes after an interruption. */
export interface LiveEnd {
  nextMsn: number;
  /** A version of init segments that has not been used before. */
  initVersion: number;
  /** On the session's timeline. */
  seconds: number;
}

/** `known`: a repeat, which changes nothing. `missing`: another part is expected, as stated in the answer. */
export type PartVerdict =
  | { verdict: "taken" | "known" }
  | { verdict: "missing"; expected: { msn: number; part: number } }
  | { verdict: "refused"; reason: string };
