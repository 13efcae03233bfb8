import { expect, test } from "vitest";
import { editDistance, nearestName } from "../../../protocol/nearest-name.ts";

test.each([
  ["", "abc", 3],
  ["title", "title", 0],
  ["titel", "title", 1], // two neighbours swapped
  ["tile", "title", 1],
  ["titles", "title", 1],
  ["tatle", "title", 1],
  ["ca", "abc", 3], // no second edit of a swapped pair
])("the distance of %j and %j is %d, in both directions", (one, other, distance) => {
  expect([editDistance(one, other), editDistance(other, one)]).toEqual([distance, distance]);
});

const KNOWN = [
  "thresholdValue",
  "inputs",
  "accessPolicy",
  "title",
  "creatorId",
  "metadata",
  "url",
  "eventTypes",
  "eventTypesNotSent",
];
test.each([
  ["titel", "title"],
  ["Title", "title"],
  ["access_policy", "accessPolicy"],
  ["acces-policy", "accessPolicy"],
  ["eventType", "eventTypes"],
  ["uri", "url"],
  ["input", "inputs"],
  ["creator", "creatorId"],
  ["event", null], // two names begin so
  ["acc", "accessPolicy"],
  ["ac", null], // too short
  ["threshold", "thresholdValue"],
  ["treshold", "thresholdValue"],
  ["thresold", "thresholdValue"],
  ["eventt", null], // two names begin so
  ["mediaUrl", null],
  ["accent", null], // two mistakes in the beginning of a name
  ["colour", null],
  ["id", null],
  ["x", null],
  ["_", null],
  ["title".repeat(20), null],
])("near %j is %j", (name, nearest) => {
  expect(nearestName(name, KNOWN)).toBe(nearest);
});
