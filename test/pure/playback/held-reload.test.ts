import { expect, test } from "vitest";
import { holdReload } from "../../../src/playback/held-reload.ts";

const listOf = (segmentCount: number, isComplete = false) => ({ list: { segmentCount, isComplete } });
const neverLooks = () => Promise.reject(new Error("the asset was looked at again"));

test.each([
  ["a growing playlist with two segments", listOf(2), "_HLS_msn=2"], // Shaka could switch renditions meanwhile
  ["a complete playlist", listOf(1, true), "_HLS_msn=1"],
  ["a playlist that has the segment", listOf(1), "_HLS_msn=0"],
  ["a reload without directives", listOf(1), ""],
])("%s is answered at once", async (_, first, query) => {
  expect(await holdReload(new URLSearchParams(query), first, neverLooks)).toBe(first);
});

test("a growing playlist with one segment is answered when it has more", async () => {
  const looks = [listOf(1), listOf(2)];
  const answered = await holdReload(new URLSearchParams("_HLS_msn=1"), listOf(1), async () => looks.shift()!);
  expect(answered).toEqual(listOf(2));
});
