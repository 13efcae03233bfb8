import type { BatchOrder, BatchSettings } from "./batch-calls.ts";
import type { BatchRow } from "./repository.ts";

const timeOf = (value: unknown): number | null => (typeof value === "string" ? Date.parse(value) : null);

/** What the batch's object is told, out of its row: also for one whose first call was lost. */
export function orderOf({ id, workspaceId, source, request, credentialId, createdAt }: BatchRow): BatchOrder {
  const { options, selection, settings, dryRun, publicUrl } = request;
  return {
    batchId: id,
    workspaceId,
    publicUrl,
    source,
    options,
    credentialId,
    selection: {
      ids: [...new Set((selection["ids"] as string[] | undefined) ?? [])],
      createdAfterMs: timeOf(selection["createdAfter"]),
      createdBeforeMs: timeOf(selection["createdBefore"]),
      limit: (selection["limit"] as number | undefined) ?? null,
    },
    settings: settings as unknown as BatchSettings, // as the schema has checked it
    dryRun,
    createdAtMs: createdAt.getTime(),
  };
}
