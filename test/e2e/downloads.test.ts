/** The files for download, as tools and a browser take them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspectFile } from "../support/inspect-file.ts";
import { madeFile } from "../support/made.ts";
import { isReady } from "../support/platform.ts";
import { type Stage, startStage } from "./players/stage.ts";

const SECONDS = 12;
const FRAMES = 360;
const LOOP = ["-stream_loop", "2", "-i", "test/fixtures/flower.mp4", "-t", `${SECONDS}`, "-vf", "scale=640:360,fps=30"];
/** The first is its own top rung, so that its picture is cut out of the source; of the second everything is encoded. */
const SOURCES = {
  "grid.mp4":
    "-c:v libx264 -preset veryfast -g 60 -keyint_min 60 -sc_threshold 0 -b:v 600k -c:a aac -movflags +faststart",
  "film.mkv": "-c:v mpeg4 -b:v 900k -c:a flac",
};
const NAMES = Object.keys(SOURCES) as (keyof typeof SOURCES)[];

let stage: Stage;
const bases = new Map<string, string>();

beforeAll(async () => {
  stage = await startStage();
  await Promise.all(
    NAMES.map(async (name) => {
      await stage.serve(name, await madeFile([...LOOP, ...SOURCES[name].split(" ")], name.slice(-3)));
      const { body } = await stage.platform.api<{ id: string; playbackIds: { id: string }[] }>(
        "POST",
        "/v1/on-demand",
        {
          inputs: [{ type: "video", url: stage.server.url(`/${name}`) }],
          accessPolicy: "public",
          mp4Support: "audioOnly,capped_4k",
        },
      );
      await stage.platform.until(body.data.id, isReady);
      bases.set(name, `${stage.platform.baseUrl}/${body.data.playbackIds[0]!.id}`);
    }),
  );
});

afterAll(() => stage?.close());

async function download(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe.each(NAMES)("of %s", (name) => {
  test("capped-4k.mp4 has every picture and the sound, and decodes without a complaint", async () => {
    const { status, headers, bytes } = await download(`${bases.get(name)}/capped-4k.mp4`);
    expect([status, headers.get("content-type"), Number(headers.get("content-length"))]).toEqual([
      200,
      "video/mp4",
      bytes.length,
    ]);
    const { streams, durationSeconds, startSeconds, complaints } = await inspectFile(bytes);
    expect(streams.map(({ codec }) => codec)).toEqual(["h264", "aac"]);
    expect(streams[0]!.frames).toBe(FRAMES);
    expect(durationSeconds).toBeCloseTo(SECONDS, 0);
    expect(Math.abs(startSeconds)).toBeLessThan(0.05);
    expect(complaints).toBe("");
  });

  test("audio.m4a has the sound alone", async () => {
    const { status, headers, bytes } = await download(`${bases.get(name)}/audio.m4a`);
    expect([status, headers.get("content-type")]).toEqual([200, "audio/mp4"]);
    const { streams, durationSeconds, complaints } = await inspectFile(bytes);
    expect(streams.map(({ codec }) => codec)).toEqual(["aac"]);
    expect(durationSeconds).toBeCloseTo(SECONDS, 0);
    expect(complaints).toBe("");
  });

  test("ranges of it, each over several segments, put together the same file", async () => {
    const url = `${bases.get(name)}/capped-4k.mp4`;
    const { bytes: whole, headers } = await download(url);
    const step = Math.ceil(whole.length / 7);
    const parts: Buffer[] = [];
    for (let from = 0; from < whole.length; from += step) {
      const part = await download(url, { range: `bytes=${from}-${from + step - 1}`, "if-range": headers.get("etag")! });
      expect(part.status).toBe(206);
      parts.push(part.bytes);
    }
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
    const tail = await download(url, { range: "bytes=-1" });
    expect([tail.status, tail.bytes[0]]).toEqual([206, whole.at(-1)]);
    expect((await download(url, { range: `bytes=${whole.length}-` })).status).toBe(416);
    expect((await download(url, { "if-none-match": headers.get("etag")! })).status).toBe(304);
  });

  test("a browser seeks in it before it has loaded it, and plays to its end", async () => {
    const page = await stage.browser.newPage();
    await page.goto(stage.page.url);
    const result = await page.evaluate(
      async (url) => {
        const video = document.createElement("video");
        video.muted = true;
        video.src = url;
        document.body.append(video);
        const event = (type: string) =>
          new Promise<void>((done, failed) => {
            video.addEventListener(type, () => done(), { once: true });
            video.addEventListener("error", () => failed(new Error(video.error?.message)), { once: true });
          });
        await event("loadedmetadata");
        const { duration, videoWidth } = video;
        const [seeked, ended] = [event("seeked"), event("ended")];
        video.currentTime = duration - 2;
        await seeked;
        await video.play();
        await ended;
        return { duration, videoWidth, at: video.currentTime };
      },
      `${bases.get(name)}/capped-4k.mp4`,
    );
    expect(result.videoWidth).toBe(640);
    expect(result.duration).toBeCloseTo(SECONDS, 0);
    expect(result.at).toBeCloseTo(SECONDS, 0);
    await page.close();
  });
});
