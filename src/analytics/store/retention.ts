const DAY_MS = 24 * 3600_000;
/** Views can be asked for this long after their end; earlier months are not asked. */
export const RETENTION_MS = 100 * DAY_MS;
/** The last view of a month ends up to 31 days after its first one is stored, and is stored up to a week later. */
const KEEP_STORE_MS = RETENTION_MS + 45 * DAY_MS;

/** Plans the deletion of a month's store, once. */
export async function planDeletion(storage: DurableObjectStorage, nowMs: number): Promise<void> {
  if ((await storage.getAlarm()) === null) await storage.setAlarm(nowMs + KEEP_STORE_MS);
}
