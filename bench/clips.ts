/** A clip of ten seconds out of a media, against encoding those ten seconds and against encoding the whole media. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planGrid, planLadder } from "../protocol/ladder.ts";
import { isReady, startTestPlatform, type TestPlatform } from "../test/support/platform.ts";
import { fileContent } from "../test/support/source-content.ts";
import { startSourceServer } from "../test/support/source-server.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";
import { ffmpeg, ladderCommand } from "./support/plain-encode.ts";
import { hdFilm } from "./support/sources.ts";

const SECONDS = Number(process.env.BENCH_CLIP_SECONDS ?? 600);
const CLIP_SECONDS = 10;
const RUNS = 5;
const RATE = { num: 30, den: 1 };

/** From the POST to the ready media. */
async function timeToReady(platform: TestPlatform, url: string, more: object = {}) {
  const startedAt = performance.now();
  const { assetId } = await platform.create(url, more);
  await platform.until(assetId, isReady, 3_600_000);
  return { assetId, tookMs: performance.now() - startedAt };
}

/** The yardstick: one ffmpeg command that encodes the ladder of the same seconds. */
async function plainMs(path: string, fromSeconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-clip-"));
  const rungs = planLadder({ widthPx: 1280, heightPx: 720 }, RATE, "1080p", "standard");
  const command = ladderCommand(path, rungs, planGrid(RATE).framesPerGop, folder);
  const at = command.indexOf("-i");
  command.splice(at, 0, "-ss", String(fromSeconds), "-t", String(CLIP_SECONDS));
  const { wallMs } = await ffmpeg(command);
  await rm(folder, { recursive: true, force: true });
  return wallMs;
}

export async function run(): Promise<Figure[]> {
  const path = hdFilm(SECONDS);
  const [server, platform] = [await startSourceServer(), await startTestPlatform()];
  try {
    server.add("/film", { kind: "content", content: await fileContent(path) });
    const whole = await timeToReady(platform, server.url("/film"));
    const [clips, plain]: [number[], number[]] = [[], []];
    for (let n = 0; n < RUNS; n += 1) {
      // Neither end is at the start of a segment.
      const startTime = Math.round((SECONDS - CLIP_SECONDS) * ((n + 0.5) / RUNS)) + 0.7;
      const input = {
        type: "video",
        url: `fp_mediaId://${whole.assetId}`,
        startTime,
        endTime: startTime + CLIP_SECONDS,
      };
      clips.push((await timeToReady(platform, "", { inputs: [input] })).tookMs);
      plain.push(await plainMs(path, startTime));
    }
    const ratio = median(clips.map((ms, n) => ms / plain[n]!));
    const factor = whole.tookMs / median(clips);
    const name = `clip of ${CLIP_SECONDS} s out of ${SECONDS / 60} min of 720p`;
    const raw = { clips, plain, wholeMs: whole.tookMs };
    return [
      {
        name,
        value: `${ratio.toFixed(2)} ×`,
        yardstick: `one ffmpeg command for these ${CLIP_SECONDS} s ${milliseconds(median(plain))}`,
        aim: "≤ 1.2 ×",
        isMet: ratio <= 1.2,
        raw,
      },
      {
        name: `${name}, from the POST to ready`,
        value: milliseconds(median(clips)),
        yardstick: "",
        aim: "≤ 3 s",
        isMet: median(clips) <= 3000,
        raw: { clips },
      },
      {
        name: `${name}, against the whole media`,
        value: `${factor.toFixed(0)} × as fast`,
        yardstick: `POST to ready of the whole media ${milliseconds(whole.tookMs)}`,
        aim: "",
        isMet: null,
        raw,
      },
    ];
  } finally {
    await platform.stop();
    await server.stop();
    await platform.removeHome();
  }
}
