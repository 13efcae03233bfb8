import { PushAnswer } from "../../../protocol/live.ts";
import { UnusableSecret } from "../../../protocol/secrets.ts";
import { encoderAt } from "../../library/encoding/index.ts";
import { askWithSecrets } from "../../platform/crypto/encoder-secret.ts";
import type { Env } from "../../platform/env.ts";
import { readRest } from "../../platform/http/lingering.ts";
import { logWarning } from "../../platform/log.ts";
import { chooseGateway } from "./push-target.ts";

const MAX_ANSWER_LENGTH = 4096;
/** Start timeout of a container. */
const START_TIMEOUT_MS = 30_000;
const HEALTH_TIMEOUT_MS = 2000;

/** The gateway or encoder that a broadcast is sent to. */
interface Receiver {
  send: (path: string, init?: RequestInit) => Promise<Response>;
  authorization: string;
}

interface PushedBroadcast {
  headers: Record<string, string>;
  body: ReadableStream;
}

/** The encoder service, for installations without a gateway: a container for this stream, or the service at `ENCODER_URL`. */
async function encoderFor(env: Env, streamId: string): Promise<Receiver> {
  const send = encoderAt(env, `live-${streamId}`);
  const { response, secret } = await askWithSecrets(env, (candidate) =>
    send("/health", {
      headers: { authorization: `Bearer ${candidate}` },
      signal: AbortSignal.timeout(START_TIMEOUT_MS),
    }),
  );
  await response.body?.cancel();
  return { send, authorization: `Bearer ${secret}` };
}

async function receiverFor(env: Env, streamId: string): Promise<Receiver> {
  const gateway = await chooseGateway(env);
  if (gateway === null) return await encoderFor(env, streamId);
  return { send: (path, init) => fetch(gateway.url + path, init), authorization: gateway.authorization };
}

async function isReachable({ send, authorization }: Receiver): Promise<boolean> {
  try {
    const response = await send("/health", {
      headers: { authorization },
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * Streams a broadcast to a gateway, or to an encoder container. Lasts as long as the broadcast.
 *
 * @returns the answer, and a promise that settles when the gateway has read the body to its end or has given up
 * @throws {UnusableSecret}
 */
export async function pushBroadcast(
  env: Env,
  streamId: string,
  { headers, body }: PushedBroadcast,
): Promise<{ answer: PushAnswer; isRead: Promise<unknown> }> {
  let receiver: Receiver | null = null;
  try {
    receiver = await receiverFor(env, streamId);
    const { send, authorization } = receiver;
    const response = await send("/push", { method: "POST", headers: { ...headers, authorization }, body });
    const { line, isOver } = await firstLine(response);
    return { answer: PushAnswer.parse(JSON.parse(line)), isRead: isOver };
  } catch (error) {
    if (error instanceof UnusableSecret) throw error;
    // workerd reports the same error for a broadcaster that disconnects and for a gateway that does.
    const isGatewayUp = receiver !== null && (await isReachable(receiver));
    const reason = isGatewayUp ? "broadcaster_disconnected" : "unavailable";
    logWarning("live.push_broke", { streamId, reason, error: String(error) });
    return { answer: { accepted: false, reason }, isRead: restOf(body) };
  }
}

/** Never settles when a failed request has locked the body: the response then stays open until its limit, or until the client leaves. */
const restOf = (body: ReadableStream): Promise<void> => (body.locked ? new Promise(() => {}) : readRest(body));

/** Reads the answer, a line of JSON. The response stays open until the gateway has read the rest of the body. */
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
