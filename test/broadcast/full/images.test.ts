/** Pictures of a broadcast of numbered frames while it is on air, and of its recording. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countedFilm, readCounter } from "../../support/frame-counter.ts";
import { eventually, manifestOf, newLiveStream, untilSegment } from "../../support/live-watch.ts";
import { type Media, startTestPlatform, type TestPlatform } from "../../support/platform.ts";
import { cutPicture, type ReadPicture, readPicture } from "../../support/pictures.ts";

const run = promisify(execFile);
const RATE = 15;
/** Seconds since the broadcast began. */
const PAST = 0.5;
const PUSH = `-t 9 -c:v libx264 -preset ultrafast -g ${RATE} -bf 0 -pix_fmt yuv420p -f mpegts -method PUT`;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(async () => {
  await platform?.stop();
  await platform?.removeHome();
});

async function picture(url: string, extension: string): Promise<ReadPicture> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return await readPicture(new Uint8Array(await answer.arrayBuffer()), extension);
}

test("the thumbnail heeds its parameters while on air; the recording has exact thumbnails and tiles", async () => {
  const stream = await newLiveStream(platform);
  const source = ["-v", "error", "-re", ...countedFilm(String(RATE))];
  const sent = run("ffmpeg", [...source, ...PUSH.split(" "), stream.ingest.http]);
  await untilSegment(platform, stream);
  const base = manifestOf(platform, stream).replace(".m3u8", "");
  const [webp, square] = [
    await picture(`${base}/thumbnail.webp?width=160`, "webp"),
    await picture(`${base}/thumbnail.png?width=96&height=96&fit_mode=crop`, "png"),
  ];
  expect(webp).toMatchObject({ codec: "webp", widthPx: 160, heightPx: 90 });
  expect(readCounter(webp)).not.toBeNull();
  expect(square).toMatchObject({ codec: "png", widthPx: 96, heightPx: 96 });
  expect((await fetch(`${base}/thumbnail.jpg?width=0`)).status).toBe(422);
  // Available as soon as the segment is complete and stored.
  const past = await eventually("a picture of the past", async () => {
    const answer = await fetch(`${base}/thumbnail.jpg?time=${PAST}`);
    return answer.ok ? await readPicture(new Uint8Array(await answer.arrayBuffer()), "jpg") : null;
  });
  const future = await fetch(`${base}/thumbnail.jpg?time=1000`);
  expect([future.status, await future.text()]).toEqual([422, expect.stringContaining("time")]);
  await sent;
  await platform.api("PUT", `/v1/live/streams/${stream.streamId}/finish`);

  const recording = await eventually("the recording", async () => {
    const { body } = await platform.api<Media[]>("GET", "/v1/on-demand?limit=1");
    return body.data[0]?.status === "Ready" ? body.data[0] : null;
  });
  const recorded = `${platform.baseUrl}/${recording.playbackIds[0]!.id}`;
  const json = (await (await fetch(`${recorded}/spritesheet.json`)).json()) as {
    url: string;
    tile_width: number;
    tile_height: number;
    tiles: { start: number; x: number; y: number }[];
  };
  const sheet = await picture(json.url, "jpg");
  const size = { widthPx: json.tile_width, heightPx: json.tile_height };
  const shown = json.tiles.map(({ x, y }) => readCounter(cutPicture(sheet, { x, y, ...size }))!);
  expect(shown.length).toBeGreaterThan(2);
  expect(shown.map((frame) => frame - shown[0]!)).toEqual(json.tiles.map(({ start }) => Math.round(start * RATE)));
  expect(readCounter(past)! - shown[0]!).toBe(Math.floor((PAST + 0.0005) * RATE));
  for (const time of [PAST, 3.3, 6.1]) {
    const frame = readCounter(await picture(`${recorded}/thumbnail.jpg?time=${time}`, "jpg"))!;
    expect([time, frame - shown[0]!]).toEqual([time, Math.floor((time + 0.0005) * RATE)]);
  }
});
