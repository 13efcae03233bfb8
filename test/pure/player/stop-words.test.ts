import { expect, test } from "vitest";
import { stopWords } from "../../../player/stop-words.ts";

const headings = (...reasons: string[]) => reasons.map((reason) => stopWords(reason, "widevine", true).heading);

test("a page without the key system names those that the media has, and does not offer to try again", () => {
  expect(stopWords("keySystemNoAccess", "widevine fairplay", true)).toEqual({
    heading: "This browser cannot play this video",
    text: "It is protected with Widevine or FairPlay, which this browser lacks.",
    mayRetry: false,
  });
  expect(stopWords("keySystemNoAccess", "widevine", false).text).toContain("HTTPS");
});

test("every reason has words of its own kind, and an unknown one those for all", () => {
  expect(headings("keySystemLicenseRequestFailed", "keySystemStatusOutputRestricted", "fragLoadError", "3")).toEqual([
    "This video could not be unlocked",
    "This screen cannot show this video",
    "Playback stopped",
    "Playback stopped",
  ]);
  expect(stopWords("manifestIncompatibleCodecsError", "", true).mayRetry).toBe(false);
});
