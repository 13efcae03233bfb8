import { withoutPathTokens } from "../sources/address-secrets.ts";

/**
 * A source's address as reports, events and answers show it: without its query, which may be a signature, without a user, and without tokens in
 * its path. Null = it is none.
 */
export function shownUrl(url: unknown): string | null {
  if (typeof url !== "string" || !URL.canParse(url)) return null;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${withoutPathTokens(pathname)}`;
}
