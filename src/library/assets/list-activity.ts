import { listEvents } from "../../events/index.ts";
import { listRequests } from "../../events/request-log/index.ts";
import type { Database } from "../../platform/database.ts";
import { cutPage } from "../../platform/http/cursor.ts";
import { type ActivityItem, type ActivityKey, compareActivity, keyOf, resumeAfter } from "./activity.ts";
import { isKnownAsset } from "./repository.ts";

/** Left out of the activity: a page that polls it would otherwise fill it with its own requests. */
export const ACTIVITY_ROUTE = "/v1/on-demand/{mediaId}/activity";

/**
 * One page of an asset's requests and events, newest first. Includes deleted assets, so that their owner can see the deletion.
 *
 * @returns null when the workspace never had this asset
 */
export async function listActivity(
  db: Database,
  { workspaceId, assetId }: { workspaceId: string; assetId: string },
  after: ActivityKey | null,
  limit: number,
) {
  const resume = resumeAfter(after);
  const most = limit + 1; // one more than the page shows whether another page follows
  const [isKnown, events, requests] = await Promise.all([
    isKnownAsset(db, workspaceId, assetId),
    listEvents(db, workspaceId, { objectId: assetId, after: resume.events }, most),
    listRequests(db, workspaceId, { resourceId: assetId, exceptRoute: ACTIVITY_ROUTE, after: resume.requests }, most),
  ]);
  if (!isKnown) return null;
  const items: ActivityItem[] = [
    ...events.map((row) => ({ kind: "event" as const, row })),
    ...requests.map((row) => ({ kind: "request" as const, row })),
  ];
  return cutPage(items.sort(compareActivity).slice(0, most), limit, keyOf);
}
