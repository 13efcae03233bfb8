import type { DeploySettings } from "../deploy/settings.ts";
import type { SecretName } from "./fresh.ts";

/** In wrangler.toml. */
const DEFAULT_NAME = "sluice";

/** The owner's next steps after a change of `secrets.json`. */

/** When a rotation may be finished, for each secret. */
export const WAIT: Record<SecretName, string> = {
  JOB_SECRET: "14 hours after the upload, when the permissions that the old secret signed have expired (SECURITY.md)",
  ENCODER_SECRET:
    "when your encoders and gateways have the new secret, and every container has started since the upload (SECURITY.md)",
  WEBHOOK_KEYS:
    'at least a day after the upload, when the queries of "Another webhook key" in docs/guides/deploying.md all print 0',
};

/** Names the Worker of these settings, because `wrangler.deploy.json` may be of another one. */
export function uploadCommand(file: string, { name, accountId }: Pick<DeploySettings, "name" | "accountId">): string {
  const account = accountId === undefined ? "" : `CLOUDFLARE_ACCOUNT_ID=${accountId} `;
  return `${account}npx wrangler secret bulk ${file}${name === DEFAULT_NAME ? "" : ` --name ${name}`}`;
}

/** @param options the options given for the rotation */
export const finishCommand = (name: SecretName, options: string): string =>
  `npm run secrets -- finish ${name}${options}${name === "WEBHOOK_KEYS" ? " --yes" : ""}`;
