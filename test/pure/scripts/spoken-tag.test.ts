import { expect, test } from "vitest";
import { spokenTag } from "../../../sdk/cli/commands/spoken-tag.ts";
import { SUBTITLE_LANGUAGES } from "../../../src/library/tracks/store/fields.ts";

test("every language of generated captions can be asked for without its region", () => {
  for (const tag of SUBTITLE_LANGUAGES) expect(SUBTITLE_LANGUAGES).toContain(spokenTag(tag.split("-")[0]!));
  expect(["de", "EN", "pt"].map(spokenTag)).toEqual(["de-DE", "en-US", "pt-BR"]);
});

test("what has a region, or is none, stays: the platform judges it", () => {
  expect(["de-CH", "xx", "English", ""].map(spokenTag)).toEqual(["de-CH", expect.any(String), "English", ""]);
});
