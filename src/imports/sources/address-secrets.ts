/**
 * Which parts of an address open a file, and so must not be shown, and change when it is signed anew. Pure. The names are those of AWS, Google
 * Cloud, Azure, Alibaba, Tencent, Qiniu and Huawei, of the CDNs Akamai, Bunny, CloudFront, Cloudflare and KeyCDN, and of Dropbox.
 */

const SIGNING_NAME =
  /^(?:x-(?:amz|goog|oss|cos|obs|bce|tos)-.*|q-.*|.*(?:signature|token|secret|passw(?:or)?d).*|.*(?:access|api)[-_]?(?:key|id).*|sig|sign|signed|expir.*|exp|deadline|policy|key-pair-id|hdn(?:ts|tl|ea|ta)|md5|hash|hmac|mac|verify|auth.*|jwt|rlkey|acl|(?:ws|tx)time|valid.*|session.*|sid|ticket|nonce)$/i;
/** Names of parameters that say which file is meant, or which version of it. Their values may look like a signature: ids do. */
const IDENTIFYING_NAME = /^(?:versionid|generation|id|v|video|(?:video|media|file)[-_]?id|file|file[-_]?name|path)$/i;

const JWT = /^eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/;
/** Hexadecimal, Base64 and what is made of them. */
const RANDOM = /^[\w+/=.~-]{20,}$/;
/** Seconds or milliseconds since 1970. */
const EPOCH = /^\d{10}(?:\d{3})?$/;

/** In place of what is left out of a path. */
const HIDDEN = "hidden";

/**
 * Takes out of the address's query what signs it. Of a query that has a signature or an expiry only what names the file is kept, as the others
 * may belong to it.
 *
 * @returns false = there was nothing
 */
export function dropSigning({ searchParams }: URL): boolean {
  const parameters = [...searchParams];
  if (!parameters.some(([name, value]) => isSigning(name, value))) return false;
  for (const [name, value] of parameters)
    if (!IDENTIFYING_NAME.test(name) || JWT.test(value)) searchParams.delete(name);
  return true;
}

function isSigning(name: string, value: string): boolean {
  if (JWT.test(value)) return true;
  if (IDENTIFYING_NAME.test(name)) return false;
  if (SIGNING_NAME.test(name)) return true;
  // A plus sign of Base64 is read as a space. A query that is a token as a whole is a name without a value.
  return [name, value].some((text) => RANDOM.test(text.replaceAll(" ", "+")) || EPOCH.test(text));
}

/** The path without its tokens: JWTs, as Cloudflare Stream has, `/token/…` of api.video, `/hdntl=…/` of Akamai, `/bcdn_token=…/` of Bunny. */
export const withoutPathTokens = (path: string): string =>
  path
    .split("/")
    .map((part, place, parts) => (isToken(part) || isNamedToken(parts, place) ? HIDDEN : part))
    .join("/");

const isToken = (part: string): boolean =>
  isJwt(part) || /^(?:hdn(?:ts|tl|ea)|bcdn_token|token|signature)(?:=|%3d)/i.test(part);

/** What follows `/token/`, unless it is the file. */
const isNamedToken = (parts: readonly string[], place: number): boolean =>
  parts[place - 1]?.toLowerCase() === "token" && parts[place] !== "" && place < parts.length - 1;

const isJwt = (part: string): boolean => JWT.test(part.replace(/%2e/gi, "."));

/** Whether a JWT stands in the path: Cloudflare Stream has it in place of the id of the video, so nothing else says which one is meant. */
export const hasJwtInPath = (path: string): boolean => path.split("/").some(isJwt);
