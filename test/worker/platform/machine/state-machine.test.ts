import { describe, expect, test } from "vitest";
import { type Moves, StateMachine } from "../../../../src/platform/machine/state-machine.ts";
import { label, withStorage } from "./storage.ts";

type Status = "idle" | "running";
const MOVES: Moves<Status, "start" | "stop"> = {
  idle: { start: ["running", "job.started"] },
  running: { stop: ["idle", null] },
};
const open = (storage: DurableObjectStorage) =>
  new StateMachine<Status, "start" | "stop">(storage, "idle", MOVES, label);

describe("a state machine", () => {
  test("moves, hands over the event and the next state, and stores the state for the next instance", () =>
    withStorage((storage) => {
      const machine = open(storage);
      const moves: unknown[] = [];
      const also = (event: string | null, next: Status) => void moves.push([event, next]);
      expect([machine.move("start", also), machine.status, open(storage).status]).toEqual([true, "running", "running"]);
      expect([machine.move("stop", also), open(storage).status]).toEqual([true, "idle"]);
      expect(moves).toEqual([
        ["job.started", "running"],
        [null, "idle"],
      ]);
    }));

  test("writes nothing on a signal that its state does not accept", () =>
    withStorage((storage) => {
      const machine = open(storage);
      let isCalled = false;
      expect(machine.move("stop", () => (isCalled = true))).toBe(false);
      expect([machine.status, isCalled, storage.kv.get("data")]).toEqual(["idle", false, undefined]);
    }));

  test("stays in its state when the rest of the commit fails", () =>
    withStorage((storage) => {
      const machine = open(storage);
      const failing = () =>
        machine.move("start", () => {
          storage.kv.put("job", 1);
          throw new Error("disk full");
        });
      expect(failing).toThrow("disk full");
      expect([machine.status, storage.kv.get("data"), storage.kv.get("job")]).toEqual(["idle", undefined, undefined]);
      expect(machine.move("start")).toBe(true);
    }));

  test("loads the state as earlier releases stored it", () =>
    withStorage((storage) => {
      storage.kv.put("data", { status: "running" });
      expect(open(storage).status).toBe("running");
    }));
});
