import { apiErrorOf } from "../api/errors.ts";
import type { SendOnce } from "../api/send-once.ts";

/** The files of a migration: which new ids its videos have, and its report. */
export type ImportFileName = "map.csv" | "map.json" | "map.ndjson" | "report.csv" | "report.html";

/**
 * A file of a migration as a stream: the map of a large one has hundreds of thousands of rows.
 *
 * @throws {ApiError} {ConnectionError}
 */
export async function readImportFile(
  send: SendOnce,
  importId: string,
  name: ImportFileName,
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const path = `/v1/imports/${encodeURIComponent(importId)}`;
  const [kind, format] = name.split(".") as [string, string];
  const response = await send(kind === "map" ? `${path}/${name}` : `${path}/report?format=${format}`, {
    method: "GET",
    ...(signal && { signal }),
  });
  if (!response.ok) throw await apiErrorOf(response);
  return response.body ?? new Blob([]).stream();
}
