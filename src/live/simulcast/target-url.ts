import type { FieldProblem } from "../../platform/http/hints/field-problem.ts";
import { FORBIDDEN_HOST, isForbiddenHost, MAX_URL_LENGTH } from "../../platform/network/public-url.ts";

/**
 * Checks the URL of a simulcast target. Pure; the host name is resolved and checked again when the gateway connects. A URL without an application
 * is valid, because published clients send one by default; the gateway then reports `malformed_url`.
 *
 * @returns null when it is valid, else the reason, to follow the field's name
 */
export function targetUrlProblem(text: string, allowPrivateNetwork: boolean): string | null {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
  // Parsed as an http URL, because the parser normalises addresses for http only.
  const asHttp = text.replace(/^rtmps?:\/\//i, "http://");
  if (/[\p{Cc}\s]/u.test(text) || !URL.canParse(text)) return "must be an absolute URL";
  if (asHttp === text || !URL.canParse(asHttp)) return "must be an rtmp or rtmps URL";
  const { username, password, hostname, hash } = new URL(asHttp);
  if (username !== "" || password !== "") return "must not carry a user name or password";
  if (hash !== "") return "must not have a fragment";
  if (!allowPrivateNetwork && isForbiddenHost(hostname)) return FORBIDDEN_HOST;
  return null;
}

/** Warns of a URL to which nothing can be pushed. @param url a valid one */
export function targetUrlWarnings(url: string): FieldProblem[] {
  const namesApplication = /^rtmps?:\/\/[^/?]*\/+[^/?]/i.test(url);
  return namesApplication ? [] : [WITHOUT_APPLICATION];
}

const WITHOUT_APPLICATION = {
  field: "url",
  message:
    "`url` names no application, so this target gets no broadcast; name one, as in `rtmp://live.example.com/app`, in another target",
};
