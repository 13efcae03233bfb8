import { renderFailure } from "../../../platform/http/router.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { UnusableSecret } from "../../../../protocol/secrets.ts";
import type { UploadProgress } from "../upload-calls.ts";
import { corsHeaders } from "./cors.ts";

/**
 * The answer of the resumable protocol: 200 for a complete upload, otherwise 308 with the stored range. `Range` is absent only before the
 * first byte, because clients take its absence for a loss. There is no `Location`, which browsers would follow.
 */
export function progressAnswer({ status, storedBytes }: UploadProgress, corsOrigin: string): Response {
  const headers = { ...corsHeaders(corsOrigin), "Cache-Control": "no-store" };
  if (status === "complete") return new Response(null, { status: 200, headers });
  const range = storedBytes === 0 ? {} : { Range: `bytes=0-${storedBytes - 1}` };
  return new Response(null, { status: 308, headers: { ...headers, ...range } });
}

/**
 * An error that scripts of the upload's origin can read. A failure of the service is 503: published iOS clients stop silently on 500
 * (media contract, resumable uploads).
 */
export function failureAnswer(error: unknown, { corsOrigin, requestId }: { corsOrigin: string; requestId: string }) {
  const isKnown = error instanceof Problem || error instanceof UnusableSecret;
  const problem = isKnown
    ? error
    : new Problem("unavailable", "the request could not be carried out; send it again", { cause: error });
  const response = renderFailure(problem, requestId);
  for (const [name, value] of Object.entries(corsHeaders(corsOrigin))) response.headers.set(name, value);
  return response;
}
