/** The checks read encrypted media by its original format. The init segments are Sluice's own. */
import { beforeAll, describe, expect, test } from "vitest";
import { readInit } from "../../conformance/init-segment.ts";
import { protectInit } from "../../src/media/cenc/protect-init.ts";
import { cutAll } from "../support/cut-source.ts";

const PROTECTION = { keyId: "0f3b1c2d-4e5f-4a6b-8c7d-9e0f1a2b3c4d", iv: new Uint8Array(16), signals: [] };

/** With another type for each box of this type. */
function renamed(bytes: Uint8Array, type: string, other: string): Uint8Array {
  const text = Buffer.from(bytes).toString("latin1");
  return Buffer.from(text.replaceAll(type, other), "latin1");
}

describe.each([
  ["source-v", "encv", /^avc1\.[0-9a-f]{6}$/],
  ["source-a1", "enca", /^mp4a$/],
] as const)("the init segment of %s", (rendition, encryptedType, codec) => {
  let clear: Uint8Array;
  let encrypted: Uint8Array;
  beforeAll(async () => {
    clear = (await cutAll("test/fixtures/flower.mp4", rendition)).init;
    encrypted = protectInit(clear, PROTECTION);
  });

  test("says the same of the track when it is encrypted", () => {
    expect(Buffer.from(encrypted).includes(encryptedType)).toBe(true);
    expect(readInit(clear)?.tracks).toEqual([expect.objectContaining({ codec: expect.stringMatching(codec) })]);
    expect(readInit(encrypted)).toEqual(readInit(clear));
  });

  test.each(["sinf", "frma"])("has the encrypted entry's type when the %s is missing", (type) => {
    expect(readInit(renamed(encrypted, type, "free"))?.tracks[0]?.codec).toBe(encryptedType);
  });
});
