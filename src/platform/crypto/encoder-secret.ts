import { secretList } from "../../../protocol/secrets.ts";
import type { Env } from "../env.ts";

/**
 * Sends the request with each `ENCODER_SECRET` until one is accepted: during a rotation the other side may only have the older one.
 *
 * @param ask a repeatable request; 401 means that it had no effect
 * @returns the response and the accepted secret; the last 401 when none was accepted
 * @throws {UnusableSecret}; whatever `ask` throws
 */
export async function askWithSecrets(
  env: Env,
  ask: (secret: string) => Promise<Response>,
): Promise<{ response: Response; secret: string }> {
  const [first, ...others] = secretList("ENCODER_SECRET", env.ENCODER_SECRET);
  let found = { response: await ask(first), secret: first };
  for (const secret of others) {
    if (found.response.status !== 401) break;
    await found.response.body?.cancel();
    found = { response: await ask(secret), secret };
  }
  return found;
}
