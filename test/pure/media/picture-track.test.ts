import { describe, expect, test } from "vitest";
import { bestPictureTracks } from "../../../protocol/media/picture-track.ts";
import { indexSource } from "../../../src/media/mp4/index-source.ts";
import { clip, patched, readerOf, withTrackLike } from "./mp4-surgery.ts";

describe("of several video tracks", () => {
  const film = { name: "film", pictureCount: 150, isEnabled: true };
  const still = { name: "still", pictureCount: 1, isEnabled: true };
  const hidden = { name: "hidden", pictureCount: 150, isEnabled: false };
  const best = (...tracks: (typeof film)[]) => bestPictureTracks(tracks).map(({ name }) => name);

  test("one that moves is before a still picture, enabled or not", () => {
    expect(best(still, film)).toEqual(["film"]);
    expect(best(still, hidden)).toEqual(["hidden"]);
  });

  test("an enabled one is before one that is not", () => {
    expect(best(hidden, film)).toEqual(["film"]);
    expect(best(hidden, still, film)).toEqual(["film"]);
  });

  test("a still picture is one when nothing moves", () => expect(best(still)).toEqual(["still"]));

  test("others are equal", () => expect(best(film, { ...film, name: "angle" })).toEqual(["film", "angle"]));
});

describe("passthrough shows the track of the ladder:", () => {
  const flower = clip("flower");
  const verdict = async (bytes: Uint8Array) => {
    const source = await indexSource(readerOf(bytes).reader);
    return source.standard ? "standard" : source.reason;
  };
  const disabled = (trak: Uint8Array) => patched(trak, "tkhd", 8, 0);
  const still = (trak: Uint8Array) => patched(patched(trak, "stsz", 16, 1), "stts", 16, 1);
  const filmIsDisabled = (bytes: Uint8Array) => patched(bytes, "tkhd", 8, 0);

  test("a disabled second film and a still picture are left out", async () => {
    expect(await verdict(withTrackLike(flower, disabled))).toBe("standard");
    expect(await verdict(withTrackLike(flower, still))).toBe("standard");
  });

  test("two enabled films are not standard", async () => {
    expect(await verdict(withTrackLike(flower, (trak) => trak))).toBe("several pictures");
  });

  test("an enabled still picture beside a disabled film is not standard, because the ladder shows the film", async () => {
    expect(await verdict(filmIsDisabled(withTrackLike(flower, still)))).toBe("no picture");
  });
});
