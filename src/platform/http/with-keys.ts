import type { Env } from "../env.ts";
import { logError } from "../log.ts";
import { Problem } from "./problems.ts";
import { SealError } from "../crypto/sealing.ts";

/**
 * Runs work that seals or opens secrets.
 *
 * @throws {Problem} unavailable when WEBHOOK_KEYS is missing or malformed, or lacks the key of a secret; the log has the reason
 */
export async function withKeys<T>(env: Env, work: (keys: string) => Promise<T>): Promise<T> {
  try {
    return await work(env.WEBHOOK_KEYS ?? "");
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    logError("webhook.keys_unusable", { error: error.message });
    throw new Problem("unavailable", "the sealed secrets cannot be used at the moment", { cause: error });
  }
}
