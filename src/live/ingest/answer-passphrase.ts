import type { AskPassphrase, PassphraseAnswer } from "../../../protocol/live.ts";
import type { z } from "zod";
import type { Env } from "../../platform/env.ts";
import { refuseBroadcaster } from "./refuse-broadcaster.ts";
import { streamOfKey } from "./stream-of-key.ts";

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
