import type { AskPassphrase, Authorize, AuthorizeAnswer, PassphraseAnswer, Refusal } from "../../../protocol/live.ts";
import type { z } from "zod";
import type { Env } from "../../platform/env.ts";
import { logWarning } from "../../platform/log.ts";
import { isSameSecret } from "../../../protocol/same-secret.ts";
import { streamIdOfKey } from "../streams/ids.ts";
import { ingestSettings } from "./ingest-settings.ts";
import { callStream } from "../streams/stream-calls.ts";
import { originOf } from "../origin/origin-calls.ts";
import { findStream, type LiveStream } from "../streams/repository.ts";
import { signSessionGrant } from "../sessions/session-token.ts";

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

/** Accepts a broadcaster, or answers with the reason for its refusal. @param publicUrl base URL for gateways of this Worker */
export async function authorize(env: Env, request: Authorize, publicUrl: string, now: Date): Promise<AuthorizeAnswer> {
  const { gatewayId, gatewayStartedAt, protocol, streamKey, passphrase } = request;
  const stream = await streamOfKey(env, streamKey);
  if (stream === null) return refuse(request, "unknown_key");
  if (protocol === "srt" && !isSameSecret(passphrase ?? "", stream.srtSecret))
    return refuse(request, "wrong_passphrase");
  const answer = await callStream(env, stream.id, "connect", {
    streamId: stream.id,
    workspaceId: stream.workspaceId,
    gatewayId,
    gatewayStartedAt,
    protocol,
    settings: ingestSettings(env, stream),
    recording: stream.enableRecording ? { policy: stream.mediaPolicy, publicUrl } : null,
    reconnectWindowS: stream.reconnectWindowS,
    maxDurationS: stream.maxDurationS,
  });
  if (!answer.accepted) return refuse(request, answer.reason);
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

function refuse(
  { gatewayId, protocol, streamKey }: Pick<Authorize, "gatewayId" | "protocol" | "streamKey">,
  reason: Refusal,
) {
  // The stream's id is the only part of the key that is not secret.
  logWarning("live.refused", { streamId: streamIdOfKey(streamKey), reason, gatewayId, protocol });
  return { accepted: false as const, reason };
}

/** The passphrase that an SRT caller must use. SRT's handshake does not transmit it. */
export async function passphraseOf(
  env: Env,
  { gatewayId, streamKey }: z.infer<typeof AskPassphrase>,
): Promise<PassphraseAnswer> {
  const stream = await streamOfKey(env, streamKey);
  const refusal = stream === null ? "unknown_key" : stream.status === "disabled" ? "disabled" : null;
  if (stream !== null && refusal === null) return { accepted: true, passphrase: stream.srtSecret };
  refuse({ gatewayId, streamKey, protocol: "srt" }, refusal ?? "unknown_key");
  return { accepted: false, reason: refusal ?? "unknown_key" };
}
