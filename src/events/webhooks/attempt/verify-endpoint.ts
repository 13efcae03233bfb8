import type { NetworkEnv } from "../../../platform/network/index.ts";
import type { AttemptLimits } from "./attempt.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import type { AttemptOutcome } from "./outcome.ts";

/** Shorter than an attempt, because the request that creates the webhook waits for it. */
const VERIFICATION_MS = 10_000;

/** Checks that a URL accepts webhooks by sending `{}`. It is unsigned, because the receiver cannot know the secret yet. */
export function verifyEndpoint(
  env: NetworkEnv,
  url: string,
  limits: Partial<AttemptLimits> = {},
): Promise<AttemptOutcome> {
  const verificationLimits = { headersMs: VERIFICATION_MS, totalMs: VERIFICATION_MS, ...limits };
  return attemptDelivery(env, { url, body: new TextEncoder().encode("{}"), headers: {}, limits: verificationLimits });
}
