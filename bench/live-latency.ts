/** Latency from capture to display, by a clock burnt into the picture and read from the video element, compared with ffmpeg's plain HLS. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { HLS_CONFIG } from "../player/hls-config.ts";
import { launchChromium } from "../test/e2e/players/chromium.ts";
import type { LivePlayerName } from "../test/e2e/players/live-page.ts";
import { servePlayerPage } from "../test/e2e/players/page-server.ts";
import { startBroadcaster } from "../test/support/clock-broadcaster.ts";
import { freePort, startTestPlatform } from "../test/support/platform.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";
import { serveFolder } from "./support/folder-server.ts";
import { pause, watch, type Watched } from "./support/live-watcher.ts";

const SECONDS = Number(process.env["BENCH_LIVE_SECONDS"] ?? 60);

/** Time on air before the viewers join. */
const RUNNING_SECONDS = 8;

/** Sluice from RTMP to the player. */
async function throughSluice(
  browser: Browser,
  pageUrl: string,
  player: LivePlayerName,
  partTargetMs: number,
): Promise<Watched> {
  const platform = await startTestPlatform({ withIngest: true, vars: { LIVE_PART_TARGET_MS: String(partTargetMs) } });
  try {
    const { body } = await platform.api<LiveStreamRecord>("POST", "/v1/live/streams", {
      playbackSettings: { accessPolicy: "public" },
      inputMediaSettings: { maxResolution: "720p" },
    });
    const { ingest, playbackIds } = body.data;
    const broadcaster = await startBroadcaster(ingest.rtmp);
    const url = `${platform.baseUrl}/${playbackIds[0]!.id}.${player === "dash.js" ? "mpd" : "m3u8"}`;
    while (!(await fetch(url)).ok) await pause(50);
    await pause(RUNNING_SECONDS * 1000);
    try {
      return await watch(browser, pageUrl, player, url, player === "hls.js" ? { ...HLS_CONFIG } : {}, SECONDS);
    } finally {
      await broadcaster.stop();
    }
  } finally {
    await platform.stop();
    await platform.removeHome();
  }
}

interface LiveStreamRecord {
  ingest: { rtmp: string };
  playbackIds: { id: string }[];
}

/** The same broadcast through one ffmpeg command that makes the same rungs as plain HLS. */
async function throughFfmpeg(browser: Browser, pageUrl: string): Promise<Watched> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-plain-hls-"));
  const server = await serveFolder(folder);
  const url = `rtmp://127.0.0.1:${await freePort()}/live/x`;
  const words = `-v error -listen 1 -i ${url} -filter_complex [0:v]split=3[a][b][c];[b]scale=854:480[b1];[c]scale=480:270[c1] -map [a] -map [b1] -map [c1] -map 0:a -c:v libx264 -preset veryfast -bf 0 -g 60 -keyint_min 60 -sc_threshold 0 -c:a aac -f hls -hls_time 2 -hls_list_size 10 -hls_flags delete_segments+independent_segments -var_stream_map v:0,agroup:s,name:a_v:1,agroup:s,name:b_v:2,agroup:s,name:c_a:0,agroup:s,name:d -master_pl_name index.m3u8 ${folder}/%v.m3u8`;
  const args = words.split(" ").map((word) => (word.startsWith("v:0,") ? word.replaceAll("_", " ") : word));
  const child: ChildProcess = spawn("ffmpeg", args, { stdio: "inherit" });
  try {
    await pause(500); // it has no other way of saying that it listens
    const broadcaster = await startBroadcaster(url);
    try {
      while (!(await fetch(`${server.url}index.m3u8`)).ok) await pause(50);
      return await watch(browser, pageUrl, "hls.js", `${server.url}index.m3u8`, { lowLatencyMode: false }, SECONDS);
    } finally {
      await broadcaster.stop();
    }
  } finally {
    child.kill("SIGKILL");
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

export async function run(): Promise<Figure[]> {
  const browser = await launchChromium();
  const page = await servePlayerPage("live-page.ts");
  try {
    const plain = await throughFfmpeg(browser, page.url);
    const cases: [string, LivePlayerName, number, number, number | null][] = [
      ["hls.js, PART-TARGET 0.5 s", "hls.js", 500, 2200, 2800],
      ["hls.js, PART-TARGET 0.2 s", "hls.js", 200, 1200, null],
      ["dash.js, PART-TARGET 0.5 s", "dash.js", 500, 1700, null],
    ];
    const figures: Figure[] = [];
    const yardstick = `ffmpeg plain HLS p50 ${milliseconds(quantile(plain.latenciesMs, 0.5))}, p95 ${milliseconds(quantile(plain.latenciesMs, 0.95))}`;
    const only = process.env["BENCH_LIVE_CASES"];
    for (const [name, player, partTargetMs, p50AimMs, p95AimMs] of cases) {
      if (only !== undefined && !name.includes(only)) continue;
      const seen = await throughSluice(browser, page.url, player, partTargetMs);
      const [p50, p95] = [quantile(seen.latenciesMs, 0.5), quantile(seen.latenciesMs, 0.95)];
      figures.push({
        name,
        value: `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}, ${seen.stalls} stalls`,
        yardstick,
        aim: `p50 ≤ ${milliseconds(p50AimMs)}${p95AimMs === null ? "" : `, p95 ≤ ${milliseconds(p95AimMs)}`}`,
        isMet: p50 <= p50AimMs && (p95AimMs === null || p95 <= p95AimMs),
        raw: { ...seen, latenciesMs: seen.latenciesMs.map(Math.round), plain: plain.latenciesMs.map(Math.round) },
      });
    }
    return figures;
  } finally {
    await page.close();
    await browser.close();
  }
}
