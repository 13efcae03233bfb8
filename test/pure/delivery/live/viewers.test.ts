import { expect, test } from "vitest";
import { ViewerBatch, ViewerWindow } from "../../../../src/delivery/live/viewer-window.ts";

test("a viewer counts once however often they are seen, and no longer than 30 s", () => {
  const window = new ViewerWindow();
  window.see(["a", "b"], 0);
  window.see(["a"], 20_000);
  expect([window.count(29_999), window.count(30_000), window.count(49_999), window.count(50_000)]).toEqual([
    2, 1, 1, 0,
  ]);
});

test("a thousand viewers are told of in few batches, each of them again after ten seconds", () => {
  const batch = new ViewerBatch();
  const told: string[][] = [];
  for (let atMs = 0; atMs < 20_000; atMs += 10) {
    const due = batch.see(`viewer ${(atMs / 10) % 1000}`, atMs); // each asks every 10 s
    if (due !== null) told.push(due);
  }
  expect(told.length).toBeLessThanOrEqual(21);
  const times = new Map<string, number>();
  for (const viewer of told.flat()) times.set(viewer, (times.get(viewer) ?? 0) + 1);
  expect([times.size, Math.max(...times.values())]).toEqual([1000, 2]);
});
