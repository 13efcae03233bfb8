import { expect, test } from "vitest";
import {
  MAX_BATCH,
  MAX_VIEWERS,
  MAX_VIEWERS_PER_ADDRESS,
  VIEWER_MS,
  ViewerBatch,
  ViewerWindow,
} from "../../../src/live/origin/viewer-window.ts";

test("a viewer counts once regardless of the number of requests, for at most 30 s", () => {
  const window = new ViewerWindow();
  window.see(["a", "b"], 0);
  window.see(["a"], 20_000);
  expect([window.count(29_999), window.count(30_000), window.count(49_999), window.count(50_000)]).toEqual([
    2, 1, 1, 0,
  ]);
});

test("a thousand viewers are reported in few batches, and each again after ten seconds", () => {
  const batch = new ViewerBatch();
  const reported: string[][] = [];
  for (let atMs = 0; atMs < 20_000; atMs += 10) {
    const due = batch.see(`viewer ${(atMs / 10) % 1000}`, atMs); // each asks every 10 s
    if (due !== null) reported.push(due);
  }
  expect(reported.length).toBeLessThanOrEqual(21);
  const times = new Map<string, number>();
  for (const viewer of reported.flat()) times.set(viewer, (times.get(viewer) ?? 0) + 1);
  expect([times.size, Math.max(...times.values())]).toEqual([1000, 2]);
});

test("user agents of one address count as at most eight viewers, and make room when they are gone", () => {
  const window = new ViewerWindow();
  const programs = (from: number) => Array.from({ length: 1000 }, (_, n) => `address.${from + n}`);
  window.see(programs(0), 0);
  window.see(["elsewhere.0"], 0);
  expect(window.count(1)).toBe(MAX_VIEWERS_PER_ADDRESS + 1);
  window.see(programs(1000), 10);
  expect(window.count(11)).toBe(MAX_VIEWERS_PER_ADDRESS + 1);
  expect(window.count(VIEWER_MS + 1)).toBe(0);
  window.see(programs(2000), VIEWER_MS + 2);
  expect(window.count(VIEWER_MS + 3)).toBe(MAX_VIEWERS_PER_ADDRESS);
});

test("a window and a batch hold a bounded number of viewers", () => {
  const window = new ViewerWindow();
  const everybody = Array.from({ length: MAX_VIEWERS + 500 }, (_, n) => `${n}.0`);
  window.see(everybody, 0);
  expect(window.count(1)).toBe(MAX_VIEWERS);
  const batch = new ViewerBatch();
  batch.see("first.0", 0);
  for (const viewer of everybody) batch.see(viewer, 10);
  expect(batch.see("last.0", 1000)!.length).toBeLessThanOrEqual(MAX_BATCH);
});
