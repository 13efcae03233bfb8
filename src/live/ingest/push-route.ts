import { Hono } from "hono";
import { log, logWarning } from "../../platform/log.ts";
import { success } from "../../platform/http/answers.ts";
import { publicUrlOf } from "../../platform/http/requests.ts";
import { Problem, type ProblemCode } from "../../platform/http/problems.ts";
import type { AppContext } from "../../platform/http/router.ts";
import { streamOfKey } from "./authorize.ts";
import { streamIdOfKey } from "../streams/ids.ts";
import { pushBroadcast } from "./push-broadcast.ts";

/** The API's problems for a refused or interrupted broadcast, by reason. */
const PROBLEM_OF: Record<string, [ProblemCode, string]> = {
  unknown_key: ["unauthorized", "no stream has this key"],
  disabled: ["forbidden", "the stream is disabled"],
  busy: ["stream_busy", "another broadcaster is on air with this key"],
  overloaded: ["unavailable", "every encoder is busy"],
  unavailable: ["unavailable", "no ingest gateway can be reached"],
  replaced: ["stream_busy", "another broadcaster has replaced this one"],
  encoder_failed: ["unavailable", "the encoder failed on this broadcast"],
  gateway_leaves: ["unavailable", "the gateway is shutting down; connect again"],
  silent: ["validation_failed", "no media was received"],
};

const NOT_MEDIA: [ProblemCode, string] = [
  "validation_failed",
  "the body is not decodable MPEG-TS, FLV or fragmented MP4",
];

export const pushRoutes = new Hono<AppContext>();

/**
 * Broadcasts pushed over HTTP, for encoders behind firewalls and for installations without a gateway: MPEG-TS, FLV or fragmented MP4 in one
 * POST or PUT that lasts as long as the broadcast. The bytes are streamed to a gateway, or to an encoder container.
 */
pushRoutes.on(["POST", "PUT"], "/ingest/:streamKey", async (c) => {
  const { streamKey } = c.req.param();
  const { body } = c.req.raw;
  // Checked before any byte is forwarded: only requests with a valid key reach an encoder.
  const stream = await streamOfKey(c.env, streamKey);
  if (stream === null) {
    logWarning("live.refused", { streamId: streamIdOfKey(streamKey), reason: "unknown_key", protocol: "http" });
    throw problemOf("unknown_key")!;
  }
  const streamId = stream.id;
  if (stream.status === "disabled") {
    logWarning("live.refused", { streamId, reason: "disabled", protocol: "http" });
    throw problemOf("disabled")!;
  }
  if (body === null) throw new Problem("validation_failed", "the body is the broadcast; this one is empty");
  const headers = {
    "x-stream-key": streamKey,
    "x-worker-url": publicUrlOf(c),
  };
  const { answer, isRead } = await pushBroadcast(c.env, streamId, { headers, body });
  // A refused or disconnected broadcaster is still sending.
  if (answer.reason !== "broadcaster_left") c.set("bodyIsRead", isRead);
  log("live.push_over", { streamId, ...answer });
  const problem = problemOf(answer.reason);
  if (problem !== null) throw problem;
  return c.json(success({ reason: answer.reason }));
});

function problemOf(reason: string): Problem | null {
  const found = PROBLEM_OF[reason] ?? (reason.startsWith("source_") ? NOT_MEDIA : null);
  return found && new Problem(found[0], found[1]);
}
