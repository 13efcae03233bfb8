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
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { logWarning } from "../../platform/log.ts";
import type { Sender } from "../../platform/network/request-network.ts";
import { unknownStreamKeys } from "../../platform/network/unknown-ids.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";

/** How long a key of no stream is not looked up again. */
const MISSING_MS = 5000;
/** Hashes of such keys. */
const missing = new TtlCache<true>(1000);

/** Accepts a broadcaster, or answers with the reason for its refusal. @param publicUrl base URL for gateways of this Worker */
export async function authorize(env: Env, request: Authorize, publicUrl: string, now: Date): Promise<AuthorizeAnswer> {
  const { gatewayId, gatewayStartedAt, protocol, streamKey, passphrase } = request;
  const stream = await streamOfKey(env, streamKey, senderOf(request));
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
export async function answerPassphrase(env: Env, request: z.infer<typeof AskPassphrase>): Promise<PassphraseAnswer> {
  const { gatewayId, streamKey } = request;
  const stream = await streamOfKey(env, streamKey, senderOf(request));
  const refusal = stream === null ? "unknown_key" : stream.status === "disabled" ? "disabled" : null;
  if (stream !== null && refusal === null) return { accepted: true, passphrase: stream.srtSecret };
  refuseBroadcaster({ gatewayId, streamKey, protocol: "srt" }, refusal ?? "unknown_key");
  return { accepted: false, reason: refusal ?? "unknown_key" };
}

/** The broadcaster's network; the request itself comes from its gateway. */
const senderOf = ({ network }: { network?: string | undefined }): Sender | null =>
  network === undefined ? null : { network };

/**
 * The stream with this key; null when the stream never existed, was deleted, or has another key.
 *
 * @param sender whose unknown keys are counted; null = a gateway's broadcaster of whom it names no network
 * @throws {Problem} unavailable, when the stream's secrets cannot be decrypted; too_many_requests
 */
export async function streamOfKey(env: Env, streamKey: string, sender: Sender | null): Promise<LiveStream | null> {
  const streamId = streamIdOfKey(streamKey);
  if (streamId === null) return null;
  const [nowMs, id] = [Date.now(), await sha256Hex(streamKey)];
  if (missing.get(id, nowMs) === true) return null;
  if (sender !== null) unknownStreamKeys.requireFew(sender, id, nowMs);
  const found = await findStream(env, null, streamId, { opens: "stream" });
  if (found !== null && isSameSecret(streamKey, found.stream.streamKey)) {
    unknownStreamKeys.remember(id, nowMs);
    return found.stream;
  }
  missing.set(id, true, nowMs + MISSING_MS);
  if (sender !== null) await unknownStreamKeys.count(env, sender, id, nowMs);
  return null;
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
