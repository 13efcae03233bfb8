import type { Context } from "hono";
import { Problem } from "../../../platform/http/problems.ts";
import type { AppContext } from "../../../platform/http/router.ts";
import { uploadMachine } from "../upload-calls.ts";
import { readUploadUrl, type UploadGrant } from "../upload-url.ts";
import { known } from "./receive-chunk.ts";

/** A request to an upload URL. */
export type UploadCall = Context<AppContext, "/:workspaceId/:uploadId">;

/** @returns null when the URL was not signed here */
export const grantOf = (c: UploadCall): UploadGrant | null =>
  readUploadUrl(c.env, c.req.param(), new URL(c.req.url).searchParams);

/**
 * After its time the URL continues an upload, but begins none.
 *
 * @throws {Problem} upload_over
 */
export async function requireBegun(c: UploadCall, { uploadId, expiresAtS }: UploadGrant): Promise<void> {
  if (Date.now() < expiresAtS * 1000) return;
  const { storedBytes } = known(await uploadMachine(c.env, uploadId).readProgress(uploadId));
  if (storedBytes === 0) throw new Problem("upload_over", "the upload URL has expired; create a new upload");
}
