/** A URL as it is kept: in its canonical spelling and without its fragment, which is never sent. */
export function withoutFragment(text: string): string {
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
