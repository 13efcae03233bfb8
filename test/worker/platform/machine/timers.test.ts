import { describe, expect, test } from "vitest";
import { type TimerHandlers, Timers } from "../../../../src/platform/machine/timers.ts";
import { label, withStorage } from "./storage.ts";

/** In the future, so that the object's own alarm never fires. */
const START_MS = Date.now() + 1_000_000_000;

interface Trial {
  timers: Timers<string>;
  storage: DurableObjectStorage;
  advanceTo: (ms: number) => void;
  /** Moves the clock and runs what is due. @returns the names of the timers that ran */
  runAt: (ms: number, handlers?: Partial<TimerHandlers<string>>) => Promise<string[]>;
}

const trial = (work: (trial: Trial) => Promise<void>) =>
  withStorage(async (storage) => {
    let nowMs = START_MS;
    const timers = new Timers<string>(storage, () => nowMs, label);
    const runAt = async (ms: number, { run, onFailure }: Partial<TimerHandlers<string>> = {}) => {
      nowMs = START_MS + ms;
      const ran: string[] = [];
      await timers.runDue({
        run: async (timer) => {
          ran.push(timer);
          await run?.(timer);
        },
        onFailure: (timer, failures) => onFailure?.(timer, failures),
      });
      return ran;
    };
    const advanceTo = (ms: number) => void (nowMs = START_MS + ms);
    await work({ timers, storage, advanceTo, runAt });
  });

describe("timers", () => {
  test("run once each, in the order of their times, when they are due", () =>
    trial(async ({ timers, runAt }) => {
      timers.schedule("late", START_MS + 200);
      timers.schedule("early", START_MS + 100);
      expect(await runAt(99)).toEqual([]);
      expect(await runAt(250)).toEqual(["early", "late"]);
      expect(await runAt(300)).toEqual([]);
    }));

  test("set the object's alarm to the earliest time", () =>
    trial(async ({ timers, storage, runAt }) => {
      timers.schedule("a", START_MS + 300);
      timers.schedule("b", START_MS + 200);
      expect(await storage.getAlarm()).toBe(START_MS + 200);
      await runAt(200);
      expect(await storage.getAlarm()).toBe(START_MS + 300);
    }));

  test("leave the alarm as it is when they come after it, because setting it is billed", () =>
    trial(async ({ timers, storage, runAt }) => {
      timers.schedule("a", START_MS + 100);
      timers.schedule("b", START_MS + 300);
      timers.schedule("a", START_MS + 200);
      expect(await storage.getAlarm()).toBe(START_MS + 100);
      expect(await runAt(100)).toEqual([]); // nothing is due yet
      expect(await storage.getAlarm()).toBe(START_MS + 200);
    }));

  test("that are overdue get their alarm back with the next call", () =>
    trial(async ({ timers, storage, advanceTo }) => {
      timers.schedule("lost", START_MS + 100);
      await storage.deleteAlarm(); // as the platform does after too many failures
      advanceTo(200);
      timers.schedule("later", START_MS + 300);
      expect(await storage.getAlarm()).toBe(START_MS + 100);
    }));

  test("are brought forward, never put back, by `bringForward`", () =>
    trial(async ({ timers, runAt }) => {
      timers.schedule("forward", START_MS + 200);
      timers.bringForward("forward", START_MS + 100);
      timers.schedule("kept", START_MS + 100);
      timers.bringForward("kept", START_MS + 200);
      expect((await runAt(100)).toSorted()).toEqual(["forward", "kept"]);
    }));

  test("that a handler schedules again stay", () =>
    trial(async ({ timers, runAt }) => {
      timers.schedule("a", START_MS + 100);
      await runAt(100, { run: async () => timers.schedule("a", START_MS + 500) });
      expect([timers.isScheduled("a"), await runAt(499), await runAt(500)]).toEqual([true, [], ["a"]]);
    }));

  test("that are cancelled do not run", () =>
    trial(async ({ timers, runAt }) => {
      timers.schedule("a", START_MS + 100);
      timers.schedule("b", START_MS + 100);
      timers.cancel("a", "b");
      expect(await runAt(100)).toEqual([]);
    }));

  test("that fail are retried after 0.5 s, then twice as long each time, at most a minute; a success resets the count", () =>
    trial(async ({ timers, runAt, storage }) => {
      const failures: number[] = [];
      const failing = {
        run: () => Promise.reject(new Error("out of order")),
        onFailure: (_: string, count: number) => void failures.push(count),
      };
      timers.schedule("a", START_MS);
      let nowMs = 0;
      const waits: number[] = [];
      for (let attempt = 0; attempt < 9; attempt++) {
        expect(await runAt(nowMs, failing)).toEqual(["a"]);
        const dueMs = (await storage.getAlarm())! - START_MS;
        waits.push(dueMs - nowMs);
        nowMs = dueMs;
      }
      expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
      expect(failures).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      await runAt(nowMs);
      timers.schedule("a", START_MS + nowMs);
      await runAt(nowMs, failing);
      expect(failures.at(-1)).toBe(1);
    }));

  test("run although another one fails", () =>
    trial(async ({ timers, runAt }) => {
      timers.schedule("a", START_MS);
      timers.schedule("b", START_MS + 1);
      const run = async (timer: string) => {
        if (timer === "a") throw new Error("out of order");
      };
      expect(await runAt(1, { run })).toEqual(["a", "b"]);
    }));
});
