/** The waiting list of starts: few at once, in order, and none waits without an end. */
import { env } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startMachine } from "../../../../src/library/assets/start-machine.ts";
import type { AssetForMachine } from "../../../../src/library/assets/repository.ts";

const MAX_WAIT_MS = 15_000;
const MAX_HOLD_MS = 30_000;
const started: string[] = [];
let endOf: Record<string, () => void>;

/** Machines whose starts last until the test ends them. */
const ASSET_MACHINE = {
  idFromName: (name: string) => name,
  get: (id: string) => ({
    async fetch() {
      started.push(id);
      await new Promise<void>((done) => (endOf[id] = done));
      return Response.json({ status: "processing" });
    },
  }),
} as unknown as typeof env.ASSET_MACHINE;
const start = (id: string) => startMachine({ ...env, ASSET_MACHINE }, { id } as AssetForMachine);

beforeEach(() => {
  started.length = 0;
  endOf = {};
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

test("two machines are started at once, the others in their order as slots become free", async () => {
  const starts = ["a", "b", "c", "d"].map(start);
  await settle();
  expect(started).toEqual(["a", "b"]);
  endOf["b"]!();
  await settle();
  expect(started).toEqual(["a", "b", "c"]);
  endOf["a"]!();
  endOf["c"]!();
  await settle();
  endOf["d"]!();
  await Promise.all(starts);
  expect(started).toEqual(["a", "b", "c", "d"]);
});

test("a start that has waited too long is dropped, and no slot is lost with it", async () => {
  const slow = ["a", "b"].map(start);
  const late = ["c", "d"].map(start);
  await vi.advanceTimersByTimeAsync(MAX_WAIT_MS);
  const next = start("e");
  await Promise.all(late);
  expect(started).toEqual(["a", "b"]);
  endOf["a"]!();
  endOf["b"]!();
  await Promise.all(slow);
  await settle();
  expect(started).toEqual(["a", "b", "e"]);
  endOf["e"]!();
  await next;
  const again = ["f", "g"].map(start);
  await settle();
  expect(started).toEqual(["a", "b", "e", "f", "g"]);
  for (const id of ["f", "g"]) endOf[id]!();
  await Promise.all(again);
});

test("starts that the runtime cancelled give their slots back", async () => {
  for (const id of ["a", "b"]) void start(id); // never end
  await vi.advanceTimersByTimeAsync(MAX_HOLD_MS - 1);
  const waits = start("c");
  await settle();
  expect(started).toEqual(["a", "b"]);
  await vi.advanceTimersByTimeAsync(1);
  const next = start("d");
  await settle();
  expect(started).toEqual(["a", "b", "c", "d"]);
  for (const id of ["c", "d"]) endOf[id]!();
  await Promise.all([waits, next]);
});
