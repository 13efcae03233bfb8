import { isSecureUrl } from "../protocol/secure-url.ts";
import { secretList } from "../protocol/secrets.ts";
import type { Env } from "./platform/env.ts";
import { currentKeyId } from "./events/webhooks/secrets.ts";

/** Problems of the deployment's settings, described for its operator. Never contains the value of a secret. */
export function deploymentProblems(env: Env): string[] {
  const checks = [
    () => void secretList("JOB_SECRET", env.JOB_SECRET),
    () => void secretList("ENCODER_SECRET", env.ENCODER_SECRET),
    () => void currentKeyId(env.WEBHOOK_KEYS ?? ""),
    () => requireSecureUrl("ENCODER_URL", env.ENCODER_URL),
    () => requireSecureUrl("PUBLIC_URL", env.PUBLIC_URL),
  ];
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
}

/** Empty = not set. */
function requireSecureUrl(name: string, url: string): void {
  if (url !== "" && !isSecureUrl(url))
    throw new Error(
      `${name} must be an https URL, because tokens and media are sent there (http is allowed for this machine only)`,
    );
}
