/** A URL as it is stored: canonical, and without the fragment, which is never sent. */
export function withoutFragment(text: string): string {
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
