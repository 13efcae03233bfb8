import { FORBIDDEN_HOST, isForbiddenHost, MAX_URL_LENGTH } from "../../platform/network/public-url.ts";

/**
 * Checks the URL of a simulcast target. Pure; the host name is resolved and checked again when the gateway connects.
 *
 * @returns null when it is valid, else the reason, to follow the field's name
 */
export function targetUrlProblem(text: string, allowPrivateNetwork: boolean): string | null {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
  // Parsed as an http URL, because the parser normalises addresses for http only.
  const asHttp = text.replace(/^rtmps?:\/\//i, "http://");
  if (/[\p{Cc}\s]/u.test(text) || !URL.canParse(text)) return "must be an absolute URL";
  if (asHttp === text || !URL.canParse(asHttp)) return "must be an rtmp or rtmps URL";
  const { username, password, hostname, pathname, hash } = new URL(asHttp);
  if (username !== "" || password !== "") return "must not carry a user name or password";
  if (/^\/*$/.test(pathname)) return "must name an application, as in rtmp://live.example.com/app";
  if (hash !== "") return "must not have a fragment";
  if (!allowPrivateNetwork && isForbiddenHost(hostname)) return FORBIDDEN_HOST;
  return null;
}
