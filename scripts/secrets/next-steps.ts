import { readFileSync } from "node:fs";
import { CONFIG_FILE } from "../deploy/config.ts";
import type { SecretName } from "./fresh.ts";

/** What the owner does after a change of `secrets.json`. */

/** When a rotation may be finished, for each secret. */
export const WAIT: Record<SecretName, string> = {
  JOB_SECRET: "14 hours after the upload, when the permissions that the old secret signed have expired (SECURITY.md)",
  ENCODER_SECRET:
    "when your encoders and gateways have the new secret, and every container has started since the upload (SECURITY.md)",
  WEBHOOK_KEYS:
    'at least a day after the upload, when the queries of "Another webhook key" in docs/guides/deploying.md all print 0',
};

/** @param settings content of `sluice.config.json`; null = there is none */
export function uploadCommand(file: string, settings: string | null): string {
  const config = isPlain(settings) ? "" : ` --config ${CONFIG_FILE}`;
  return `npx wrangler secret bulk ${file}${config}`;
}

/** Whether wrangler.toml names the same Worker and account as the deployment. */
function isPlain(settings: string | null): boolean {
  try {
    const { name = "sluice", accountId } = JSON.parse(settings ?? "{}") as { name?: unknown; accountId?: unknown };
    return name === "sluice" && accountId === undefined;
  } catch {
    return false; // npm run deploy refuses it; wrangler.deploy.json has the settings of the last deployment
  }
}

/** For `uploadCommand`: a file that cannot be read is no JSON. */
export function readSettingsText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : "";
  }
}
