import type { Env } from "../../../platform/env.ts";
import { logWarning } from "../../../platform/log.ts";
import { Problem } from "../../../platform/http/problems.ts";
import type { AttemptOutcome } from "../attempt/outcome.ts";
import { verifyEndpoint } from "../attempt/verify-endpoint.ts";
import type { DeliveryFailure } from "../records/failures.ts";

const REASONS: Record<DeliveryFailure, (outcome: AttemptOutcome) => string> = {
  forbidden_address: () => "its host name resolves to a private or local address",
  unresolvable: () => "its host name has no address",
  connection_failed: () => "the connection failed, or closed before an HTTP response",
  tls_failed: () => "the TLS connection failed, or the certificate is not valid",
  timed_out: ({ detail }) => `it did not respond in time${detail === null ? "" : ` (${detail})`}`,
  redirected: ({ status }) => `it answered ${status}, a redirect, and redirects are not followed`,
  bad_status: ({ status }) => `it answered ${status}`,
  gone: ({ status }) => `it answered ${status}`,
  too_many_requests: ({ status }) => `it answered ${status}`,
  answer_too_long: () => "its response is longer than 64 KB",
  answer_broken_off: () => "its response ended early",
  interrupted: () => "the request was interrupted on our side; try again",
  webhook_disabled: () => "it is disabled",
  not_handed_over: () => "the request was not made; try again",
};

/**
 * Verifies that a URL accepts webhooks, before anything is stored (media contract, Check of a new webhook URL).
 *
 * @throws {Problem} validation_failed, with the reason in its field `url`
 */
export async function requireAccepting(env: Env, url: string): Promise<void> {
  const outcome = await verifyEndpoint(env, url);
  if (outcome.failure === null) return;
  logWarning("webhook.not_verified", { failure: outcome.failure, status: outcome.status, tookMs: outcome.durationMs });
  const message = `did not accept the verification request: ${REASONS[outcome.failure](outcome)}`;
  throw new Problem("validation_failed", "validation failed", { fields: [{ field: "url", message }] });
}
