/** What errors of S3 mean to the owner of a bucket. Document: Amazon S3 API reference, "Error responses", read November 2026. Pure. */
import type { SourceReply } from "./source-http.ts";
import { SourceFailure } from "./source.ts";
import { readS3Error } from "./s3-xml.ts";

/** As IAM names it. */
export type S3Action = "s3:ListBucket" | "s3:GetObject" | "s3:GetObjectTagging";

const REFUSED_CREDENTIALS: Record<string, string> = {
  InvalidAccessKeyId: "The store knows no such access key.",
  SignatureDoesNotMatch: "The secret access key does not belong to the access key.",
  ExpiredToken: "The session token has expired.",
  InvalidToken: "The session token is not valid.",
  TokenRefreshRequired: "The session token has expired.",
  AccountProblem: "The store has a problem with the account of the access key.",
  NotSignedUp: "The account of the access key has not signed up for the store.",
  Unauthorized: "The store refused the access key.",
  // R2 and B2 have these in place of InvalidAccessKeyId.
  InvalidRequestSignature: "The secret access key does not belong to the access key.",
};
const OTHER_REGION = new Set([
  "PermanentRedirect",
  "TemporaryRedirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
]);
const SLOW_PAUSE_MS = 5000;

/** @param reply not 2xx; that of HEAD has no body, so its status and headers must do */
export function s3Failure(
  reply: Pick<SourceReply, "status" | "headers" | "text">,
  action: S3Action,
  bucket: string,
): SourceFailure {
  const { code, region } = readS3Error(reply.text);
  const ownRegion = region ?? regionOf(reply.headers);
  if (code !== null && REFUSED_CREDENTIALS[code] !== undefined) {
    return new SourceFailure("credentials_invalid", REFUSED_CREDENTIALS[code]);
  }
  if ((code !== null && OTHER_REGION.has(code)) || (reply.status >= 300 && reply.status < 400))
    return elsewhere(bucket, ownRegion);
  if (code === null && reply.status === 400 && ownRegion !== null) return elsewhere(bucket, ownRegion);
  return failureOf(code, reply.status, action, bucket);
}

function failureOf(code: string | null, status: number, action: S3Action, bucket: string): SourceFailure {
  switch (code) {
    case "SlowDown":
    case "RequestLimitExceeded":
      return new SourceFailure("source_rate_limited", "The store has asked for a pause.", {
        retryAfterMs: SLOW_PAUSE_MS,
      });
    case "RequestTimeTooSkewed":
      return new SourceFailure(
        "internal",
        "The clocks of the store and of this deployment differ by more than 15 minutes.",
      );
    case "InvalidObjectState":
      return archived();
    case "NoSuchBucket":
      return new SourceFailure("source_unavailable", `The store has no bucket "${bucket}".`);
    case "NoSuchKey":
      return new SourceFailure("video_gone", "The bucket has no such object any more.");
  }
  if (status === 401) return new SourceFailure("credentials_invalid", "The store refused the access key.");
  if (status === 403) return new SourceFailure("permission_missing", `The credentials lack ${action} for "${bucket}".`);
  if (status === 404) return new SourceFailure("video_gone", "The bucket has no such object any more.");
  return new SourceFailure("source_unreadable", `The store answered ${status}${code === null ? "" : ` ${code}`}.`);
}

export const archived = () =>
  new SourceFailure("archived", "The object is in an archive. Restore it at the store, then try again.");

function regionOf(headers: Headers): string | null {
  const region = headers.get("x-amz-bucket-region");
  return region !== null && /^[a-z0-9-]{1,32}$/.test(region) ? region : null;
}

const elsewhere = (bucket: string, region: string | null) =>
  new SourceFailure(
    "source_unavailable",
    region === null
      ? `Bucket "${bucket}" is in another region.`
      : `Bucket "${bucket}" is in region ${region}: set \`region\` to "${region}".`,
  );
