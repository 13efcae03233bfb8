/** A source's address as reports, events and answers show it: without its query, which may be a signature, and without a user. Null = it is none. */
export function shownUrl(url: unknown): string | null {
  if (typeof url !== "string" || !URL.canParse(url)) return null;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
