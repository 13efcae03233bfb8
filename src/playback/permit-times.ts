/** How long the permits of private playback have to last: until a viewer who begins now has played to the end. Pure. */
import { MAX_CLIP_SECONDS } from "../live/index.ts";
import { presentationOf } from "../media/manifest/model.ts";
import type { Playable } from "./resolve.ts";

/** The longest media, and what is assumed of one whose length is not known yet (docs/architecture/limits.md). */
export const LONGEST_MS = 12 * 3600_000;

/** Of a ready asset its duration; while it is processed, that of its source, once it is known. */
export function assetLastsMs(playable: Playable): number {
  const { status, durationMs } = playable;
  const endSeconds = presentationOf(playable)?.endSeconds ?? 0;
  if (status !== "ready" && durationMs === null) return LONGEST_MS;
  return Math.max(endSeconds * 1000, status === "ready" ? 0 : (durationMs ?? 0));
}

/**
 * Of a broadcast its rest: until its `maxDuration`, or as long as the longest media. With DVR, and after the end, viewers may begin at its
 * beginning.
 */
export function broadcastLastsMs(
  { startedAtMs, endedAtMs }: { startedAtMs: number; endedAtMs: number | null },
  { hasDvr, maxDurationMs }: { hasDvr: boolean; maxDurationMs: number | null },
  nowMs: number,
): number {
  if (endedAtMs !== null) return Math.max(0, endedAtMs - startedAtMs);
  const wholeMs = maxDurationMs ?? LONGEST_MS;
  return hasDvr || maxDurationMs === null ? wholeMs : Math.max(0, startedAtMs + wholeMs - nowMs);
}

/** Of a clip window its length. */
export const clipLastsMs = ({ startSeconds, endSeconds }: { startSeconds: number; endSeconds: number }): number =>
  Math.min(endSeconds - startSeconds, MAX_CLIP_SECONDS) * 1000;
