import { describe, expect, test } from "vitest";
import { Outbox } from "../../../../src/platform/machine/outbox.ts";
import { withStorage } from "./storage.ts";

const numbers = (messages: { payload: unknown }[]) => messages.map(({ payload }) => payload);
const countStored = ({ sql }: DurableObjectStorage) =>
  sql.exec<{ count: number }>("SELECT count(*) AS count FROM outbox").one().count;

describe("an outbox", () => {
  test("delivers messages in order and then deletes them", async () => {
    await withStorage(async (storage) => {
      const delivered: unknown[] = [];
      const outbox = new Outbox(storage.sql, async (messages) => void delivered.push(...numbers(messages)));
      for (let n = 0; n < 120; n++) outbox.enqueue({ kind: "n", payload: n });
      await outbox.drain();
      expect(delivered).toEqual(Array.from({ length: 120 }, (_, n) => n));
      expect(countStored(storage)).toBe(0);
    });
  });

  test("keeps the messages of a failed batch and sends them first", async () => {
    await withStorage(async (storage) => {
      const deliveries: unknown[][] = [];
      const outbox = new Outbox(storage.sql, async (messages) => {
        deliveries.push(numbers(messages));
        if (deliveries.length === 1) throw new Error("D1 is down");
      });
      outbox.enqueue({ kind: "n", payload: 1 });
      await expect(outbox.drain()).rejects.toThrow("D1 is down");
      outbox.enqueue({ kind: "n", payload: 2 });
      await outbox.drain();
      expect(deliveries).toEqual([[1], [1, 2]]);
      expect(countStored(storage)).toBe(0);
    });
  });

  test("sends a message that is enqueued while a batch is being sent", async () => {
    await withStorage(async (storage) => {
      const delivered: unknown[] = [];
      const outbox: Outbox<{ kind: string; payload: number }> = new Outbox(storage.sql, async (messages) => {
        if (delivered.length === 0) outbox.enqueue({ kind: "n", payload: 2 });
        delivered.push(...numbers(messages));
      });
      outbox.enqueue({ kind: "n", payload: 1 });
      await outbox.drain();
      expect(delivered).toEqual([1, 2]);
    });
  });

  test("delivers each message once when drained several times at once", async () => {
    await withStorage(async (storage) => {
      const delivered: unknown[] = [];
      const outbox = new Outbox(storage.sql, async (messages) => {
        await new Promise((done) => setTimeout(done, 5));
        delivered.push(...numbers(messages));
      });
      for (const payload of [1, 2, 3]) outbox.enqueue({ kind: "n", payload });
      await Promise.all([outbox.drain(), outbox.drain(), outbox.drain()]);
      expect(delivered).toEqual([1, 2, 3]);
    });
  });

  test("is delivered by the next instance after a crash, but not what a failed transaction enqueued", async () => {
    await withStorage(async (storage) => {
      const crashed = new Outbox(storage.sql, () => Promise.reject(new Error("not reached")));
      crashed.enqueue({ kind: "n", payload: 1 });
      const failing = () =>
        storage.transactionSync(() => {
          crashed.enqueue({ kind: "n", payload: 2 });
          throw new Error("the change failed");
        });
      expect(failing).toThrow("the change failed");
      const delivered: unknown[] = [];
      await new Outbox(storage.sql, async (messages) => void delivered.push(...numbers(messages))).drain();
      expect(delivered).toEqual([1]);
    });
  });
});
