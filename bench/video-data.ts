/**
 * How true a view is: scripted plays on the hosted page in Chromium, on networks from good to bad. Yardstick: what the page itself sees of
 * the same play.
 */
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { newPlaybackId, type RecordedView, recordedView } from "../test/e2e/full/video-data/recorded-view.ts";
import { playScripted } from "../test/e2e/full/video-data/scripted-play.ts";
import { launchChromium } from "../test/e2e/players/chromium.ts";
import { type Stage, startStage } from "../test/e2e/players/stage.ts";
import { madeFile } from "../test/support/made.ts";
import { isReady, startTestPlatform } from "../test/support/platform.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";

const PLAYS = Number(process.env["BENCH_PLAYS"] ?? 20);
/** Bytes per second and latency; the renditions of the media have about 75,000 and 24,000 bytes per second. */
const NETWORKS = [
  { downloadThroughput: -1, latency: 0 },
  { downloadThroughput: 300_000, latency: 100 },
  { downloadThroughput: 60_000, latency: 300 },
  { downloadThroughput: 30_000, latency: 200 },
];
type Network = (typeof NETWORKS)[number];
/** After the seek of the script the network nearly stops, longer than what a slow one has buffered lasts. */
const DIP = { downloadThroughput: 1000, latency: 500, atSeconds: 15, lengthMs: 9000 };
const FILM_SECONDS = 32;
const MOST_STARTUP_ERROR_MS = 50;
const MOST_SHARE = 0.05;

export async function run(): Promise<Figure[]> {
  const [platform, browser] = await Promise.all([startTestPlatform(), launchChromium()]);
  const stage = await startStage({ platform, browser });
  try {
    const loop = ["-stream_loop", "9", "-i", "test/fixtures/flower.mp4", "-t", `${FILM_SECONDS}`];
    await stage.serve("film.mp4", await madeFile([...loop, "-movflags", "+faststart"], "mp4"));
    const { assetId } = await stage.platform.create(stage.server.url("/film.mp4"));
    await stage.platform.until(assetId, isReady);
    const plays: Compared[] = [];
    for (let play = 0; play < PLAYS; play++)
      plays.push(await compare(stage, assetId, NETWORKS[play % NETWORKS.length]!));
    return figuresOf(plays);
  } finally {
    await stage.close();
    await browser.close();
    await platform.stop();
    await platform.removeHome();
  }
}

/** Each as the view has it, and as the page saw it. */
interface Compared {
  startupMs: [number, number];
  watchMs: [number, number];
  stalls: [number, number];
  stallMs: [number, number];
  qualityChanges: [number, number];
}

async function compare({ platform, browser }: Stage, assetId: string, network: Network) {
  const playbackId = await newPlaybackId(platform, assetId);
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  await page.goto(`${platform.baseUrl}/player/${playbackId}`); // its scripts are larger than the media
  const limit = (to: Network) =>
    session.send("Network.emulateNetworkConditions", { offline: false, uploadThroughput: -1, ...to });
  await limit(network);
  const [truth] = await Promise.all([playScripted(page, 0), dip(page, limit, network)]);
  const view = await recordedView(platform, playbackId, "ended");
  await page.close();
  await platform.api("DELETE", `/v1/on-demand/${assetId}/playback-ids?playbackId=${playbackId}`); // a media has at most 20
  return {
    startupMs: [view.videoStartupTime, truth.startupMs],
    watchMs: [view.watchTime, truth.watchMs],
    stalls: [view.bufferCount, truth.stalls],
    stallMs: [view.bufferFill, truth.stallMs],
    qualityChanges: [qualityChangesOf(view), truth.qualityChanges],
  } satisfies Compared;
}

async function dip(page: Page, limit: (to: Network) => Promise<unknown>, network: Network): Promise<void> {
  const isReached = (seconds: number) => (document.querySelector("video")?.currentTime ?? 0) >= seconds;
  await page.waitForFunction(isReached, DIP.atSeconds, { timeout: 120_000 });
  await limit({ downloadThroughput: DIP.downloadThroughput, latency: DIP.latency });
  await setTimeout(DIP.lengthMs);
  await limit(network);
}

/** The first one is the beginning. */
const qualityChangesOf = ({ events }: RecordedView): number =>
  events.filter(({ e }) => e === "variantChanged").length - 1;

function figuresOf(plays: Compared[]): Figure[] {
  const errors = (name: keyof Compared) => plays.map((play) => Math.abs(play[name][0] - play[name][1]));
  const sum = (name: keyof Compared, index: 0 | 1) => plays.reduce((total, play) => total + play[name][index], 0);
  const share = (name: keyof Compared) => (sum(name, 1) === 0 ? 0 : Math.abs(sum(name, 0) / sum(name, 1) - 1));
  const startup = errors("startupMs");
  const byShare = (name: keyof Compared, title: string, unit: (value: number) => string): Figure => ({
    name: title,
    value: `${unit(sum(name, 0))}, off by ${(share(name) * 100).toFixed(1)} %`,
    yardstick: `the page itself: ${unit(sum(name, 1))}`,
    aim: `≤ ${MOST_SHARE * 100} %`,
    isMet: share(name) <= MOST_SHARE,
    raw: plays.map((play) => play[name]),
  });
  return [
    {
      name: `startup of ${plays.length} plays`,
      value: `off by ${milliseconds(median(startup))}, at most ${milliseconds(Math.max(...startup))}`,
      yardstick: `the page itself: p50 ${milliseconds(median(plays.map((play) => play.startupMs[1])))}`,
      aim: `≤ ${MOST_STARTUP_ERROR_MS} ms`,
      isMet: Math.max(...startup) <= MOST_STARTUP_ERROR_MS,
      raw: plays.map((play) => play.startupMs),
    },
    byShare("watchMs", "watched", milliseconds),
    byShare("stalls", "stalls", String),
    byShare("stallMs", "stalled", milliseconds),
    byShare("qualityChanges", "quality changes", String),
  ];
}
