import type { Resource } from "./resource.ts";

const PREFIX = /^(?:api|stream|images|play|live)\./;
const ON_PLATFORM = /\.workers\.dev$/;

/**
 * Where a new address is on a deployment without PUBLIC_URL. "" = on the same host. Of the five hosts of the owner's domain (src/hosts.ts), each serves
 * only a part, so the address is on the one that serves it. Pure.
 */
export function originFor(url: URL, { kind }: Resource): string {
  if (!PREFIX.test(url.hostname) || ON_PLATFORM.test(url.hostname)) return "";
  return `${url.protocol}//${url.host.replace(PREFIX, kind === "page" ? "play." : "stream.")}`;
}
