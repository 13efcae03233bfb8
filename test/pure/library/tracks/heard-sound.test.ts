import { expect, test } from "vitest";
import { heardSound } from "../../../../src/library/tracks/store/heard-sound.ts";

const sound = (name: string, isDefault = false) => ({ name, kind: "audio", origin: "encoded", isDefault }) as const;
const ROWS = [
  { name: "v720", kind: "video", origin: "encoded", isDefault: null } as const,
  sound("a1", true),
  sound("at-1"),
];

test.each([
  [null, "a1"],
  ["at-1", "at-1"],
  ["a7", "a1"], // the source's sounds are the same in an edit, under other names
  ["at-2", undefined],
])("of %s, %s is heard: an added sound has no substitute", (wanted, name) => {
  expect(heardSound(ROWS, wanted)?.name).toBe(name);
});
