import { describe, expect, test } from "vitest";
import { formatOfInit, type MediaFormat, queryOfInit } from "../../../protocol/init-facts.ts";
import { InitQuery } from "../../../protocol/live.ts";

const read = (query: URLSearchParams) => formatOfInit(InitQuery.parse(Object.fromEntries(query)));

describe("the format of an init segment in the query of its PUT", () => {
  test.each<[string, MediaFormat]>([
    ["a picture", { codec: "avc1.64001f", widthPx: 1280, heightPx: 720, frameRate: 30_000 / 1001 }],
    ["sound", { codec: "mp4a.40.2", widthPx: null, heightPx: null, frameRate: null }],
  ])("is read as it was sent, of %s", (_, format) => {
    expect(read(queryOfInit(format))).toEqual(format);
  });

  test("is absent in requests of gateways that do not send it", () => {
    expect(read(new URLSearchParams())).toBeNull();
  });
});
