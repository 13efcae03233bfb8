import { addressLiteral, isClosedName, isPublicAddress } from "./addresses.ts";

/** Longer URLs are refused: signed URLs of the large stores stay below 2,000 characters. */
export const MAX_URL_LENGTH = 2048;

export type PublicUrlProblem = "malformed" | "too_long" | "scheme" | "credentials" | "forbidden_host";

/** `message` completes a sentence that starts with the field's name. */
export type RefusedPublicUrl = { ok: false; problem: PublicUrlProblem; message: string };
export type CheckedPublicUrl = { ok: true; url: URL } | RefusedPublicUrl;

/** The message for a URL whose host this deployment does not reach. */
export const FORBIDDEN_HOST = "must not point to a private or local address";

/** The hint for a URL that is refused with this message: also what the operator can change. */
export const urlHint = (message: string): string =>
  message === FORBIDDEN_HOST ? `${message}, unless the platform runs with ALLOW_PRIVATE_NETWORK=true` : message;

const MESSAGES: Record<PublicUrlProblem, string> = {
  malformed: "must be an absolute URL",
  too_long: `must be at most ${MAX_URL_LENGTH} characters long`,
  scheme: "must be an http or https URL",
  credentials: "must not carry a user name or password",
  forbidden_host: FORBIDDEN_HOST,
};

/**
 * Checks the text of a customer's URL. Its host name is resolved and checked when it is contacted. The returned URL has no fragment, which
 * is never sent.
 *
 * @param allowPrivateNetwork accepts private addresses and local names, for local use
 */
export function checkPublicUrl(text: string, allowPrivateNetwork: boolean): CheckedPublicUrl {
  if (text.length > MAX_URL_LENGTH) return refuse("too_long");
  // The parser silently removes control characters, so the fetched URL would differ from the recorded one.
  if (/\p{Cc}/u.test(text) || !URL.canParse(text)) return refuse("malformed");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return refuse("scheme");
  if (url.username !== "" || url.password !== "") return refuse("credentials");
  if (!allowPrivateNetwork && isForbiddenHost(url.hostname)) return refuse("forbidden_host");
  url.hash = "";
  return { ok: true, url };
}

/** @param hostname as in `URL.hostname`, with brackets around IPv6 */
export function isForbiddenHost(hostname: string): boolean {
  const address = addressLiteral(hostname);
  return address === null ? isClosedName(hostname) : !isPublicAddress(address);
}

function refuse(problem: PublicUrlProblem): CheckedPublicUrl {
  return { ok: false, problem, message: MESSAGES[problem] };
}
