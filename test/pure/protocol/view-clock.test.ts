import { expect, test } from "vitest";
import { ViewClock } from "../../../protocol/view-clock.ts";

test("startup, play, stall, seek and pause each take their time, and a pause is not watched", () => {
  const clock = new ViewClock(1000);
  clock.waiting(1100); // before the first picture: startup
  clock.playing(1400);
  clock.waiting(2400);
  clock.playing(2700);
  clock.seeking(3700);
  clock.waiting(3750); // after a seek: part of it
  clock.playing(3900);
  clock.paused(4900);
  expect(clock.isPaused).toBe(true);
  expect(clock.read(60_000)).toEqual({ watchMs: 3900, seekMs: 200, rebufferMs: 300 });
  expect([clock.startupMs, clock.seekCount, clock.rebufferCount]).toEqual([400, 1, 1]);
});

test("a seek while paused ends with it, and one that is dragged on counts once", () => {
  const clock = new ViewClock(0);
  clock.seeking(10); // before the first picture
  clock.playing(100);
  clock.paused(1100);
  for (const atMs of [2000, 2050, 2100]) clock.seeking(atMs);
  clock.seeked(2200, true);
  expect(clock.read(9000)).toEqual({ watchMs: 1300, seekMs: 200, rebufferMs: 0 });
  expect(clock.seekCount).toBe(1);
});

test("a pause before the first picture belongs to the startup, and time never runs backwards", () => {
  const clock = new ViewClock(1000);
  clock.paused(1200);
  clock.playing(1500);
  clock.paused(900);
  expect(clock.startupMs).toBe(500);
  expect(clock.read(900).watchMs).toBe(500);
});
