import { describe, expect, test } from "vitest";
import { GatheredWrites } from "../../../src/platform/gathered-writes.ts";

/** Writes that the test completes. */
function stage() {
  const clock = { nowMs: 1_000_000 };
  const begun: { by: string; rows: number[]; end: () => void }[] = [];
  const gathered = new GatheredWrites<number>(() => clock.nowMs);
  const add = (row: number, by = `request ${row}`) =>
    gathered.add(row, (rows) => new Promise((end) => begun.push({ by, rows, end })));
  /** Runs all pending microtasks. */
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  const end = async (index: number) => {
    begun[index]!.end();
    await settle();
  };
  return { clock, begun, add, end, reported: () => begun.map(({ by, rows }) => [by, rows]) };
}

describe("rows of requests that end together", () => {
  test("are written by the request that is already writing, and only that request waits", async () => {
    const { add, end, reported } = stage();
    const first = add(1);
    await Promise.all([add(2), add(3)]);
    expect(reported()).toEqual([["request 1", [1]]]);
    await end(0);
    expect(reported()).toEqual([
      ["request 1", [1]],
      ["request 1", [2, 3]],
    ]);
    await end(1);
    await first;
    void add(4);
    expect(reported().at(-1)).toEqual(["request 4", [4]]);
  });

  test("are written at most a thousand at a time", async () => {
    const { add, begun, end } = stage();
    void add(0);
    for (let row = 1; row <= 2500; row += 1) await add(row);
    for (let write = 0; write < 4; write += 1) await end(write);
    expect(begun.map(({ rows }) => rows.length)).toEqual([1, 1000, 1000, 500]);
    expect(begun.flatMap(({ rows }) => rows)).toEqual(Array.from({ length: 2501 }, (_, row) => row));
  });

  test("are written by the next request when a write hangs for five seconds", async () => {
    const { clock, add, end, reported } = stage();
    void add(1);
    await add(2);
    clock.nowMs += 4999;
    await add(3);
    expect(reported()).toHaveLength(1);
    clock.nowMs += 1;
    void add(4);
    expect(reported().at(-1)).toEqual(["request 4", [2, 3, 4]]);
    await end(0); // it did not hang after all: its rows were its own
    await end(1);
    expect(reported()).toHaveLength(2);
  });

  test("are taken over by the next request after ten seconds, and the first one ends", async () => {
    const { clock, add, end, reported } = stage();
    const first = add(1);
    for (const row of [2, 3, 4]) {
      await add(row);
      clock.nowMs += 3000;
      await end(row - 2);
    }
    clock.nowMs += 1000;
    void add(5);
    expect(reported().at(-1)).toEqual(["request 5", [5]]);
    await add(6);
    await end(3);
    await first;
    expect(reported()).toHaveLength(5);
    await end(4);
    expect(reported().at(-1)).toEqual(["request 5", [6]]);
  });

  test("are still written by the first request when no other takes over", async () => {
    const { clock, add, end, reported } = stage();
    void add(1);
    await add(2);
    clock.nowMs += 60_000;
    await end(0);
    expect(reported()).toEqual([
      ["request 1", [1]],
      ["request 1", [2]],
    ]);
  });
});
