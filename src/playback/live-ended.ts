import { type Selection, selectionQuery } from "../media/manifest/selection.ts";
import { withQuery } from "../media/manifest/query.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { isLatelyOver } from "../live/index.ts";
import { CORS } from "./headers.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import type { AccessRules } from "../tenancy/access/index.ts";
import type { Permission } from "./permission.ts";
import { LONGEST_MS } from "./permit-times.ts";
import { findRecording, type Recording } from "./repository.ts";
import { selectionOf } from "./resolution-cap.ts";
import { broadcastOver, type Viewer } from "./viewer.ts";

type ManifestKind = "multivariant" | "mpd";

/** How long an outcome is cached, so also the longest delay until the stream's address shows the next broadcast. */
const STREAM_MS = 1000;
/** By `outcomeKey`. A polling client causes one look-up per isolate in `STREAM_MS`. */
const outcomes = new TtlCache<Outcome>(512);

interface Outcome {
  /** Rules of the stream's playback ID. */
  rules: AccessRules;
  /** Rules of the recording's playback ID. */
  recording: AccessRules | null;
  durationMs: number | null;
  isGone: boolean;
}

/**
 * Whether the viewer wants the recording as soon as a broadcast has ended, and so waits for it, rather than the end of the broadcast that
 * players which follow it need.
 */
export const isRecordingAsked = (query: URLSearchParams): boolean => query.get("recordingAtEnd") === "true";

/** Until a minute after the end, the two kinds of viewers get different answers. */
const outcomeKey = (playbackId: string, isRecordingAsked: boolean) => `${playbackId} ${isRecordingAsked}`;

/** The cached answer at the stream's address; null when it has to be looked up. */
export async function recentOutcome(
  viewer: Viewer,
  { playbackId, kind }: { playbackId: string; kind: ManifestKind },
): Promise<Response | null> {
  const { searchParams: query } = viewer.url;
  const outcome = outcomes.get(outcomeKey(playbackId, isRecordingAsked(query)), Date.now());
  if (outcome === undefined) return null;
  const permission = await viewer.admit(outcome.rules);
  return await answerOutcome(outcome, permission, kind, selectionOf(query, outcome.rules));
}

/** The recording, as far as the viewers of the stream may play it: those of a private stream may play its private recordings too. */
const recordingFor = (env: Env, { recordingPolicies }: Permission, sessionId: string): Promise<Recording> =>
  findRecording(env.DB, sessionId, recordingPolicies);

/**
 * Answers at the stream's address after the broadcast: redirects to the recording.
 *
 * @throws {Problem} broadcast_over, not_ready
 */
export async function answerAfterBroadcast(
  env: Env,
  permission: Permission,
  { playbackId, kind, ...asked }: { playbackId: string; kind: ManifestKind; isRecordingAsked: boolean },
  session: { id: string; endedAtMs: number },
  selection: Selection,
): Promise<Response> {
  const { rules: recording, durationMs, isPending } = await recordingFor(env, permission, session.id);
  const isGone = recording === null && !isPending && isLatelyOver(session.endedAtMs, Date.now());
  const outcome = { rules: permission.rules, recording, durationMs, isGone };
  outcomes.set(outcomeKey(playbackId, asked.isRecordingAsked), outcome, Date.now() + STREAM_MS);
  return await answerOutcome(outcome, permission, kind, selection);
}

async function answerOutcome(
  { recording, durationMs, isGone }: Outcome,
  permission: Permission,
  kind: ManifestKind,
  selection: Selection,
): Promise<Response> {
  const address = recording && permission.addressOf(recording, durationMs ?? LONGEST_MS);
  if (address !== null) {
    const file = `${address}.${kind === "mpd" ? "mpd" : "m3u8"}`;
    return redirect(withQuery(file, selectionQuery(selection)), "public, max-age=1");
  }
  if (isGone) throw broadcastOver();
  throw new Problem("not_ready", "the stream is not on air");
}

/**
 * Answers for an MPD or playlist of a session whose index has been deleted for good.
 *
 * @param toRecording the same resource of the recording, relative to the request's URL
 * @throws {Problem} broadcast_over, not_ready
 */
export async function answerDeletedSession(
  env: Env,
  permission: Permission,
  sessionId: string,
  toRecording: (address: string) => string,
): Promise<Response> {
  const { rules, durationMs, isPending } = await recordingFor(env, permission, sessionId);
  if (isPending) throw new Problem("not_ready", "the recording is not ready yet");
  const address = rules && permission.addressOf(rules, durationMs ?? LONGEST_MS);
  if (address === null) throw broadcastOver();
  return redirect(toRecording(address), "public, max-age=60");
}

const redirect = (location: string, cacheControl: string) =>
  new Response(null, { status: 302, headers: { ...CORS, location, "cache-control": cacheControl } });
