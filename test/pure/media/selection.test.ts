import { describe, expect, test } from "vitest";
import { presentationOf } from "../../../src/media/manifest/model.ts";
import { canonicalSelection, readSelection, select } from "../../../src/media/manifest/selection.ts";
import { Problem } from "../../../src/platform/http/problems.ts";
import { audioRow, facts, videoRow } from "./rows.ts";

const a1 = audioRow("a1", [1]);
const landscape = [270, 480, 720, 1080].map((height) =>
  videoRow(`v${height}`, Math.round((height * 16) / 9), height, [1]),
);
const portrait = [270, 480, 720, 1080].map((width) => videoRow(`v${width}`, width, Math.round((width * 16) / 9), [1]));

const left = (query: string, rungs = landscape) =>
  select(presentationOf(facts("ready", [...rungs, a1]))!, readSelection(new URLSearchParams(query)))
    .videoSets.flat()
    .map((row) => row.name);

describe.each([
  ["landscape", landscape],
  ["portrait", portrait],
])("of a %s ladder", (_name, rungs) => {
  test.each([
    ["maxResolution=720p", ["v720", "v480", "v270"]],
    ["max_resolution=480p", ["v480", "v270"]],
    ["minResolution=720p&renditionOrder=asc", ["v720", "v1080"]],
    ["minResolution=480p&maxResolution=720p&renditionOrder=desc", ["v720", "v480"]],
    ["resolution=1080p", ["v1080"]],
    ["resolution=540p", ["v480"]],
  ])("%s leaves %s", (query, expected) => {
    expect(left(query, rungs)).toEqual(expected);
  });
});

test("a filter that nothing fits leaves the nearest rung", () => {
  expect(left("minResolution=1440p")).toEqual(["v1080"]);
  expect(left("maxResolution=240p")).toEqual(["v270"]);
});

test("a wide film is named by the box it fits into, as the ladder names it", () => {
  const film = [videoRow("v720", 1280, 534, [1]), videoRow("v1080", 1920, 800, [1])];
  expect(left("resolution=720p", film)).toEqual(["v720"]);
  expect(left("minResolution=1080p", film)).toEqual(["v1080"]);
});

test("without an order the first is one that starts quickly, then from the top", () => {
  expect(left("")).toEqual(["v720", "v1080", "v480", "v270"]);
});

test.each([
  ["minResolution=721p", ["minResolution"]],
  ["maxResolution=&resolution=big", ["maxResolution", "resolution"]],
  ["renditionOrder=up", ["renditionOrder"]],
  ["minResolution=1080p&maxResolution=480p", ["minResolution"]],
])("%s is refused, naming %s", (query, fields) => {
  const refusal = (() => {
    try {
      return readSelection(new URLSearchParams(query));
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(Problem);
  expect(refusal).toMatchObject({ code: "validation_failed", fields: fields.map((field) => ({ field })) });
});

test("the same question has one spelling, whatever else stands in the query", () => {
  const canonical = (query: string) => canonicalSelection(readSelection(new URLSearchParams(query)));
  expect(canonical("max_resolution=720p&utm=1")).toBe(canonical("cache=2&maxResolution=720p"));
  expect(canonical("utm=1")).toBe("");
});

test.each([
  ["maxresolution=480p", "maxresolution", "maxResolution"],
  ["maxResoluton=480p", "maxResoluton", "maxResolution"],
  ["rendition-order=asc", "rendition-order", "renditionOrder"],
  ["dvr_mode=true", "dvr_mode", "dvrMode"],
])("%s is refused, because all rungs would be the answer", (query, field, meant) => {
  const problem = { fields: [{ field, message: "is invalid", hint: `did you mean ${meant}?` }] };
  expect(() => readSelection(new URLSearchParams(query))).toThrow(expect.objectContaining(problem));
});

test.each([
  ["dvrMode", "the stream without its past"],
  ["recordingAtEnd", "the last minute of a broadcast"],
])("%s that is neither true nor false is refused, because %s would be the answer", (field) => {
  const problem = { fields: [{ field, message: "is invalid", hint: "must be one of true, false" }] };
  expect(() => readSelection(new URLSearchParams({ [field]: "yes" }))).toThrow(expect.objectContaining(problem));
});

test("parameters of players and caches are ignored", () => {
  const added =
    "token=a&start=1s&end=2s&_HLS_msn=4&dvrMode=true&recordingAtEnd=true&v=3&utm_source=x&session=1&playbackId=p&thumbnail-time=3";
  expect(canonicalSelection(readSelection(new URLSearchParams(added)))).toBe("");
});
