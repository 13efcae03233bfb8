import { emptyPrefix } from "../../../platform/storage/empty-prefix.ts";
import { renditionPrefix } from "../../../platform/storage/keys.ts";
import { leaseMs } from "../../encoding/dispatcher.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingPictures } from "../core/insight-store.ts";

/** Part of a commit: the pictures of a request are not needed any more. An encoder that still takes them hears so from its next heartbeat. */
export function leavePictures(
  { clock, documents, trackJobs }: AssetComponents,
  { jobId, rendition }: Pick<PendingPictures, "jobId" | "rendition">,
): void {
  trackJobs.remove(jobId);
  const others = documents.get("oldSheets") ?? [];
  documents.put("oldSheets", [...others, { rendition, dueMs: clock(), isLast: false }]);
}

/** Deletes sheets that nobody needs any more, and those of late writes one lease later. @returns when to do so again, epoch ms */
export async function purgeSheets({ clock, documents, env, id }: AssetComponents): Promise<number> {
  const nowMs = clock();
  for (const { rendition, dueMs } of documents.get("oldSheets") ?? [])
    if (dueMs <= nowMs) await emptyPrefix(env.MEDIA, renditionPrefix(id, rendition));
  // Others may have been added meanwhile.
  const left = (documents.get("oldSheets") ?? []).flatMap((one) => {
    if (one.dueMs > nowMs) return [one];
    return one.isLast ? [] : [{ ...one, isLast: true, dueMs: nowMs + leaseMs(env) }];
  });
  if (left.length === 0) documents.delete("oldSheets");
  else documents.put("oldSheets", left);
  return Math.min(...left.map(({ dueMs }) => dueMs));
}
