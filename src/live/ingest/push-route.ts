import { Hono } from "hono";
import { PushAnswer } from "../../../protocol/live.ts";
import { UnusableSecret } from "../../../protocol/secrets.ts";
import { askWithSecrets } from "../../platform/crypto/encoder-secret.ts";
import { encoderAt } from "../../library/encoding/index.ts";
import type { Env } from "../../platform/env.ts";
import { readRest } from "../../platform/http/lingering.ts";
import { log, logWarning } from "../../platform/log.ts";
import { Problem, type ProblemCode } from "../../platform/http/problems.ts";
import type { AppContext } from "../../platform/http/router.ts";
import { streamOfKey } from "./authorize.ts";
import { streamIdOfKey } from "../streams/ids.ts";
import { chooseGateway } from "./push-target.ts";

/** Why a broadcast was not taken, or came to an end that was not its own, in the words of the API. */
const PROBLEM_OF: Record<string, [ProblemCode, string]> = {
  unknown_key: ["unauthorized", "no stream has this key"],
  disabled: ["forbidden", "the stream is disabled"],
  busy: ["stream_busy", "another broadcaster is on air with this key"],
  overloaded: ["unavailable", "every encoder is busy"],
  unavailable: ["unavailable", "no ingest can be reached"],
  replaced: ["stream_busy", "another broadcaster has taken its place"],
  encoder_failed: ["unavailable", "the encoder failed on this broadcast"],
  gateway_leaves: ["unavailable", "the ingest is shut down; come again at once"],
  silent: ["validation_failed", "nothing came"],
};

const MAX_ANSWER_LENGTH = 4096;
/** A container has this long to start. */
const HEALTH_TIMEOUT_MS = 30_000;

export const pushRoutes = new Hono<AppContext>();

/**
 * Broadcasts pushed over HTTP, for encoders behind firewalls and for installations without a gateway: MPEG-TS, FLV or fragmented MP4 in one
 * POST or PUT that lasts as long as the broadcast. The bytes go on to a gateway, or to an encoder container, as they come.
 */
pushRoutes.on(["POST", "PUT"], "/ingest/:streamKey", async (c) => {
  const { streamKey } = c.req.param();
  const { body } = c.req.raw;
  // Before a byte is passed on: who has no good key shall not reach an encoder.
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
    "x-worker-url": c.env.PUBLIC_URL || new URL(c.req.url).origin,
  };
  const { answer, isRead } = await pass(c.env, streamId, { headers, body });
  // A broadcaster that is refused or cut off is still sending.
  if (answer.reason !== "broadcaster_left") c.set("bodyIsRead", isRead);
  log("live.push_over", { streamId, ...answer });
  const problem = problemOf(answer.reason);
  if (problem !== null) throw problem;
  return c.json({ success: true, data: { reason: answer.reason } });
});

function problemOf(reason: string): Problem | null {
  const found = PROBLEM_OF[reason] ?? (reason.startsWith("source_") ? NOT_MEDIA : null);
  return found && new Problem(found[0], found[1]);
}

interface Push {
  headers: Record<string, string>;
  body: ReadableStream;
}

/** The encoder service, for installations without a gateway: a container of the stream's own, or the one at `ENCODER_URL`. */
async function encoderFor(env: Env, streamId: string) {
  const send = encoderAt(env, `live-${streamId}`);
  const { response, secret } = await askWithSecrets(env, (candidate) =>
    send("/health", {
      headers: { authorization: `Bearer ${candidate}` },
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    }),
  );
  await response.body?.cancel();
  return { send, authorization: `Bearer ${secret}` };
}

const NOT_MEDIA: [ProblemCode, string] = [
  "validation_failed",
  "the body is no MPEG-TS, FLV or fragmented MP4 that can be decoded",
];

/** @returns the answer, and what settles when the gateway has read the body to its end or gives up */
async function pass(
  env: Env,
  streamId: string,
  { headers, body }: Push,
): Promise<{ answer: PushAnswer; isRead: Promise<unknown> }> {
  try {
    const gateway = await chooseGateway(env);
    const { send, authorization } =
      gateway === null
        ? await encoderFor(env, streamId)
        : { send: (path: string, init?: RequestInit) => fetch(gateway.url + path, init), ...gateway };
    const response = await send("/push", { method: "POST", headers: { ...headers, authorization }, body });
    const { line, isOver } = await firstLine(response);
    return { answer: PushAnswer.parse(JSON.parse(line)), isRead: isOver };
  } catch (error) {
    if (error instanceof UnusableSecret) throw error;
    logWarning("live.push_broke", { streamId, error: String(error) });
    return { answer: { accepted: false, reason: "unavailable" }, isRead: restOf(body) };
  }
}

/** Never settles when a failed request has locked the body: the response then stays open until its limit, or until the client leaves. */
const restOf = (body: ReadableStream): Promise<void> => (body.locked ? new Promise(() => {}) : readRest(body));

/** The answer comes as a line of JSON; the response stays open until the gateway has read what is left of the body. */
async function firstLine(response: Response): Promise<{ line: string; isOver: Promise<unknown> }> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n") && text.length < MAX_ANSWER_LENGTH) {
    const { done, value } = await reader.read();
    if (done) return { line: text, isOver: Promise.resolve() };
    text += value;
  }
  return { line: text, isOver: reader.read().catch(() => {}) };
}
