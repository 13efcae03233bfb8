import { describe, expect, test } from "vitest";
import { planGrid, planLadder, resolutionLabel } from "../../../../protocol/ladder.ts";
import { planChunks } from "../../../../src/library/encoding/plan.ts";

const fps = (num: number, den = 1) => ({ num, den });
const sizes = (widthPx: number, heightPx: number, max: Parameters<typeof planLadder>[2] = "1080p") =>
  planLadder({ widthPx, heightPx }, fps(30), max, "standard").map(
    ({ name, widthPx: width, heightPx: height }) => `${name} ${width}x${height}`,
  );

describe("a ladder", () => {
  const cases: [string, [number, number], string[]][] = [
    ["of 1080p has four rungs", [1920, 1080], ["v1080 1920x1080", "v720 1280x720", "v480 854x480", "v270 480x270"]],
    [
      "of a portrait video is portrait",
      [1080, 1920],
      ["v1080 1080x1920", "v720 720x1280", "v480 480x854", "v270 270x480"],
    ],
    ["of a wide film keeps its aspect", [800, 332], ["v480 800x332", "v270 480x200"]],
    ["of an odd size is even and never larger", [853, 479], ["v480 852x478", "v270 480x270"]],
    ["of 16×16 is that one picture", [16, 16], ["v270 16x16"]],
    ["leaves out a rung close to the one above", [500, 280], ["v480 500x280"]],
    [
      "of 4K is capped by the requested resolution",
      [3840, 2160],
      ["v1080 1920x1080", "v720 1280x720", "v480 854x480", "v270 480x270"],
    ],
  ];
  test.each(cases)("%s", (_, [width, height], expected) => expect(sizes(width, height)).toEqual(expected));

  test("goes up to the requested resolution where the source has it", () => {
    expect(sizes(3840, 2160, "2160p")[0]).toBe("v2160 3840x2160");
    expect(sizes(3840, 2160, "480p")).toEqual(["v480 854x480", "v270 480x270"]);
  });

  test("has higher rates for high frame rates and better qualities", () => {
    const rate = (num: number, quality: Parameters<typeof planLadder>[3]) =>
      planLadder({ widthPx: 1280, heightPx: 720 }, fps(num), "1080p", quality)[0]?.maxBitrateBps ?? 0;
    expect(rate(60, "standard")).toBe(rate(30, "standard") * 1.5);
    expect(rate(30, "premium")).toBeGreaterThan(rate(30, "pro"));
  });
});

test.each([
  [[800, 332], "480p"],
  [[1280, 720], "720p"],
  [[1080, 1920], "1080p"],
  [[7680, 4320], "2160p"],
  [[16, 16], "480p"],
] as const)("a frame of %j is labelled %s", ([widthPx, heightPx], label) =>
  expect(resolutionLabel({ widthPx, heightPx })).toBe(label),
);

test.each([
  [fps(25), 50],
  [fps(30_000, 1001), 60],
  [fps(24_000, 1001), 48],
  [fps(60_000, 1001), 120],
  [fps(1, 10), 1],
])("a GOP at %j is %i frames", (rate, frames) => expect(planGrid(rate).framesPerGop).toBe(frames));

describe("chunks", () => {
  test.each([1, 99, 100, 101, 1499, 1600, 2300, 2301, 43_200 * 25])(
    "of %i frames meet without gap or overlap at segment boundaries",
    (frameCount) => {
      const grid = planGrid(fps(25));
      const chunks = planChunks(frameCount, grid, true);
      let next = 0;
      for (const chunk of chunks) {
        expect(chunk.firstFrame).toBe(next);
        expect(chunk.firstFrame % grid.framesPerSegment).toBe(0);
        expect(chunk.firstSegment).toBe(chunk.firstFrame / grid.framesPerSegment);
        expect(chunk.frameCount).toBeGreaterThan(0);
        next += chunk.frameCount;
      }
      expect(next).toBe(frameCount);
      expect(chunks[0]?.frameCount).toBeLessThanOrEqual(grid.framesPerSegment);
    },
  );

  test.each([
    ["grow while somebody may wait for them", true, [1, 2, 6, 15, 17]],
    ["are a minute each when the source plays already", false, [15, 15, 11]],
  ])("%s", (_, isAwaited, segments) => {
    const grid = planGrid(fps(25));
    const chunks = planChunks(41 * grid.framesPerSegment, grid, isAwaited);
    expect(chunks.map(({ frameCount }) => frameCount / grid.framesPerSegment)).toEqual(segments);
  });
});
