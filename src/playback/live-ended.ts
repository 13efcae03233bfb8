import { readSelection, type Selection, selectionQuery } from "../media/manifest/selection.ts";
import { withQuery } from "../media/manifest/query.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { isLatelyOver } from "../live/index.ts";
import { CORS } from "./headers.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { findRecording } from "./repository.ts";

type ManifestKind = "multivariant" | "mpd";

/** How long an outcome is cached, so also the longest delay until the stream's address shows the next broadcast. */
const STREAM_MS = 1000;
/** By playback id. A polling client causes one look-up per isolate in `STREAM_MS`. */
const outcomes = new TtlCache<{ recordingId: string | null; isGone: boolean }>(512);

/** The cached answer at the stream's address; null when it has to be looked up. */
export function recentOutcome(
  { playbackId, kind }: { playbackId: string; kind: ManifestKind },
  query: URLSearchParams,
): Response | null {
  const outcome = outcomes.get(playbackId, Date.now());
  return outcome === undefined ? null : answerOutcome(outcome, kind, readSelection(query));
}

/**
 * Answers at the stream's address after the broadcast: redirects to the recording.
 *
 * @throws {Problem} broadcast_over, not_ready
 */
export async function answerAfterBroadcast(
  env: Env,
  { playbackId, kind }: { playbackId: string; kind: ManifestKind },
  session: { id: string; endedAtMs: number },
  selection: Selection,
): Promise<Response> {
  const { playbackId: recordingId, isPending } = await findRecording(env.DB, session.id);
  const isGone = recordingId === null && !isPending && isLatelyOver(session.endedAtMs, Date.now());
  const outcome = { recordingId, isGone };
  outcomes.set(playbackId, outcome, Date.now() + STREAM_MS);
  return answerOutcome(outcome, kind, selection);
}

function answerOutcome(
  { recordingId, isGone }: { recordingId: string | null; isGone: boolean },
  kind: ManifestKind,
  selection: Selection,
): Response {
  if (recordingId !== null) {
    const file = `${recordingId}.${kind === "mpd" ? "mpd" : "m3u8"}`;
    return redirect(withQuery(file, selectionQuery(selection)), "public, max-age=1");
  }
  if (isGone) throw new Problem("broadcast_over", "the broadcast has ended, and was not recorded");
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
  sessionId: string,
  toRecording: (recordingId: string) => string,
): Promise<Response> {
  const { playbackId: recordingId, isPending } = await findRecording(env.DB, sessionId);
  if (isPending) throw new Problem("not_ready", "the recording is not ready yet");
  if (recordingId === null) throw new Problem("broadcast_over", "the broadcast has ended, and was not recorded");
  return redirect(toRecording(recordingId), "public, max-age=60");
}

const redirect = (location: string, cacheControl: string) =>
  new Response(null, { status: 302, headers: { ...CORS, location, "cache-control": cacheControl } });
