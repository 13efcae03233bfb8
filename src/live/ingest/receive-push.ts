import type { PushAnswer } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { Problem, type ProblemCode } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import type { Sender } from "../../platform/network/request-network.ts";
import { pushBroadcast } from "./push-broadcast.ts";
import { refuseBroadcaster } from "./authorize.ts";
import { streamOfKey } from "./authorize.ts";

/** The API's problems for a refused or interrupted broadcast, by reason. */
const PROBLEM_OF: Record<string, [ProblemCode, string]> = {
  unknown_key: ["unauthorized", "no stream has this key"],
  disabled: ["forbidden", "the stream is disabled"],
  busy: ["stream_busy", "another broadcaster is on air with this key"],
  overloaded: ["unavailable", "every encoder is busy"],
  unavailable: ["unavailable", "no ingest gateway can be reached"],
  broadcaster_disconnected: ["push_incomplete", "the connection broke before the end of the body"],
  replaced: ["stream_busy", "another broadcaster has replaced this one"],
  encoder_failed: ["unavailable", "the encoder failed on this broadcast"],
  gateway_leaves: ["unavailable", "the gateway is shutting down; connect again"],
  silent: [
    "validation_failed",
    "no bytes arrived for 10 s at the beginning, or for 60 s later; what came before is kept",
  ],
};

const NOT_MEDIA: [ProblemCode, string] = [
  "validation_failed",
  "the body is not decodable MPEG-TS, FLV or fragmented MP4",
];

interface Push {
  /** Whose unknown keys are counted. */
  sender: Sender;
  streamKey: string;
  body: ReadableStream | null;
  /** Base URL for gateways of this Worker. */
  publicUrl: string;
}

/**
 * Receives a broadcast pushed over HTTP: streams its bytes to a gateway, or to an encoder container. Lasts as long as the broadcast.
 *
 * @param onRefused gets a promise that settles when the gateway has read the body of a broadcaster that is still sending
 * @returns why the broadcast ended
 * @throws {Problem} unauthorized, forbidden, stream_busy, push_incomplete, unavailable, validation_failed, too_many_requests
 */
export async function receivePush(
  env: Env,
  { sender, streamKey, body, publicUrl }: Push,
  onRefused: (isRead: Promise<unknown>) => void,
): Promise<PushAnswer["reason"]> {
  // Checked before any byte is forwarded: only requests with a valid key reach an encoder.
  const stream = await streamOfKey(env, streamKey, sender);
  const refusal = stream === null ? "unknown_key" : stream.status === "disabled" ? "disabled" : null;
  if (stream === null || refusal !== null) {
    refuseBroadcaster({ streamKey, protocol: "http" }, refusal ?? "unknown_key");
    throw problemOf(refusal ?? "unknown_key")!;
  }
  if (body === null) throw new Problem("validation_failed", "the body is the broadcast; this one is empty");
  const headers = { "x-stream-key": streamKey, "x-worker-url": publicUrl };
  const { answer, isRead } = await pushBroadcast(env, stream.id, { headers, body });
  if (answer.reason !== "broadcaster_left") onRefused(isRead);
  log("live.push_over", { streamId: stream.id, ...answer });
  const problem = problemOf(answer.reason);
  if (problem !== null) throw problem;
  return answer.reason;
}

function problemOf(reason: string): Problem | null {
  const found =
    (Object.hasOwn(PROBLEM_OF, reason) ? PROBLEM_OF[reason] : null) ??
    (reason.startsWith("source_") ? NOT_MEDIA : null);
  return found && new Problem(found[0], found[1]);
}
