import { type Grant, readGrant, signGrant } from "../../platform/crypto/signed-grant.ts";
import type { Env } from "../../platform/env.ts";
import type { Upload } from "./repository.ts";

/** Permission to use the page of one upload. */
interface PageGrant extends Grant {
  uploadPage: string;
}

const AUDIENCE = "upload-page";
/** As long as the upload can last. */
const VALID_MS = 24 * 3600_000;

/**
 * The address of an upload's page, for somebody without credentials.
 *
 * @throws {UnusableSecret}
 */
export async function uploadPageUrl({ JOB_SECRET }: Pick<Env, "JOB_SECRET">, upload: Upload): Promise<string> {
  const grant: PageGrant = { uploadPage: upload.id, expiresAt: upload.createdAtMs + VALID_MS };
  return `${upload.publicUrl}/upload/${await signGrant(JOB_SECRET, AUDIENCE, grant)}`;
}

/** The upload that a page's token is for; null when it was not made here, or has expired. */
export async function uploadIdOf(
  { JOB_SECRET }: Pick<Env, "JOB_SECRET">,
  token: string,
  nowMs: number,
): Promise<string | null> {
  const isMeant = ({ uploadPage }: PageGrant) => typeof uploadPage === "string";
  const grant = await readGrant<PageGrant>(JOB_SECRET, AUDIENCE, token, isMeant, nowMs);
  return typeof grant === "string" ? null : grant.uploadPage;
}
