/** Deletes everything that a batch's object has. Its claims stay in D1. */
export async function forget(storage: DurableObjectStorage): Promise<void> {
  await storage.deleteAlarm();
  await storage.deleteAll();
}
