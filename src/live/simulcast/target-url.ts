import { isForbiddenHost, MAX_URL_LENGTH } from "../../platform/network/public-url.ts";

/**
 * Where a broadcast may be pushed to. Pure; the name is resolved and checked again when it is contacted.
 *
 * @returns null when it is good, else words that complete a sentence that starts with the field's name
 */
export function targetUrlProblem(text: string, allowPrivateNetwork: boolean): string | null {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
  // Read as an http URL, because only of those a parser understands every way to write an address.
  const asHttp = text.replace(/^rtmps?:\/\//i, "http://");
  if (/[\p{Cc}\s]/u.test(text) || !URL.canParse(text)) return "must be an absolute URL";
  if (asHttp === text || !URL.canParse(asHttp)) return "must be an rtmp or rtmps URL";
  const { username, password, hostname, pathname, hash } = new URL(asHttp);
  if (username !== "" || password !== "") return "must not carry a user name or password";
  if (/^\/*$/.test(pathname)) return "must name an application, as in rtmp://live.example.com/app";
  if (hash !== "") return "must not have a fragment";
  if (!allowPrivateNetwork && isForbiddenHost(hostname)) return "must not point to a private or local address";
  return null;
}
