import { describe, expect, test } from "vitest";
import { mediaListOf, type Presentation, presentationOf } from "../../../src/media/manifest/model.ts";
import { audioRow, facts, growing, source, videoRow } from "./rows.ts";

const MB = 1_000_000;
const sourceVideo = source(videoRow("source-v", 1920, 1080, [4 * MB, 4 * MB, 4 * MB]));
const sourceAudio = source(audioRow("source-a1", [60_000, 60_000, 60_000]));
const v720 = videoRow("v720", 1280, 720, [MB, MB, MB]);
const v270 = videoRow("v270", 480, 270, [100_000, 100_000, 100_000]);
const a1 = audioRow("a1", [64_000, 64_000, 64_000]);

const names = (presentation: Presentation | null) =>
  presentation && {
    video: presentation.videoSets.map((set) => set.map((row) => row.name)),
    audio: presentation.audio.map((row) => row.name),
    isComplete: presentation.isComplete,
  };

describe("while an asset is processed", () => {
  test("a standard source plays before anything is encoded", () => {
    expect(names(presentationOf(facts("processing", [sourceVideo, sourceAudio])))).toEqual({
      video: [["source-v"]],
      audio: ["source-a1"],
      isComplete: true,
    });
  });

  test("a rung joins when it is whole, apart from the source, with whose segments its own do not align", () => {
    const rows = [sourceVideo, sourceAudio, v270, growing(v720), a1];
    expect(names(presentationOf(facts("processing", rows)))).toEqual({
      video: [["source-v"], ["v270"]],
      audio: ["a1"],
      isComplete: true,
    });
  });

  test("the ladder's sound replaces the source's only when all of it is there", () => {
    const french = source(audioRow("source-a2", [1, 1, 1]));
    const rows = [sourceVideo, sourceAudio, french, a1];
    expect(names(presentationOf({ ...facts("processing", rows), audioTrackCount: 2 }))?.audio).toEqual([
      "source-a1",
      "source-a2",
    ]);
  });

  test("without passthrough the growing rungs play, all to the same moment", () => {
    const short = { ...growing(v270), segments: { durationTicks: [100, 100], bytes: [1, 1], keyframes: [[], []] } };
    const presentation = presentationOf(facts("processing", [growing(v720), short, a1]));
    expect(names(presentation)).toEqual({ video: [["v720", "v270"]], audio: ["a1"], isComplete: false });
    expect(presentation?.endSeconds).toBe(8);
  });

  test("nothing plays before the sound of a source that has sound", () => {
    expect(presentationOf(facts("processing", [growing(v720)]))).toBeNull();
    expect(presentationOf(facts("processing", [v720, v270]))).toBeNull();
    expect(presentationOf(facts("processing", []))).toBeNull();
  });

  test("sound does not play alone when a picture is on its way, and does when there is none", () => {
    const sound = facts("processing", [a1]);
    expect(presentationOf({ ...sound, videoTrackCount: 1 })).toBeNull();
    expect(names(presentationOf(sound))).toEqual({ video: [], audio: ["a1"], isComplete: true });
  });
});

describe("a ready asset", () => {
  test("offers the ladder alone", () => {
    expect(names(presentationOf(facts("ready", [sourceVideo, sourceAudio, v720, v270, a1])))).toEqual({
      video: [["v720", "v270"]],
      audio: ["a1"],
      isComplete: true,
    });
  });

  test("keeps a source cut on the ladder's grid as its top rung", () => {
    const top = { ...sourceVideo, isTopRung: true };
    expect(names(presentationOf(facts("ready", [top, sourceAudio, v720, a1])))).toEqual({
      video: [["source-v", "v720"]],
      audio: ["a1"],
      isComplete: true,
    });
  });

  test("plays without picture when there is none", () => {
    expect(names(presentationOf(facts("ready", [a1])))).toEqual({ video: [], audio: ["a1"], isComplete: true });
  });

  test("goes on serving the source to those who are watching it", () => {
    expect(mediaListOf(facts("ready", [sourceVideo, sourceAudio, v720, a1]), "source-v")).toMatchObject({
      isComplete: true,
      segmentCount: 3,
    });
  });
});

test("an errored asset plays nothing, whatever was made of it", () => {
  expect(presentationOf(facts("errored", [sourceVideo, sourceAudio, v720, a1]))).toBeNull();
});

describe("a media playlist", () => {
  test("of a growing rung tells of no segment that another rung has not reached, nor does its sound", () => {
    const short = { ...growing(v270), segments: { durationTicks: [100], bytes: [1], keyframes: [[]] } };
    const asset = facts("processing", [growing(v720), short, a1]);
    for (const name of ["v720", "v270", "a1"]) {
      expect({ name, ...mediaListOf(asset, name) }).toMatchObject({ name, isComplete: false, segmentCount: 1 });
    }
  });

  test("that was complete stays the same through every later state", () => {
    const first = mediaListOf(facts("processing", [sourceVideo, sourceAudio]), "source-v");
    for (const later of [
      facts("processing", [sourceVideo, sourceAudio, v270, a1]),
      facts("processing", [sourceVideo, sourceAudio, v270, growing(v720), a1]),
      facts("ready", [sourceVideo, sourceAudio, v270, v720, a1]),
    ]) {
      expect(mediaListOf(later, "source-v")).toEqual(first);
    }
  });

  test("of the ladder ends with the source when it would end a frame later", () => {
    const ladder = { ...v720, segments: { ...v720.segments, durationTicks: [100, 100, 101] } };
    expect(mediaListOf(facts("ready", [sourceVideo, sourceAudio, ladder, a1]), "v720")?.durationTicks).toEqual([
      100, 100, 100,
    ]);
    expect(mediaListOf(facts("ready", [ladder, a1]), "v720")?.durationTicks).toEqual([100, 100, 101]);
  });

  test("does not exist for an unknown name", () => {
    expect(mediaListOf(facts("ready", [v720, a1]), "v1080")).toBeNull();
  });
});
