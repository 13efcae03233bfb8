import { checkPublicUrl } from "../../../platform/network/public-url.ts";

/** `message` completes a sentence that starts with the field's name. */
export type CheckedWebhookUrl = { ok: true; url: URL } | { ok: false; message: string };

/**
 * Checks the text of a webhook's URL: https, a public host, port 443, 80 or above 1024 (lower ports belong to other protocols), no
 * credentials. The returned URL has no fragment.
 *
 * @param allowPrivate for local work: also http, private addresses and local names
 */
export function checkWebhookUrl(text: string, allowPrivate: boolean): CheckedWebhookUrl {
  const checked = checkPublicUrl(text, allowPrivate);
  if (!checked.ok) return { ok: false, message: checked.message };
  const { url } = checked;
  if (url.protocol !== "https:" && !allowPrivate) return { ok: false, message: "must be an https URL" };
  if (!isAllowedPort(url.port)) return { ok: false, message: "must use port 80, 443 or one above 1024" };
  return { ok: true, url };
}

/** @param port as `URL` spells it: empty for the scheme's own */
function isAllowedPort(port: string): boolean {
  return port === "" || port === "80" || port === "443" || Number(port) > 1024;
}
