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
  test("a standard source is playable before anything is encoded", () => {
    expect(names(presentationOf(facts("processing", [sourceVideo, sourceAudio])))).toEqual({
      video: [["source-v"]],
      audio: ["source-a1"],
      isComplete: true,
    });
  });

  test("a whole rung is added in a set apart from the source, whose segments are not aligned with it", () => {
    const rows = [sourceVideo, sourceAudio, v270, growing(v720), a1];
    expect(names(presentationOf(facts("processing", rows)))).toEqual({
      video: [["source-v"], ["v270"]],
      audio: ["a1"],
      isComplete: true,
    });
  });

  test("the ladder's audio replaces the source's only when all its tracks are whole", () => {
    const french = source(audioRow("source-a2", [1, 1, 1]));
    const rows = [sourceVideo, sourceAudio, french, a1];
    expect(names(presentationOf({ ...facts("processing", rows), audioTrackCount: 2 }))?.audio).toEqual([
      "source-a1",
      "source-a2",
    ]);
  });

  test("without passthrough the growing rungs are offered up to a common end", () => {
    const short = { ...growing(v270), segments: { durationTicks: [100, 100], bytes: [1, 1], keyframes: [[], []] } };
    const presentation = presentationOf(facts("processing", [growing(v720), short, a1]));
    expect(names(presentation)).toEqual({ video: [["v720", "v270"]], audio: ["a1"], isComplete: false });
    expect(presentation?.endSeconds).toBe(8);
  });

  test("nothing is offered before the audio of a source with audio", () => {
    expect(presentationOf(facts("processing", [growing(v720)]))).toBeNull();
    expect(presentationOf(facts("processing", [v720, v270]))).toBeNull();
    expect(presentationOf(facts("processing", []))).toBeNull();
  });

  test("audio is not offered alone while video is to come, and is when the source has none", () => {
    const sound = facts("processing", [a1]);
    expect(presentationOf({ ...sound, videoTrackCount: 1 })).toBeNull();
    expect(names(presentationOf(sound))).toEqual({ video: [], audio: ["a1"], isComplete: true });
  });
});

describe("a ready asset", () => {
  test("offers only the ladder", () => {
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

  test("is playable without video when the source has none", () => {
    expect(names(presentationOf(facts("ready", [a1])))).toEqual({ video: [], audio: ["a1"], isComplete: true });
  });

  test("continues to serve the source to players that have started it", () => {
    expect(mediaListOf(facts("ready", [sourceVideo, sourceAudio, v720, a1]), "source-v")).toMatchObject({
      isComplete: true,
      segmentCount: 3,
    });
  });
});

test("an errored asset offers nothing, even with finished renditions", () => {
  expect(presentationOf(facts("errored", [sourceVideo, sourceAudio, v720, a1]))).toBeNull();
});

describe("a media playlist", () => {
  test("of a growing rung, or its audio, lists no segment that another rung has not reached", () => {
    const short = { ...growing(v270), segments: { durationTicks: [100], bytes: [1], keyframes: [[]] } };
    const asset = facts("processing", [growing(v720), short, a1]);
    for (const name of ["v720", "v270", "a1"]) {
      expect({ name, ...mediaListOf(asset, name) }).toMatchObject({ name, isComplete: false, segmentCount: 1 });
    }
  });

  test("that was complete is the same in every later state", () => {
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
