/**
 * A bucket is migrated while the Worker is killed and its source fails, goes away and comes back: each video becomes one media, or fails with a
 * reason. `SOAK_SEED` repeats a run's order and pauses; `SOAK_ITEMS` makes it smaller.
 */
import { beforeAll, expect, test } from "vitest";
import { type ImportSoakResult, soakImports } from "../../support/imports/soak/soak.ts";

const seed = Number(process.env["SOAK_SEED"]) || Date.now() % 1_000_000;
const ITEMS = Number(process.env["SOAK_ITEMS"]) || 3000;
const LIMIT_MS = 2_400_000;
let result: ImportSoakResult;

beforeAll(async () => {
  const size = { items: ITEMS, seed, kills: 6, outages: 3, calmMs: [2_000, 10_000] as const, limitMs: LIMIT_MS };
  result = await soakImports(size);
  console.log(`seed ${seed}: ${JSON.stringify({ tookMs: Math.round(result.tookMs), counts: result.batch.counts })}`);
}, LIMIT_MS);

test("every item is ready, or failed with a reason", () => {
  const { batch, items } = result;
  expect([seed, batch.status, batch.problem]).toEqual([seed, "done", undefined]);
  expect(items).toHaveLength(ITEMS);
  const unended = items.filter(
    ({ status, error }) => status !== "ready" && !(status === "failed" && error !== undefined),
  );
  expect(unended).toEqual([]);
  const codes = items.flatMap(({ error }) => error?.code ?? []);
  expect(codes.filter((code) => code === "archived")).toHaveLength(ITEMS / 100);
  expect(batch.counts.ready).toBe(ITEMS - (3 * ITEMS) / 100);
});

test("no video has become two media, and none was lost", () => {
  const { items, stored, mapRows } = result;
  const mediaIds = items.flatMap(({ mediaId }) => mediaId ?? []);
  expect(new Set(mediaIds).size).toBe(mediaIds.length);
  expect(stored.mediaIds.toSorted()).toEqual(mediaIds.toSorted());
  expect(stored.claims).toBe(mediaIds.length);
  expect(stored.unreadyOfReadyItems).toBe(0);
  expect(mapRows).toBe(ITEMS);
});

test("the end is announced once", () => {
  expect(result.completed.stored).toBe(1);
  expect(result.completed.received).toHaveLength(1);
});
