import { SluiceError } from "./errors.ts";

export interface Credentials {
  /** Where the platform answers: `https://video.example.com`, without `/v1`. */
  baseUrl: string;
  /** The id of an API credential, the user name of HTTP Basic. */
  accessToken: string;
  /** Its secret. Keep it on a server: whoever has it can do everything in the workspace. */
  secretKey: string;
}

/** @throws {SluiceError} for credentials that no platform can accept; the message does not contain them */
export function checkCredentials({ baseUrl, accessToken, secretKey }: Credentials): void {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new SluiceError("the base URL must be an http(s) URL, such as https://video.example.com");
  const { username, search, hash } = new URL(baseUrl);
  if (username !== "" || search !== "" || hash !== "")
    throw new SluiceError("the base URL must have no credentials, query or fragment");
  requireText("the access token", accessToken);
  if (accessToken.includes(":")) throw new SluiceError("the access token must be the id of an API credential");
  requireText("the secret key", secretKey);
}

/**
 * For values that usually come from environment variables, which may be unset.
 *
 * @throws {SluiceError}
 */
export function requireText(what: string, value: unknown): void {
  if (typeof value !== "string") throw new SluiceError(`${what} is ${typeof value}; is its environment variable set?`);
  if (value === "") throw new SluiceError(`${what} is empty`);
}

/** @returns without a slash at the end, and without the `/v1` that belongs to the paths */
export const trimmedBaseUrl = (baseUrl: string): string => baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");

export function basicAuthorization({ accessToken, secretKey }: Credentials): string {
  const bytes = new TextEncoder().encode(`${accessToken}:${secretKey}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
