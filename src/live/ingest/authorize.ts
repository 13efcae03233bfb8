import type { Authorize, AuthorizeAnswer } from "../../../protocol/live.ts";
import { isSameSecret } from "../../../protocol/same-secret.ts";
import type { Env } from "../../platform/env.ts";
import { originOf } from "../origin/origin-calls.ts";
import { signSessionGrant } from "../sessions/session-token.ts";
import { callStream } from "../streams/stream-calls.ts";
import { ingestSettings } from "./ingest-settings.ts";
import { refuseBroadcaster } from "./refuse-broadcaster.ts";
import { streamOfKey } from "./stream-of-key.ts";

/** Accepts a broadcaster, or answers with the reason for its refusal. @param publicUrl base URL for gateways of this Worker */
export async function authorize(env: Env, request: Authorize, publicUrl: string, now: Date): Promise<AuthorizeAnswer> {
  const { gatewayId, gatewayStartedAt, protocol, streamKey, passphrase } = request;
  const stream = await streamOfKey(env, streamKey);
  if (stream === null) return refuseBroadcaster(request, "unknown_key");
  if (protocol === "srt" && !isSameSecret(passphrase ?? "", stream.srtSecret))
    return refuseBroadcaster(request, "wrong_passphrase");
  const answer = await callStream(env, stream.id, "connect", {
    streamId: stream.id,
    workspaceId: stream.workspaceId,
    gatewayId,
    gatewayStartedAt,
    protocol,
    settings: ingestSettings(env, stream),
    recording: stream.enableRecording ? { policy: stream.mediaPolicy, keySystems: stream.keySystems, publicUrl } : null,
    reconnectWindowS: stream.reconnectWindowS,
    maxDurationS: stream.maxDurationS,
  });
  if (!answer.accepted) return refuseBroadcaster(request, answer.reason);
  const { sessionId, connection, settings, isResumed } = answer;
  const grant = { sessionId, streamId: stream.id, connection };
  if (isResumed) await originOf(env, sessionId).accept(connection);
  return {
    accepted: true,
    sessionId,
    streamId: stream.id,
    token: await signSessionGrant(env.JOB_SECRET, grant, now.getTime()),
    callbackUrl: `${publicUrl}/internal/live/${sessionId}`,
    settings,
  };
}
