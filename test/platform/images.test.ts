/** Pictures of a film whose every frame has its number in it, made by the whole platform. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countedFilm, readCounter } from "../support/frame-counter.ts";
import { eventually } from "../support/live-watch.ts";
import { madeFile } from "../support/made.ts";
import { isReady, sharedPlatform, type SharedPlatform } from "../support/platform.ts";
import { Random } from "../../scripts/simulate/random.ts";
import { cutPicture, readPicture } from "../support/pictures.ts";
import { type SourceServer, startSourceServer } from "../support/source-server.ts";

const RATE = 30000 / 1001;
const SECONDS = 31;

let platform: SharedPlatform;
let server: SourceServer;
let base: string;
/** URL of a film that is its own top rung, so its pictures are cut out of the source. */
let cutBase: string;

/** Waits until the platform's log says that the pictures of an asset have been prepared. */
const untilPrepared = (assetId: string) =>
  eventually("prepared pictures", async () => {
    const log = await readFile(join(platform.home, "logs", "worker.log"), "utf8");
    return log.includes(`"event":"image.prepared","assetId":"${assetId}"`) ? true : null;
  });

/** Serves a film and creates its media. @returns the address of its playback ID */
async function mediaOf(words: string, extension: string): Promise<string> {
  const film = [...countedFilm("30000/1001", "640x360"), "-t", String(SECONDS), ...words.split(" ")];
  const name = `/film.${extension}`;
  server.add(name, { kind: "content", content: await readFile(await madeFile(film, extension)) });
  const { assetId, playbackId } = await platform.create(server.url(name));
  await platform.until(assetId, isReady);
  await untilPrepared(assetId); // nobody has asked for a picture
  return `${platform.baseUrl}/${playbackId}`;
}

beforeAll(async () => {
  [platform, server] = await Promise.all([sharedPlatform(), startSourceServer()]);
  const grid = "-c:v libx264 -preset veryfast -g 60 -keyint_min 60 -sc_threshold 0 -b:v 600k -movflags +faststart";
  [base, cutBase] = await Promise.all([mediaOf("-c:v mpeg4 -q:v 3 -g 15", "mkv"), mediaOf(grid, "mp4")]);
});
afterAll(async () => {
  await server?.stop();
});

/** @param path below the playback ID @param extension of what is expected */
async function picture(path: string, extension: string, of = base) {
  const answer = await fetch(`${of}${path}`);
  expect(answer.status).toBe(200);
  return await readPicture(new Uint8Array(await answer.arrayBuffer()), extension);
}

const frameAt = (seconds: number) => Math.floor((seconds + 0.0005) * RATE);

interface SheetJson {
  url: string;
  tile_width: number;
  tile_height: number;
  duration: number;
  tiles: { start: number; x: number; y: number }[];
  columns: number;
  rows: number;
  interval: number;
  tileWidth: number;
  tileHeight: number;
  thumbnailCount: number;
  sheetWidth: number;
  sheetHeight: number;
}

test.each([8])("thumbnails at %i random times show exactly the frame of that time", framesAtRandomTimes);
test.each([50])(
  "thumbnails at %i random times show exactly the frame of that time",
  { tags: ["full"] },
  framesAtRandomTimes,
);

async function framesAtRandomTimes(count: number): Promise<void> {
  const random = new Random(14);
  const times = Array.from({ length: count }, () => Math.floor(random.next() * (SECONDS - 0.1) * 1000) / 1000);
  for (const time of times) {
    const shown = await picture(`/thumbnail.jpg?time=${time}&width=320`, "jpg");
    expect({ time, frame: readCounter(shown) }).toEqual({ time, frame: frameAt(time) });
  }
}

test.each([3])("so do %i that are cut out of the source", framesOfTheSource);
test.each([10])("so do %i that are cut out of the source", { tags: ["full"] }, framesOfTheSource);

async function framesOfTheSource(count: number): Promise<void> {
  const random = new Random(15);
  for (let n = 0; n < count; n += 1) {
    const time = Math.floor(random.next() * (SECONDS - 0.1) * 1000) / 1000;
    const shown = await picture(`/thumbnail.jpg?time=${time}`, "jpg", cutBase);
    expect([time, shown.widthPx, readCounter(shown)]).toEqual([time, 640, frameAt(time)]);
  }
}

test.each(["/spritesheet.json", "/advanced-spritesheet.json?interval=1", "/advanced-spritesheet.json"])(
  "each tile of %s shows exactly the frame of its start",
  async (path) => {
    const json = (await (await fetch(`${base}${path}`)).json()) as SheetJson;
    const answer = await fetch(json.url);
    expect(answer.headers.get("content-type")).toBe("image/jpeg");
    const sheet = await readPicture(new Uint8Array(await answer.arrayBuffer()), "jpg");
    expect(sheet).toMatchObject({ widthPx: json.sheetWidth, heightPx: json.sheetHeight });
    const size = { widthPx: json.tile_width, heightPx: json.tile_height };
    const shown = json.tiles.map(({ x, y }) => readCounter(cutPicture(sheet, { x, y, ...size })));
    expect(shown).toEqual(json.tiles.map(({ start }) => frameAt(start)));
    expect(json.tiles.length).toBe(json.thumbnailCount);
    expect(json.thumbnailCount).toBe(Math.ceil(json.duration / json.interval));
  },
);

describe("a thumbnail", () => {
  test("keeps the aspect ratio of the picture within 200×200", async () => {
    const shown = await picture("/thumbnail.webp?time=5&width=200&height=200", "webp");
    expect([shown.widthPx, shown.heightPx, readCounter(shown)]).toEqual([200, 112, frameAt(5)]);
  });

  test("has exactly the size of the box when it is padded", async () => {
    const shown = await picture("/thumbnail.avif?time=7&width=320&height=320&fit_mode=pad", "avif");
    expect([shown.codec, shown.widthPx, shown.heightPx]).toEqual(["av1", 320, 320]);
    expect(readCounter(cutPicture(shown, { x: 0, y: 70, widthPx: 320, heightPx: 180 }))).toBe(frameAt(7));
  });

  test("has the poster's time when it has none, in every format", async () => {
    const [first, second] = [await picture("/thumbnail.jpg", "jpg"), await picture("/thumbnail.png", "png")];
    expect(readCounter(first)).not.toBeNull();
    expect(readCounter(second)).toBe(readCounter(first));
    expect(second).toMatchObject({ codec: "png", widthPx: 640, heightPx: 360 });
  });

  test.each(["time=NaN", "time=-1", "time=31.5", "width=1000000000", "height=0", "fit_mode=best", "rotate=45"])(
    "is refused with 422 for %s, naming the field",
    async (query) => {
      const answer = await fetch(`${base}/thumbnail.jpg?${query}`);
      expect(answer.status).toBe(422);
      const { error } = (await answer.json()) as { error: { fields: { field: string }[] } };
      expect(error.fields.map(({ field }) => field)).toEqual([query.split("=")[0]]);
    },
  );
});

test("clips begin at their start and have the frames of their rate", async () => {
  const clip = await picture("/clip.gif?start=3&end=5&fps=5&width=160", "gif");
  expect(clip).toMatchObject({ codec: "gif", widthPx: 160, heightPx: 90, frames: 10 });
  expect(readCounter(clip)).toBe(frameAt(3));
  expect((await fetch(`${base}/clip.webp?start=3&end=14`)).status).toBe(422);
});

test("the multivariant playlist names the previews, and their playlist and cues name the sheet", async () => {
  const multivariant = await (await fetch(`${base}.m3u8`)).text();
  const [, uri] = /#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=\d+,RESOLUTION=256x144,CODECS="jpeg",URI="([^"]+)"/.exec(
    multivariant,
  )!;
  const images = await (await fetch(new URL(uri!, `${base}.m3u8`))).text();
  expect(images).toContain("#EXT-X-TILES:RESOLUTION=256x144,LAYOUT=4x4,DURATION=2.00200");
  const cues = await (await fetch(`${base}/storyboard.vtt`)).text();
  expect(cues).toContain(`00:00:02.002 --> 00:00:04.004\n${base}/spritesheet.jpg#xywh=256,0,256,144`);
});
