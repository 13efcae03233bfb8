import { networkOf } from "../../../protocol/network-of.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";

/** The period of `AUTH_FAILURES` in wrangler.toml, in which 20 failures are allowed for each address and each credential. */
const PERIOD_SECONDS = 60;
const UUID = /^[0-9a-f-]{36}$/i;

/**
 * Counts a failed login for the caller's address and for the credential, with the platform's rate limiter. Only failures are counted, so
 * nobody can lock out the holder of the right secret (decision 0024).
 *
 * @param address `cf-connecting-ip`; absent without Cloudflare's proxy
 * @returns the problem to throw: 401, or 429 beyond the limit
 */
export async function refusalOfLogin(
  env: Pick<Env, "AUTH_FAILURES">,
  address: string | undefined,
  credentialId: string,
): Promise<Problem> {
  const keys = [`address:${networkOf(address ?? "none")}`];
  if (UUID.test(credentialId)) keys.push(`credential:${credentialId.toLowerCase()}`);
  const counted = await Promise.all(keys.map((key) => env.AUTH_FAILURES.limit({ key })));
  if (counted.every(({ success }) => success)) return new Problem("unauthorized", "these credentials are not known");
  return new Problem("too_many_requests", "too many failed logins", { retryAfterSeconds: PERIOD_SECONDS });
}
