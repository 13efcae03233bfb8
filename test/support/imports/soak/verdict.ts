/** What must hold after the soak of migrations. */
import type { ImportSoakResult } from "./soak.ts";

export const GUARANTEES = {
  ended: "every item is ready, or failed with a reason",
  usable: "every video that can be used is ready",
  single: "no video has become two media, and none was lost",
  mapped: "the map has every video",
  announced: "the end is announced once",
} as const;
type Guarantee = keyof typeof GUARANTEES;

/** Of a hundred videos that many cannot be used. */
const UNUSABLE_OF_HUNDRED = 3;

/** What violates each guarantee. @param count of the videos, a multiple of 100 */
export function judgeImports(result: ImportSoakResult, count: number): Record<Guarantee, unknown[]> {
  const { batch, items, mapRows, completed, stored } = result;
  const mediaIds = items.flatMap(({ mediaId }) => mediaId ?? []);
  const has = (isIt: boolean, violation: unknown) => (isIt ? [] : [violation]);
  const usable = count - (UNUSABLE_OF_HUNDRED * count) / 100;
  const known = new Set(mediaIds);
  return {
    ended: [
      ...has(batch.status === "done" && items.length === count, { status: batch.status, items: items.length }),
      ...items.filter(({ status, error }) => status !== "ready" && !(status === "failed" && error !== undefined)),
    ],
    usable: has(batch.counts.ready === usable, batch.counts),
    single: [
      ...has(known.size === mediaIds.length, "two items have one media"),
      ...has(stored.claims === batch.counts.ready, { claims: stored.claims, ready: batch.counts.ready }),
      ...has(stored.unreadyOfReadyItems === 0, { unready: stored.unreadyOfReadyItems }),
      ...stored.mediaIds.filter((id) => !known.has(id)),
      ...has(stored.mediaIds.length === mediaIds.length, { stored: stored.mediaIds.length, media: mediaIds.length }),
    ],
    mapped: has(mapRows === count, { mapRows }),
    announced: has(completed.stored === 1 && completed.received.length === 1, completed),
  };
}
