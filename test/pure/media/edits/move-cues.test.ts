import { expect, test } from "vitest";
import { moveCues, placeTakes } from "../../../../src/media/edits/move-cues.ts";

const cue = (startMs: number, endMs: number, text: string) => ({ startMs, endMs, text, settings: "" });
const take = (file: number, startMs: number, durationMs: number) => ({
  file,
  clip: { startMs, endMs: null },
  durationMs,
});

/** An intro of 2 s, the film without its seconds 4 to 6, with a clip of 1 s put in at 2. */
const TAKES = placeTakes([
  take(1, 0, 2000),
  take(0, 0, 2000),
  take(2, 0, 1000),
  take(0, 2000, 2000),
  take(0, 6000, 4000),
]);

test("captions are where their pictures are", () => {
  const film = [cue(500, 1500, "a"), cue(2500, 3500, "b"), cue(7000, 8000, "c")];
  expect(moveCues(film, 0, TAKES)).toEqual([cue(2500, 3500, "a"), cue(5500, 6500, "b"), cue(8000, 9000, "c")]);
  expect(moveCues([cue(100, 900, "ad")], 2, TAKES)).toEqual([cue(4100, 4900, "ad")]);
});

test("captions are cut where their range ends, split by what is put in, and left out with what is cut out", () => {
  const film = [cue(1500, 2500, "split"), cue(3500, 5000, "cut"), cue(4200, 5800, "gone"), cue(5500, 6500, "late")];
  expect(moveCues(film, 0, TAKES)).toEqual([
    cue(3500, 4000, "split"),
    cue(5000, 5500, "split"),
    cue(6500, 7000, "cut"),
    cue(7000, 7500, "late"),
  ]);
});

test("more captions than a track may have are refused before they are made", () => {
  const film = Array.from({ length: 20_000 }, (_, n) => cue(0, 10_000, `${n}`));
  const takes = placeTakes(Array.from({ length: 200 }, () => take(0, 3000, 100)));
  expect(() => moveCues(film, 0, takes)).toThrow(expect.objectContaining({ code: "captions_too_large" }));
  expect(moveCues(film, 0, takes.slice(0, 5))).toHaveLength(100_000);
});

test("captions of a file that is shown twice are shown twice, by their time in the output", () => {
  const takes = placeTakes([take(0, 5000, 1000), take(0, 0, 1000)]);
  expect(moveCues([cue(0, 500, "start"), cue(5000, 5500, "later")], 0, takes)).toEqual([
    cue(0, 500, "later"),
    cue(1000, 1500, "start"),
  ]);
});
