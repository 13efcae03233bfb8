import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestEncoder } from "../support/encoder.ts";
import { referencePictures } from "../support/reference.ts";
import { decodePictures, gridFor, psnr, rungFor } from "../support/rendition.ts";
import { makeSource, type SourceName } from "../support/sources.ts";

let encoder: TestEncoder;
beforeAll(async () => {
  encoder = await TestEncoder.start();
});
afterAll(() => encoder.stop());

const FLOWER_DB = 31;

/** The pictures of the first chunk of a second. */
async function firstPictures(name: SourceName, widthPx: number, heightPx: number) {
  const path = await makeSource(name);
  const facts = await encoder.probe(path);
  const grid = gridFor(facts);
  const job = { video: facts.video!, grid, firstFrame: 0, frameCount: grid.framesPerSegment, firstSegment: 0 };
  const { desk } = await encoder.encodeVideo(path, { ...job, rungs: [rungFor(widthPx, heightPx)] });
  const pictures = await decodePictures(Buffer.concat([desk.objects.get("v/init.mp4")!, desk.objects.get("v/0.m4s")!]));
  return { video: facts.video!, pictures };
}

describe("a display matrix that mirrors is applied as a whole:", () => {
  const [width, height] = [320, 180];
  /** The luma at a place of the displayed picture, by ISO/IEC 14496-12 §6.2.2, where the origin is moved so that the picture is visible. */
  const displayed = (luma: Buffer, place: (x: number, y: number) => [number, number], shownWidth: number) => {
    const out = Buffer.alloc(luma.length);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [toX, toY] = place(x, y);
        out[toY * shownWidth + toX] = luma[y * width + x]!;
      }
    return out;
  };

  test.each([
    { name: "mirrored", size: [320, 180], place: (x: number, y: number) => [width - 1 - x, y] },
    {
      name: "mirrored-on-its-side",
      size: [180, 320],
      place: (x: number, y: number) => [height - 1 - y, width - 1 - x],
    },
  ] as const)("$name", async ({ name, size, place }) => {
    const { video, pictures } = await firstPictures(name, size[0], size[1]);
    expect([video.widthPx, video.heightPx]).toEqual(size);
    const coded = await referencePictures(await makeSource("no-audio"), "null", width, height);
    const shown = displayed(coded[3]!, (x, y) => [...place(x, y)] as [number, number], size[0]);
    expect(psnr(pictures[3]!.luma, shown)).toBeGreaterThan(FLOWER_DB);
  });
});
