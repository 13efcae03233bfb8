import { describe, expect, test } from "vitest";
import { hotspotsOf } from "../../../src/analytics/engagement/hotspots.ts";
import { addWatched, IntervalCounts } from "../../../src/analytics/store/interval-counts.ts";
import type { TimelineEvent } from "../../../src/analytics/views/view-event.ts";
import { watchedRanges } from "../../../src/analytics/views/watched-ranges.ts";

/** Events as `name@time` or `name@time=playhead`, in seconds. */
const timeline = (text: string): TimelineEvent[] =>
  text.split(" ").map((word) => {
    const [, name, time, playhead] = /^(\w+)@([\d.]+)(?:=([\d.]+))?$/.exec(word)!;
    return { e: name!, vt: Number(time) * 1000, pt: playhead === undefined ? null : Number(playhead) * 1000 };
  });
const rangesOf = (text: string) => watchedRanges(timeline(text)).map((range) => range.map((ms) => ms / 1000));

describe("what a view has watched:", () => {
  test.each<[string, string, number[][]]>([
    ["from its first picture to its end", "viewBegin@0 play@0=0 playing@1=0 viewCompleted@11=10", [[0, 10, 1, 11]]],
    ["not its pauses", "playing@0=0 pause@4=4 playing@9=4 ended@15=10", [[0, 4, 0, 4], [4, 10, 9, 15]]], // prettier-ignore
    [
      "not its stalls",
      "playing@0=0 waiting@2=2 playing@5=2 ended@8=5",
      [
        [0, 2, 0, 2],
        [2, 5, 5, 8],
      ],
    ],
    [
      "not what a seek skips",
      "playing@0=0 seeking@3=20 seeked@4=20 playing@4=20 ended@9=25",
      [
        [0, 3, 0, 3],
        [20, 25, 4, 9],
      ],
    ],
    [
      "a part again after a seek back",
      "playing@0=0 seeking@6=1 seeked@6=1 playing@6=1 ended@9=4",
      [
        [0, 6, 0, 6],
        [1, 4, 6, 9],
      ],
    ],
    ["twice as much at double speed", "playing@0=0 pulse@10=20 ended@20=40", [[0, 40, 0, 20]]],
    [
      "in real time when the player states no playhead",
      "playing@3 pause@8 playing@20 ended@22",
      [
        [0, 5, 3, 8],
        [5, 7, 20, 22],
      ],
    ],
    [
      "on both sides of a jump that no event reports",
      "playing@0=0 pulse@5=5 pulse@10=300 ended@15=305",
      [
        [0, 10, 0, 10],
        [300, 305, 10, 15],
      ],
    ],
    ["nothing after its last event", "playing@0=0 pulse@10=10", [[0, 10, 0, 10]]],
    ["nothing before a picture", "viewBegin@0 play@0=0 error@3=0", []],
  ])("%s", (_, events, expected) => {
    expect(rangesOf(events)).toEqual(expected);
  });
});

describe("an interval", () => {
  const count = (...views: [number, number][][]) => {
    const counts = new IntervalCounts({ originMs: 0, intervalMs: 1000, intervals: 5 });
    for (const ranges of views) counts.add(ranges);
    return counts.read();
  };

  test("is watched by a view when its middle is", () => {
    expect(count([[0, 2500]], [[600, 1499]], [[4400, 9000]])).toEqual({
      totalViews: 3,
      views: [1, 1, 0, 0, 1],
      plays: [1, 1, 0, 0, 1],
    });
  });

  test("that a view watches twice has one view and two plays", () => {
    expect(
      count([
        [0, 4000],
        [1000, 3000],
        [2000, 3000],
      ]),
    ).toEqual({
      totalViews: 1,
      views: [1, 1, 1, 1, 0],
      plays: [1, 2, 3, 1, 0],
    });
  });

  test("has the sum of all stores", () => {
    const [one, other] = [count([[0, 1000]]), count([[0, 5000]])];
    expect(addWatched([one, other], 5)).toEqual({ totalViews: 2, views: [2, 1, 1, 1, 1], plays: [2, 1, 1, 1, 1] });
    expect(addWatched([], 2)).toEqual({ totalViews: 0, views: [0, 0], plays: [0, 0] });
  });
});

describe("hotspots", () => {
  test("are the parts that are watched unusually often, the most watched first", () => {
    const plays = [10, 10, 30, 32, 10, 10, 10, 50, 10, 10];
    expect(hotspotsOf(plays, 500, 1000)).toEqual([
      { startMs: 7500, endMs: 8500, plays: 50 },
      { startMs: 3500, endMs: 4500, plays: 32 },
    ]);
  });

  test("do not exist if all seconds are watched equally often", () => {
    expect(hotspotsOf([7, 7, 7], 0, 1000)).toEqual([]);
    expect(hotspotsOf([], 0, 1000)).toEqual([]);
  });
});
