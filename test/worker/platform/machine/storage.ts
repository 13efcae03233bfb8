import { env, runInDurableObject } from "cloudflare:test";

/** Runs `work` on the storage of a new Durable Object. Its alarm is deleted afterwards. */
export const withStorage = <T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
  runInDurableObject(env.LIVE_STREAM_MACHINE.get(env.LIVE_STREAM_MACHINE.newUniqueId()), async (_, { storage }) => {
    try {
      return await work(storage);
    } finally {
      await storage.deleteAlarm();
    }
  });

export const label = () => ({ machine: "test", id: "1" });
