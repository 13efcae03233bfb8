import { afterAll, beforeAll, expect, test } from "vitest";
import { TestEncoder } from "../support/encoder.ts";
import { makeSource } from "../support/sources.ts";

let encoder: TestEncoder;
beforeAll(async () => {
  encoder = await TestEncoder.start();
});
afterAll(() => encoder.stop());

test.each(["cover-track", "cover-track-ts", "disabled-track"] as const)(
  "the film is chosen among the video tracks of %s, although another one is larger",
  async (name) => {
    const { video } = await encoder.probe(await makeSource(name));
    expect(video).toMatchObject({ widthPx: 320, heightPx: 240, codec: "h264", frameRate: { num: 30, den: 1 } });
    expect(video!.durationMs).toBeGreaterThan(900);
  },
);
