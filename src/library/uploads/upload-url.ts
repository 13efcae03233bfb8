import { createHmac } from "node:crypto";
import { isSameSecret } from "../../../protocol/same-secret.ts";
import { secretList } from "../../../protocol/secrets.ts";
import type { Env } from "../../platform/env.ts";
import { uploadAddress } from "../sources/upload-address.ts";
import type { Upload } from "./repository.ts";

/** How long an upload can begin at its URL. One that has begun continues until the upload expires. */
export const URL_VALID_S = 14_400;

type Signer = Pick<Env, "JOB_SECRET">;

/** What an upload URL grants. */
export interface UploadGrant {
  workspaceId: string;
  uploadId: string;
  /** `*`, or the origin whose scripts may use the URL. */
  corsOrigin: string;
  /** Epoch seconds. */
  expiresAtS: number;
}

/**
 * The upload URL: the only credential of the upload. It is the same at each call.
 *
 * @throws {UnusableSecret}
 */
export function signedUploadUrl({ JOB_SECRET }: Signer, upload: Upload): string {
  const { id: uploadId, workspaceId, corsOrigin, createdAtMs } = upload;
  const grant = { uploadId, workspaceId, corsOrigin, expiresAtS: Math.floor(createdAtMs / 1000) + URL_VALID_S };
  const [secret] = secretList("JOB_SECRET", JOB_SECRET);
  const query = new URLSearchParams({
    expires: String(grant.expiresAtS),
    cors_origin: corsOrigin,
    signature: signatureOf(secret, grant),
    upload_id: uploadId.replaceAll("-", ""), // clients look for this parameter before they ask for a session
  });
  return `${uploadAddress(upload)}?${query.toString()}`;
}

/**
 * The grant of a URL; null when it is not signed with one of the secrets.
 *
 * @throws {UnusableSecret}
 */
export function readUploadUrl(
  { JOB_SECRET }: Signer,
  { workspaceId, uploadId }: { workspaceId: string; uploadId: string },
  query: URLSearchParams,
): UploadGrant | null {
  const expires = query.get("expires") ?? "";
  if (!/^\d{1,12}$/.test(expires)) return null;
  const grant = { workspaceId, uploadId, corsOrigin: query.get("cors_origin") ?? "", expiresAtS: Number(expires) };
  const signature = query.get("signature") ?? "";
  const isSigned = secretList("JOB_SECRET", JOB_SECRET).some((secret) =>
    isSameSecret(signature, signatureOf(secret, grant)),
  );
  return isSigned ? grant : null;
}

/** `JOB_SECRET` also signs tokens; their signed text never begins like this one. */
const signatureOf = (secret: string, { workspaceId, uploadId, corsOrigin, expiresAtS }: UploadGrant) =>
  createHmac("sha256", secret)
    .update(["upload-url", workspaceId, uploadId, corsOrigin, expiresAtS].join("\n"))
    .digest("base64url");
