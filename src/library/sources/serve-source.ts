import type { Env } from "../../platform/env.ts";
import { answerFile } from "../../platform/http/answer-file.ts";
import { openStoredSource } from "./stored-source.ts";

/**
 * Answers a GET or HEAD for the stored source of an asset.
 *
 * @param headers of the answer
 * @returns null when the source is not in R2, or not yet
 * @throws {Problem} range_not_satisfiable
 */
export async function serveSource(
  env: Pick<Env, "MEDIA">,
  assetId: string,
  request: Request,
  headers: Record<string, string>,
): Promise<Response | null> {
  const source = await openStoredSource(env, assetId);
  return source && (await answerFile(request, source, headers));
}
