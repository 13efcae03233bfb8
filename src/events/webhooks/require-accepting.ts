import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { Problem } from "../../platform/http/problems.ts";
import { type AttemptOutcome, verifyEndpoint } from "./attempt.ts";
import type { DeliveryFailure } from "./failures.ts";

const CAME_BACK: Record<DeliveryFailure, (outcome: AttemptOutcome) => string> = {
  forbidden_address: () => "its host name leads to a private or local address",
  unresolvable: () => "its host name has no address",
  connection_failed: () => "it could not be connected to, or hung up without an answer in HTTP",
  tls_failed: () => "it offers no TLS connection with a valid certificate",
  timed_out: ({ detail }) => `it did not answer in time${detail === null ? "" : ` (${detail})`}`,
  redirected: ({ status }) => `it answered ${status}, a redirect, and those are not followed`,
  bad_status: ({ status }) => `it answered ${status}`,
  gone: ({ status }) => `it answered ${status}`,
  too_many_requests: ({ status }) => `it answered ${status}`,
  answer_too_long: () => "its answer is longer than 64 KB",
  answer_broken_off: () => "its answer broke off",
  interrupted: () => "the request was cut short on our side; try again",
  webhook_disabled: () => "it is disabled",
  not_handed_over: () => "the request was not made; try again",
};

/**
 * Asks a URL, before anything is recorded, whether somebody takes webhooks there (contract/events.md, Check of a new webhook URL).
 *
 * @throws {Problem} validation_failed, whose field `url` says what came back
 */
export async function requireAccepting(env: Env, url: string): Promise<void> {
  const outcome = await verifyEndpoint(env, url);
  if (outcome.failure === null) return;
  log("webhook.not_verified", { failure: outcome.failure, status: outcome.status, tookMs: outcome.durationMs });
  const message = `did not take a first request: ${CAME_BACK[outcome.failure](outcome)}`;
  throw new Problem("validation_failed", "validation failed", { fields: [{ field: "url", message }] });
}
