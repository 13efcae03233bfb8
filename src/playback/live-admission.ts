/** Access to a broadcast: by the rules of the stream and, once it has ended, by those of its recording, too. */
import {
  findRecordingRules,
  type LivePlayable,
  type LiveSession,
  originOf,
  type RecordingRules,
  stageOf,
} from "../live/index.ts";
import type { Env } from "../platform/env.ts";
import type { Problem } from "../platform/http/problems.ts";
import { type Lasting, SingleFlight } from "../platform/single-flight.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import type { SessionTarget } from "./live-paths.ts";
import type { Permission } from "./permission.ts";
import type { Viewer } from "./viewer.ts";

/** How long an isolate answers from memory. A change of a recording's playback IDs acts after at most this long. */
const KNOWN_MS = 1000;
const known = new TtlCache<{ recording: RecordingRules | null }>(512);
const lookups = new SingleFlight<RecordingRules | null>();
/** Of sessions that have ended, so it never changes. */
const windows = new TtlCache<number>(512);
const WINDOW_KNOWN_MS = 60_000;

/**
 * Admits a viewer to a broadcast. On air, and when it is not recorded, the stream's rules decide. Once it has ended it is a recording, and one of the
 * recording's playback IDs has to permit the request, too. For a minute, viewers who may not play the recording play the end of the broadcast, as
 * players that follow it do; that minute is not for playback IDs that were created after the end, nor for a recording that moderation holds.
 *
 * @param isClip the request is for the playlist of a clip window
 * @returns `isEndOnly`: the viewer may play no more than playlists without DVR list
 * @throws {Problem} those of `Viewer.admit` and `Viewer.admitToRecording`
 */
export async function admitToSession(
  viewer: Viewer,
  env: Env,
  session: LiveSession,
  target: SessionTarget,
  isClip: boolean,
): Promise<{ permission: Permission; isEndOnly: boolean }> {
  const permission = await viewer.admit(session.rules);
  const { recording, endedAtMs } = session;
  if (recording === null || target.kind === "live-time") return { permission, isEndOnly: false };
  if (endedAtMs === null) {
    if (staysOpen(permission, recording)) return { permission, isEndOnly: false };
    return { permission: viewer.admitBriefly(permission), isEndOnly: false };
  }
  const admitted = viewer.admitToRecording(permission, recording);
  if (!("refusal" in admitted)) return { permission: admitted, isEndOnly: false };
  // By the rules rather than by the refusal, which tells of no hold to those who may not play the recording anyway.
  const isHeld = recording.some((rules) => rules.isHeld);
  const isEnd = !isHeld && !isClip && endedAtMs >= session.rulesSinceMs && (await isOfEnd(env, session, target));
  if (!isEnd) throw admitted.refusal;
  return { permission: viewer.admitBriefly(permission), isEndOnly: true };
}

/**
 * The same for a part of the stream's session that is played by its time: a clip window, or a picture.
 *
 * @param permission for the stream
 * @returns why the viewer may not play it any more; null = they may
 */
export async function refusalOfPast(
  viewer: Viewer,
  permission: Permission,
  env: Env,
  ctx: Lasting,
  session: LivePlayable["session"],
): Promise<Problem | null> {
  if (session === null) return null;
  const { recording } = known.get(session.id, Date.now()) ?? (await lookUp(env, ctx, session.id));
  if (recording === null) return null;
  if (session.endedAtMs === null) {
    if (!staysOpen(permission, recording)) viewer.admitBriefly(permission);
    return null;
  }
  const admitted = viewer.admitToRecording(permission, recording);
  return "refusal" in admitted ? admitted.refusal : null;
}

async function lookUp(env: Env, ctx: Lasting, sessionId: string) {
  const recording = await lookups.share(sessionId, ctx, () => findRecordingRules(env.DB, sessionId));
  known.set(sessionId, { recording }, Date.now() + KNOWN_MS);
  return { recording };
}

/** Whether everybody who may play the broadcast may play its recording, so that caches may keep what both consist of. */
const staysOpen = (permission: Permission, recording: RecordingRules): boolean =>
  recording.some(
    (rules) =>
      permission.mayPlay(rules) &&
      rules.accessRestrictions === null &&
      permission.within(rules).rules.resolution === permission.rules.resolution,
  );

async function isOfEnd(
  env: Env,
  { sessionId, endedAtMs }: Pick<LiveSession, "sessionId" | "endedAtMs">,
  target: SessionTarget,
): Promise<boolean> {
  if (stageOf({ endedAtMs }, Date.now()) !== "ending") return false;
  if (!("msn" in target)) return true;
  const firstMsn = windows.get(sessionId, Date.now()) ?? (await originOf(env, sessionId).windowFirstMsn());
  if (firstMsn === null) return false;
  windows.set(sessionId, firstMsn, Date.now() + WINDOW_KNOWN_MS);
  return target.msn >= firstMsn;
}
