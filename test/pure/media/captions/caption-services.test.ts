import { expect, test } from "vitest";
import { captionLanguages } from "../../../../protocol/media/captions/caption-services.ts";
import { captionTables } from "../../../support/cc-writer.ts";

const tables = captionTables([
  ["CC1", "eng"],
  ["CC3", "spa"],
  [1, "ENG"],
  [2, "fre"],
  [3, "\0\0\0"],
]);
const idle = Uint8Array.from({ length: 188 }, (_, n) => [0x47, 0x1f, 0xff, 0x10][n] ?? 0xff);

test("the languages of the channels are those that the program map announces, also when the file begins within a packet", () => {
  const expected = [
    ["CC1", "eng"],
    ["CC3", "spa"],
    ["SERVICE1", "eng"],
    ["SERVICE2", "fre"],
  ];
  const head = Uint8Array.from([...idle.subarray(40), ...idle, ...tables, ...idle]);
  expect([...captionLanguages(Uint8Array.from([...tables, ...idle]))]).toEqual(expected);
  expect([...captionLanguages(head)]).toEqual(expected);
});

test("damaged tables, and other files, announce what can be read or nothing", () => {
  for (let at = 0; at < tables.length; at += 1) {
    for (const value of [0, 0x7f, 0xff]) {
      const damaged = Uint8Array.from([...tables, ...idle]);
      damaged[at] = value;
      expect(captionLanguages(damaged).size).toBeLessThan(6);
    }
    expect(captionLanguages(tables.subarray(0, at)).size).toBe(0);
  }
  expect(captionLanguages(new Uint8Array(1 << 20)).size).toBe(0);
  expect(captionLanguages(Uint8Array.from({ length: 1 << 20 }, () => 0x47)).size).toBe(0);
});
