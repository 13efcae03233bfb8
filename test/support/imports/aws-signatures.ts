/**
 * Verifies AWS Signature Version 4, of headers and of queries, as S3 does. From "Authenticating requests (AWS Signature Version 4)" of the
 * Amazon S3 API reference, read in November 2026.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface AwsKey {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface SignedRequest {
  method: string;
  /** As it was sent, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Verdict = { key: AwsKey } | { refused: string; detail?: string } | "unsigned";

interface Signature {
  accessKeyId: string;
  scope: string[];
  signedHeaders: string[];
  signature: string;
  date: string;
  /** Of a query; null = in headers. */
  expiresSeconds: number | null;
  sessionToken: string | undefined;
  payloadHash: string;
}

const SKEW_MS = 15 * 60_000;
const MOST_SECONDS = 7 * 86_400;

export function verifySignature(
  request: SignedRequest,
  keys: readonly AwsKey[],
  region: string,
  nowMs: number,
): Verdict {
  const given = queryOf(request) ?? headersOf(request);
  if (given === null) return "unsigned";
  if (given === "malformed") return { refused: "AuthorizationHeaderMalformed" };
  const key = keys.find(({ accessKeyId }) => accessKeyId === given.accessKeyId);
  if (key === undefined) return { refused: "InvalidAccessKeyId" };
  if (given.scope[1] !== region) return { refused: "AuthorizationHeaderMalformed", detail: region };
  if (key.sessionToken !== given.sessionToken) return { refused: "InvalidToken" };
  if (given.signature !== signatureOf(request, given, key)) return { refused: "SignatureDoesNotMatch" };
  return refusedTime(given, nowMs) ?? refusedBody(given, request.body) ?? { key };
}

function queryOf({ query }: SignedRequest): Signature | "malformed" | null {
  if (!query.has("X-Amz-Signature")) return null;
  const [accessKeyId = "", ...scope] = (query.get("X-Amz-Credential") ?? "").split("/");
  if (query.get("X-Amz-Algorithm") !== "AWS4-HMAC-SHA256" || scope.length !== 4) return "malformed";
  return {
    accessKeyId,
    scope,
    signedHeaders: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
    signature: query.get("X-Amz-Signature") ?? "",
    date: query.get("X-Amz-Date") ?? "",
    expiresSeconds: Number(query.get("X-Amz-Expires") ?? Number.NaN),
    sessionToken: query.get("X-Amz-Security-Token") ?? undefined,
    payloadHash: "UNSIGNED-PAYLOAD",
  };
}

function headersOf({ headers }: SignedRequest): Signature | "malformed" | null {
  const { authorization } = headers;
  if (authorization === undefined) return null;
  const [, credential, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const [accessKeyId = "", ...scope] = (credential ?? "").split("/");
  if (signature === undefined || signedHeaders === undefined || scope.length !== 4) return "malformed";
  return {
    accessKeyId,
    scope,
    signedHeaders: signedHeaders.split(";"),
    signature,
    date: textOf(headers["x-amz-date"]),
    expiresSeconds: null,
    sessionToken: headers["x-amz-security-token"] === undefined ? undefined : textOf(headers["x-amz-security-token"]),
    payloadHash: textOf(headers["x-amz-content-sha256"]),
  };
}

function refusedTime({ date, expiresSeconds }: Signature, nowMs: number): { refused: string } | null {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const signedMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(signedMs)) return { refused: "AccessDenied" };
  if (expiresSeconds === null) return Math.abs(nowMs - signedMs) > SKEW_MS ? { refused: "RequestTimeTooSkewed" } : null;
  const holds = expiresSeconds > 0 && expiresSeconds <= MOST_SECONDS && nowMs <= signedMs + expiresSeconds * 1000;
  return holds && signedMs <= nowMs + SKEW_MS ? null : { refused: "AccessDenied" };
}

function refusedBody({ payloadHash }: Signature, body: string): { refused: string } | null {
  const isRight = payloadHash === "UNSIGNED-PAYLOAD" || payloadHash === sha256(body);
  return isRight ? null : { refused: "XAmzContentSHA256Mismatch" };
}

function signatureOf(request: SignedRequest, given: Signature, key: AwsKey): string {
  const { date, scope } = given;
  const toSign = ["AWS4-HMAC-SHA256", date, scope.join("/"), sha256(canonicalRequest(request, given))].join("\n");
  const signingKey = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${key.secretAccessKey}`);
  const expected = hmac(signingKey, toSign).toString("hex");
  return sameText(expected, given.signature) ? given.signature : expected;
}

function canonicalRequest(
  { method, path, query, headers }: SignedRequest,
  { signedHeaders, payloadHash }: Signature,
): string {
  const parameters = [...query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  return [
    method,
    decodeURIComponent(path).split("/").map(encode).join("/"),
    parameters.map((pair) => pair.join("=")).join("&"),
    ...signedHeaders.map((name) => `${name}:${textOf(headers[name]).trim().replaceAll(/\s+/g, " ")}`),
    "",
    signedHeaders.join(";"),
    payloadHash,
  ].join("\n");
}

const encode = (text: string): string =>
  [...new TextEncoder().encode(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const textOf = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? value.join(",") : (value ?? "");
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const sameText = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
