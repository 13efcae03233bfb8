import { SourceFailure, type MissingPermission } from "./source.ts";
import { readAnswer } from "./read-answer.ts";
import { VerifyAnswer, VideosAnswer } from "./cloudflare-answers.ts";
import type { CloudflareApi } from "./cloudflare-api.ts";

/** No video has it, so nothing happens to it. */
const NOBODY = "0".repeat(32);

/** Tokens belong to a user or to an account, and each kind is verified at an address of its own. @throws {SourceFailure} credentials_invalid */
export async function verifyToken(api: CloudflareApi): Promise<void> {
  const answer =
    (await verified(api, "/user/tokens/verify")) ?? (await verified(api, `${api.accountPath}/tokens/verify`));
  if (answer === null) throw new SourceFailure("credentials_invalid", "Cloudflare refused the API token.");
  const { status } = readAnswer(VerifyAnswer, answer, "Cloudflare's verification of the token").result;
  if (status !== "active")
    throw new SourceFailure("credentials_invalid", `The API token is not active (${status.slice(0, 40)}).`);
}

async function verified(api: CloudflareApi, path: string): Promise<unknown> {
  const reply = await unlessRefused(api.json({ path }));
  return reply === null || reply.status >= 400 ? null : reply.body;
}

/**
 * The documents know no call that tells a token's permissions to the token itself. So a page of one video is read, and the download of a
 * video that does not exist is ordered: only a token that may not do it is answered 403.
 */
export async function missingPermissions(api: CloudflareApi): Promise<MissingPermission[]> {
  const list = await unlessRefused(api.json({ path: `${api.stream()}?limit=1` }));
  if (list === null) {
    const message = "Without it the videos cannot be listed. The account ID may be another one than the token's, too.";
    return [{ permission: "Stream Read", message, isRequired: true }];
  }
  if (list.status >= 400)
    throw new SourceFailure("credentials_invalid", "Cloudflare knows no account with this ID, or not for this token.");
  readAnswer(VideosAnswer, list.body, "Cloudflare's list of videos");
  const probe = await unlessRefused(api.json({ method: "POST", path: api.stream(NOBODY, "/downloads") }));
  if (probe !== null) return [];
  const message = `Without it ("Edit" in the dashboard) no downloads can be ordered: only videos that already have one can be fetched.`;
  return [{ permission: "Stream Write", message, isRequired: false }];
}

async function unlessRefused<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof SourceFailure && (error.code === "credentials_invalid" || error.code === "permission_missing"))
      return null;
    throw error;
  }
}
