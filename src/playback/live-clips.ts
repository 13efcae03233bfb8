import type { Protection } from "../media/cenc/content-key.ts";
import { mpd } from "../media/dash/mpd.ts";
import { mediaPlaylist } from "../media/hls/media-playlist.ts";
import { multivariantPlaylist } from "../media/hls/multivariant.ts";
import { type ManifestFacts, mediaListOf, presentationOf } from "../media/manifest/model.ts";
import { canonicalSelection, select, type Selection } from "../media/manifest/selection.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import {
  findClip,
  type FoundClip,
  type GoneClip,
  MAX_CLIP_SEGMENTS,
  readClipRequest,
  readRecordedSession,
  recordingRows,
  saveClip,
  type SegmentRange,
} from "../live/index.ts";
import { CORS } from "./headers.ts";
import { answerManifest } from "./manifests.ts";
import type { RequestContext } from "./origin.ts";
import { refusalOfPast } from "./live-admission.ts";
import { clipLastsMs } from "./permit-times.ts";
import { protectionFor } from "./protection.ts";
import { selectionOf } from "./resolution-cap.ts";
import type { Viewer } from "./viewer.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { lookUpPlaybackId, resolvePlaybackId } from "./resolve.ts";
import { SingleFlight } from "../platform/single-flight.ts";

/** How long an isolate answers from memory. A deleted stream remains playable for at most this long. */
const KNOWN_MS = 1000;
const rendered = new TtlCache<string>(64);
/** Facts of clip ranges, at most 1,200 segments per rendition. A player requests several playlists of the same range. */
const windows = new TtlCache<ManifestFacts>(16);
const lookups = new SingleFlight<FoundClip | GoneClip>();
const reads = new SingleFlight<ManifestFacts>();

const TYPES = { multivariant: "application/vnd.apple.mpegurl", mpd: "application/dash+xml" };
/** The content never changes, but access to it does. */
const CACHE_CONTROL = "public, max-age=5, must-revalidate";

interface ClipTarget {
  kind: "multivariant" | "mpd";
  playbackId: string;
}

/**
 * Answers a time range of a stream as an on-demand presentation of the live segments. It is saved as an asset only when the stream
 * allows viewer clips; otherwise the request writes nothing.
 *
 * @returns null when the query has no range, or the playback id is not a stream's
 * @throws {Problem} not_ready, validation_failed, playback_not_found, unavailable; broadcast_over, forbidden, moderation_hold for viewers who may
 *   not play the recording, or the saved clip
 */
export async function answerClip(
  viewer: Viewer,
  env: Env,
  ctx: RequestContext,
  target: ClipTarget,
): Promise<Response | null> {
  const { request } = viewer;
  const { searchParams: query, origin } = viewer.url;
  if (!query.has("start") && !query.has("end")) return null;
  const { kind, playbackId } = target;
  const known = await resolvePlaybackId(env.DB, ctx, playbackId);
  if (known?.kind !== "stream") return null;
  const permission = await viewer.admit(known.rules);
  const clip = readClipRequest(query)!;
  const refusal = await refusalOfPast(viewer, permission, env, ctx, known.playable.session);
  const rules = viewer.permission?.rules ?? known.rules;
  const selection = selectionOf(query, rules);
  const address = permission.address(clipLastsMs(clip));
  const key = [kind, address, ...Object.values(clip), canonicalSelection(selection)].join(" ");
  let text = refusal === null ? rendered.get(key, Date.now()) : undefined;
  if (text === undefined) {
    // Not from the cache: whether the session has ended decides where the range is read, and the stream's settings whether a clip is made.
    const resolved = await lookUpPlaybackId(env.DB, ctx, playbackId);
    if (resolved?.kind !== "stream") return null;
    const { playable } = resolved;
    const wanted = [playbackId, playable.session?.id, playable.mediaPolicy, ...Object.values(clip)].join(" ");
    const found = await lookups.share(wanted, ctx, () => findClip(env, playable, clip));
    if ("gone" in found) {
      if (found.gone === null) throw new Problem("playback_not_found", "the broadcast and this range of it are gone");
      const recorded = await resolvePlaybackId(env.DB, ctx, found.gone.playbackId);
      if (recorded?.kind !== "asset") throw new Problem("playback_not_found", "the clip has been deleted");
      const admitted = viewer.admitToRecording(permission, [recorded.rules]);
      if ("refusal" in admitted) throw admitted.refusal;
      return await answerManifest(viewer, admitted, env, ctx, recorded, { kind, playbackId: found.gone.playbackId });
    }
    // A clip that was saved has rules of its own, and was answered above.
    if (refusal !== null) throw refusal;
    // The range plays even when the stream has reached its clip limit.
    if (playable.allowViewerClips && request.method === "GET")
      await saveClip(env, playable.streamId, found, { publicUrl: env.PUBLIC_URL || origin, by: "viewer" });
    const protection = await protectionFor(env, ctx, known.rules, found.sessionId);
    text = await manifestOf(env, ctx, { kind, address, protection }, found, selection);
    if (request.method === "GET") rendered.set(key, text, Date.now() + KNOWN_MS);
  }
  return respond(request, text, TYPES[kind]);
}

async function manifestOf(
  env: Env,
  ctx: RequestContext,
  { kind, address, protection }: { kind: ClipTarget["kind"]; address: string; protection: Protection | null },
  { sessionId, range }: { sessionId: string; range: SegmentRange },
  selection: Selection,
): Promise<string> {
  const presentation = presentationOf(await broadcastFacts(env, ctx, sessionId, range));
  if (presentation === null) throw new Problem("not_ready", "the range is not available yet");
  const selected = select(presentation, selection);
  const base = `${address}/${sessionId}`;
  if (kind === "mpd") return mpd(selected, base, new Date(), { firstNumber: range.first, protection });
  return multivariantPlaylist(selected, base, `?clip=${range.first}-${range.last}`, protection !== null);
}

/** The playlist of one rendition of a clip. @param clip its segments, `<first>-<last>` @throws {Problem} playback_not_found, unavailable */
export async function answerClipPlaylist(
  request: Request,
  env: Env,
  ctx: RequestContext,
  { sessionId, rendition }: { sessionId: string; rendition: string },
  clip: string,
  protection: Protection | null,
): Promise<Response> {
  const [, first, last] = /^(\d{1,9})-(\d{1,9})$/.exec(clip) ?? [];
  const range = { first: Number(first), last: Number(last) };
  const isRange = first !== undefined && range.last >= range.first && range.last - range.first < MAX_CLIP_SEGMENTS;
  const list = isRange ? mediaListOf(await broadcastFacts(env, ctx, sessionId, range), rendition) : null;
  if (list === null || list.segmentCount === 0) throw new Problem("playback_not_found", "no such part of a stream");
  return respond(request, mediaPlaylist(list, range.first, protection), TYPES.multivariant);
}

/** A range of a session as on-demand media, whose segments are numbered from 0. @throws {Problem} unavailable */
export async function broadcastFacts(
  env: Env,
  ctx: RequestContext,
  sessionId: string,
  range: SegmentRange,
): Promise<ManifestFacts> {
  const key = `${sessionId} ${range.first}-${range.last}`;
  const recent = windows.get(key, Date.now());
  if (recent !== undefined) return recent;
  const facts = await reads.share(key, ctx, () => readFacts(env, sessionId, range));
  windows.set(key, facts, Date.now() + KNOWN_MS);
  return facts;
}

async function readFacts(env: Env, sessionId: string, range: SegmentRange): Promise<ManifestFacts> {
  const session = await readRecordedSession(env, sessionId, range);
  const renditions = session === null ? [] : recordingRows(sessionId, session).map(asRendition);
  const count = (kind: "video" | "audio") => renditions.filter((row) => row.kind === kind).length;
  return {
    status: "ready",
    createdAtMs: 0,
    videoTrackCount: count("video"),
    audioTrackCount: count("audio"),
    renditions,
    textTracks: [],
  };
}

const asRendition = (row: ReturnType<typeof recordingRows>[number]): ManifestFacts["renditions"][number] => ({
  ...row,
  isTopRung: false,
  arrivedSegments: null,
  widthPx: row.widthPx ?? null,
  heightPx: row.heightPx ?? null,
  frameRateNum: row.frameRateNum ?? null,
  frameRateDen: row.frameRateDen ?? null,
  channels: row.channels ?? null,
  languageCode: row.languageCode ?? null,
  languageName: row.languageName ?? null,
  isDefault: row.isDefault ?? false,
  isDescription: row.isDescription ?? false,
  initBytes: 0,
});

const respond = (request: Request, text: string, contentType: string) =>
  new Response(request.method === "HEAD" ? null : text, {
    headers: { ...CORS, "content-type": contentType, "cache-control": CACHE_CONTROL },
  });
