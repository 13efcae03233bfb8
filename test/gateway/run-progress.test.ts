import type { RunState } from "../../encoder/live/run-state.ts";
import { expect, test } from "vitest";
import { RunProgress } from "../../encoder/gateway/reception/run-progress.ts";
import { planLiveGrid } from "../../encoder/live/live-grid.ts";
import type { PartFacts } from "../../encoder/live/output.ts";
import type { VideoRung } from "../../protocol/jobs.ts";

const RUNGS = ["v480", "v270"].map((name): VideoRung => ({
  name,
  widthPx: 480,
  heightPx: 270,
  crf: 23,
  maxBitrateBps: 1e6,
  preset: "veryfast",
}));
const STATE: RunState = {
  start: { msn: 5, isDiscontinuous: false, initVersion: 2, seconds: 10, ticks: {} },
  zeroSeconds: 100,
  interleaveSeconds: 1.2,
  grid: planLiveGrid(30, [], { segmentMs: 2000, partTargetMs: 500 }),
  isFirstShort: false,
  ladder: RUNGS,
  rungs: RUNGS,
  copied: null,
  codecs: [],
  sounds: [],
  inits: [],
};

/** Publishes a rendition up to this time of the run. */
const part = (rendition: string, endSeconds: number): PartFacts => ({
  rendition,
  msn: 5,
  part: 0,
  durationTicks: 60_000,
  decodeTicks: (10 + endSeconds) * 120_000 - 60_000,
  isIndependent: true,
  isLast: false,
  capturedAtMs: 1,
  isDiscontinuous: false,
  initVersion: 2,
});

function running(): RunProgress {
  const progress = new RunProgress();
  for (let second = 0; second < 4; second += 1)
    progress.onKey({ seconds: 100 + second, position: second * 1000, soundShifts: { a1: second } });
  progress.onRun(STATE);
  return progress;
}

test("the source is needed from the newest key frame before the slowest rung's last part, less the interleaving", () => {
  const progress = running();
  expect(progress.neededFrom()).toBeNull(); // nothing is published, so all of it is needed
  progress.onPart(part("v480", 3.5));
  expect(progress.neededFrom()).toBeNull();
  progress.onPart(part("v270", 2.3)); // 1.1 s of the run
  expect(progress.neededFrom()).toBe(1000);
  progress.onPart(part("v270", 3.5));
  expect(progress.neededFrom()).toBe(2000);
  expect(progress.continuation()).toMatchObject({ run: STATE, soundShifts: { a1: 3 } });
});

test("a dropped rung does not count", () => {
  const progress = running();
  progress.onPart(part("v270", 3.5));
  progress.onRungDropped("v480");
  expect(progress.neededFrom()).toBe(2000);
  expect(progress.continuation()!.dropped).toEqual(["v480"]);
});

test("the last parts of a run, which follow its end, do not count for the next run", () => {
  const progress = running();
  progress.onRun(null);
  progress.onPart(part("v480", 3.9));
  progress.onRun({ ...STATE, start: { ...STATE.start, msn: 9, seconds: 20 } });
  progress.onKey({ seconds: 110, position: 9000, soundShifts: {} });
  expect(progress.continuation()!.progress).toEqual([]);
});

test("between two runs there is no continuation; at most two consecutive continuations may produce no part", () => {
  const progress = running();
  progress.onRun(null);
  expect(progress.continuation()).toBeNull();
  progress.onRun(STATE);
  expect(
    [progress.continuation(), progress.continuation(), progress.continuation()].map((one) => one !== null),
  ).toEqual([true, true, false]);
  progress.onPart(part("v480", 1));
  expect(progress.continuation()).not.toBeNull();
});
