import { secretList } from "../../../protocol/secrets.ts";
import type { Env } from "../env.ts";

/**
 * Asks with each `ENCODER_SECRET` in turn until one is taken: during a rotation the other side may still know the older one only.
 *
 * @param ask a request that can be repeated; 401 means that nothing was done
 * @returns the answer, and the secret it was given for; the last 401 when none is taken
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
