import { isSecureUrl } from "../../protocol/secure-url.ts";

/**
 * Whether a page of this origin may call the route. Browsers name the origin, other clients do not. A page whose host name was pointed at this
 * machine (DNS rebinding) has the origin of the request's own URL, which is therefore trusted over TLS or with a loopback host only. Pure.
 *
 * @param origin the header; null = the client is no browser
 */
export function isOwnOrigin(origin: string | null, requestUrl: string, publicUrl: string): boolean {
  if (origin === null) return true;
  if (isSecureUrl(requestUrl) && origin === new URL(requestUrl).origin) return true;
  return URL.canParse(publicUrl) && origin === new URL(publicUrl).origin;
}
