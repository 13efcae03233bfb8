/** Time from POST to the first decodable segment, for standard sources of any length and for others. */
import { rm } from "node:fs/promises";
import { planGrid, planLadder } from "../protocol/ladder.ts";
import { firstSegment } from "../scripts/demo/journey.ts";
import { startTestPlatform, type TestPlatform } from "../test/support/platform.ts";
import { fileContent } from "../test/support/source-content.ts";
import { type SourceServer, startSourceServer } from "../test/support/source-server.ts";
import { type Figure, median, milliseconds, quantile } from "./support/figures.ts";
import { ffmpeg, ladderCommand } from "./support/plain-encode.ts";
import { hevcSource, standardSource, webmSource } from "./support/sources.ts";

const RUNS = 15;
const OTHER_RUNS = 3;
const PLAIN_SECONDS_AT_MOST = 600;

/** POST, then polls like a player until a segment is available. Deletes the asset at once, so that runs do not disturb each other. */
async function timeToFirstSegment(platform: TestPlatform, url: string): Promise<number> {
  const startedAt = performance.now();
  const { assetId, playbackId } = await platform.create(url);
  const manifest = `${platform.baseUrl}/${playbackId}.m3u8`;
  while ((await firstSegment(manifest)) === null) {
    if (performance.now() - startedAt > 60_000) throw new Error(`nothing of ${url} played within a minute`);
    await new Promise((done) => setTimeout(done, 10));
  }
  const tookMs = performance.now() - startedAt;
  await platform.api("DELETE", `/v1/on-demand/${assetId}`);
  await new Promise((done) => setTimeout(done, 500)); // lets the encoder stop the job
  return tookMs;
}

/** One time of each source in turn, so that all are measured on the same machine at the same load. */
async function measure(
  platform: TestPlatform,
  server: SourceServer,
  sources: { name: string; path: string }[],
  runs: number,
): Promise<number[][]> {
  for (const { name, path } of sources) server.add(`/${name}`, { kind: "content", content: await fileContent(path) });
  const times: number[][] = sources.map(() => []);
  for (let run = 0; run < runs; run += 1)
    for (const [n, { name }] of sources.entries())
      times[n]!.push(await timeToFirstSegment(platform, server.url(`/${name}`)));
  return times;
}

/** The yardstick: a service without passthrough first encodes the whole source. */
async function plainEncodeMs(path: string): Promise<number> {
  const frameRate = { num: 30, den: 1 };
  const rungs = planLadder({ widthPx: 640, heightPx: 480 }, frameRate, "1080p", "standard");
  const folder = "test/.media/bench/plain";
  const { mkdir } = await import("node:fs/promises");
  await mkdir(folder, { recursive: true });
  const { wallMs } = await ffmpeg(ladderCommand(path, rungs, planGrid(frameRate).framesPerGop, folder));
  await rm(folder, { recursive: true, force: true });
  return wallMs;
}

export async function run(): Promise<Figure[]> {
  const lengths = [10, 600, 3600];
  const sources = lengths.map((seconds) => ({
    seconds,
    name: `standard-${seconds}.mp4`,
    path: standardSource(seconds),
  }));
  const others = [
    { name: "film as WebM (VP8)", path: webmSource() },
    { name: "film as HEVC in MPEG-TS", path: hevcSource() },
  ];
  const [server, platform] = [await startSourceServer(), await startTestPlatform()];
  const figures: Figure[] = [];
  try {
    await timeToFirstSegment(
      platform,
      (server.add("/warm", { kind: "content", content: await fileContent(sources[0]!.path) }), server.url("/warm")),
    );
    const measured = await measure(platform, server, sources, RUNS);
    const medians = measured.map(median);
    for (const [n, { seconds, path }] of sources.entries()) {
      const times = measured[n]!;
      const plain = seconds <= PLAIN_SECONDS_AT_MOST ? await plainEncodeMs(path) : null;
      figures.push({
        name: `standard source of ${seconds < 60 ? `${seconds} s` : `${seconds / 60} min`}`,
        value: `p50 ${milliseconds(median(times))}, p95 ${milliseconds(quantile(times, 0.95))}`,
        yardstick: plain === null ? "" : `plain encode ${milliseconds(plain)}`,
        aim: "p50 ≤ 1 s",
        isMet: median(times) <= 1000,
        raw: { times, plain },
      });
    }
    const ratio = medians[2]! / medians[0]!;
    figures.push({
      name: "60 min against 10 s",
      value: `${ratio.toFixed(2)} ×`,
      yardstick: "",
      aim: "≤ 2 ×",
      isMet: ratio <= 2,
      raw: { medians },
    });
    for (const { name, path } of others) {
      const [times = []] = await measure(platform, server, [{ name: name.replaceAll(/\W/g, "-"), path }], OTHER_RUNS);
      const plain = await plainEncodeMs(path);
      figures.push({
        name,
        value: `p50 ${milliseconds(median(times))}, longest ${milliseconds(Math.max(...times))}`,
        yardstick: `plain encode ${milliseconds(plain)}`,
        aim: "≤ 5 s",
        isMet: median(times) <= 5000,
        raw: { times, plain },
      });
    }
  } finally {
    await platform.stop();
    await platform.removeHome();
    await server.stop();
  }
  return figures;
}
