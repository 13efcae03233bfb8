import type { components } from "../api/api-types.ts";
import { apiErrorOf } from "../api/errors.ts";
import type { SendOnce } from "../api/send-once.ts";

/** A list of videos as the platform has read it. */
export type ImportList = components["schemas"]["ImportList"];

export type ListType = "text/csv" | "application/json" | "application/x-ndjson";

/**
 * Sends a list of videos for a migration (`POST /v1/imports/lists`), of at most 256 MiB. It is streamed, so it is sent once: a second attempt
 * makes another list.
 *
 * @throws {ApiError} 422 for a file that is not such a list; {ConnectionError}
 */
export async function sendImportList(
  send: SendOnce,
  file: Blob,
  { type, signal }: { type: ListType; signal?: AbortSignal | undefined },
): Promise<ImportList> {
  const init = { method: "POST", body: file, headers: { "content-type": type }, ...(signal && { signal }) };
  const response = await send("/v1/imports/lists", init);
  if (!response.ok) throw await apiErrorOf(response);
  return ((await response.json()) as { data: ImportList }).data;
}
