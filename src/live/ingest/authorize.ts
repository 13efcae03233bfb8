import type { AskPassphrase, Authorize, AuthorizeAnswer, PassphraseAnswer, Refusal } from "../../../protocol/live.ts";
import { isSameSecret } from "../../../protocol/same-secret.ts";
import type { Env } from "../../platform/env.ts";
import { originOf } from "../origin/origin-calls.ts";
import { signSessionGrant } from "../sessions/session-token.ts";
import { streamMachine } from "../streams/stream-calls.ts";
import { ingestSettings } from "./ingest-settings.ts";
import type { z } from "zod";
import { streamIdOfKey } from "../streams/ids.ts";
import { findStream, type LiveStream } from "../streams/repository.ts";
import { logWarning } from "../../platform/log.ts";

/** Accepts a broadcaster, or answers with the reason for its refusal. @param publicUrl base URL for gateways of this Worker */
export async function authorize(env: Env, request: Authorize, publicUrl: string, now: Date): Promise<AuthorizeAnswer> {
  const { gatewayId, gatewayStartedAt, protocol, streamKey, passphrase } = request;
  const stream = await streamOfKey(env, streamKey);
  if (stream === null) return refuseBroadcaster(request, "unknown_key");
  if (protocol === "srt" && !isSameSecret(passphrase ?? "", stream.srtSecret))
    return refuseBroadcaster(request, "wrong_passphrase");
  const answer = await streamMachine(env, stream.id).connect({
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

/** The passphrase that an SRT caller must use. SRT's handshake does not transmit it. */
export async function answerPassphrase(
  env: Env,
  { gatewayId, streamKey }: z.infer<typeof AskPassphrase>,
): Promise<PassphraseAnswer> {
  const stream = await streamOfKey(env, streamKey);
  const refusal = stream === null ? "unknown_key" : stream.status === "disabled" ? "disabled" : null;
  if (stream !== null && refusal === null) return { accepted: true, passphrase: stream.srtSecret };
  refuseBroadcaster({ gatewayId, streamKey, protocol: "srt" }, refusal ?? "unknown_key");
  return { accepted: false, reason: refusal ?? "unknown_key" };
}

/**
 * The stream with this key; null when the stream never existed, was deleted, or has another key.
 *
 * @throws {Problem} unavailable, when the stream's secrets cannot be decrypted
 */
export async function streamOfKey(env: Env, streamKey: string): Promise<LiveStream | null> {
  const streamId = streamIdOfKey(streamKey);
  const found = streamId && (await findStream(env, null, streamId, { opens: "stream" }));
  return found && isSameSecret(streamKey, found.stream.streamKey) ? found.stream : null;
}

/** Logs the refusal of a broadcaster. @returns the answer to its gateway */
export function refuseBroadcaster(
  { gatewayId, protocol, streamKey }: Pick<Authorize, "protocol" | "streamKey"> & { gatewayId?: string },
  reason: Refusal,
) {
  // The stream's id is the only part of the key that is not secret.
  logWarning("live.refused", {
    streamId: streamIdOfKey(streamKey),
    reason,
    ...(gatewayId === undefined ? {} : { gatewayId }),
    protocol,
  });
  return { accepted: false as const, reason };
}
