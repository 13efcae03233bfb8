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

/** The pictures of one chunk of a second. */
async function picturesOf(name: SourceName, widthPx: number, heightPx: number, second = 0) {
  const path = await makeSource(name);
  const facts = await encoder.probe(path);
  const grid = gridFor(facts);
  const frameCount = grid.framesPerSegment;
  const range = { firstFrame: second * frameCount, frameCount, firstSegment: second };
  const { desk } = await encoder.encodeVideo(path, {
    video: facts.video!,
    grid,
    ...range,
    rungs: [rungFor(widthPx, heightPx)],
  });
  const bytes = Buffer.concat([desk.objects.get("v/init.mp4")!, desk.objects.get(`v/${second}.m4s`)!]);
  return { video: facts.video!, pictures: await decodePictures(bytes) };
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
    const { video, pictures } = await picturesOf(name, size[0], size[1]);
    expect([video.widthPx, video.heightPx]).toEqual(size);
    const coded = await referencePictures(await makeSource("no-audio"), "null", width, height);
    const shown = displayed(coded[3]!, (x, y) => [...place(x, y)] as [number, number], size[0]);
    expect(psnr(pictures[3]!.luma, shown)).toBeGreaterThan(FLOWER_DB);
  });
});

describe("a picture that changes its shape on the way is fitted into the first shape, with black bars:", () => {
  const [width, height] = [320, 240];
  const FRIDAY_DB = 35;
  const BLACK = 16;
  interface Place {
    x: number;
    y: number;
    widthPx: number;
    heightPx: number;
  }
  const isInside = ({ x, y, widthPx, heightPx }: Place, at: number) => {
    const [column, row] = [at % width, Math.floor(at / width)];
    return column >= x && column < x + widthPx && row >= y && row < y + heightPx;
  };
  const inside = (luma: Buffer, place: Place) => luma.filter((_, at) => isInside(place, at));
  const bars = (luma: Buffer, place: Place) => luma.filter((_, at) => !isInside(place, at));

  test.each([
    { name: "ts-tall", second: 3, place: { x: 70, y: 0, widthPx: 180, heightPx: 240 } },
    { name: "ts-wide-pixels", second: 4, place: { x: 0, y: 30, widthPx: 320, heightPx: 180 } },
  ] as const)("$name", async ({ name, second, place }) => {
    const { pictures } = await picturesOf("shape-change", width, height, second);
    const references = await referencePictures(await makeSource(name), "null", place.widthPx, place.heightPx);
    const { luma } = pictures[10]!;
    expect(
      Math.max(...references.slice(8, 13).map((shown) => psnr(Buffer.from(inside(luma, place)), shown))),
    ).toBeGreaterThan(FRIDAY_DB);
    const beside = bars(luma, place);
    expect(beside.reduce((sum, value) => sum + value, 0) / beside.length).toBeLessThan(BLACK + 2);
  });
});
