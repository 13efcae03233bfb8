/**
 * Joins a live stream with hls.js at a phase of a segment. What a player loads first depends on how much of the newest segment is there, so one join
 * can be slow where nine are not.
 */
import type { Browser } from "playwright-core";
import { HLS_CONFIG } from "../../../player/hls-config.ts";
import type { live, LiveSample } from "./live-page.ts";

export const PHASES = 10;
const SEGMENT_MS = 2000;
/** The last seconds of a viewer, in which its latency is steady. */
const STEADY_MS = 3000;
const POLL_MS = 10;

/** A broadcast with segments of two seconds that loads neither encoder nor player. */
export const SMALL_BROADCAST = { widthPx: 426, heightPx: 240, bitrateBps: 400_000 };

export interface Stream {
  manifestUrl: string;
  /** A media playlist of the stream. */
  playlistUrl: string;
}

export interface Join {
  /** In tenths of a segment, from the moment at which a segment is listed. */
  phase: number;
  /** Display minus capture, by each picture of the last seconds whose clock could be read. */
  latenciesMs: number[];
  stalls: number;
  errors: string[];
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Waits for a stream to be listed. */
export async function listedStream(manifestUrl: string): Promise<Stream> {
  while (!(await fetch(manifestUrl)).ok) await pause(POLL_MS);
  const manifest = await (await fetch(manifestUrl)).text();
  return { manifestUrl, playlistUrl: new URL(manifest.match(/^[^#\s].*$/m)![0], manifestUrl).href };
}

/** @returns when the next segment was listed, epoch ms */
async function nextSegment(playlistUrl: string): Promise<number> {
  const newest = async () => (await (await fetch(playlistUrl)).text()).match(/^[^#\s]+\.m4s$/gm)?.at(-1);
  const before = await newest();
  while ((await newest()) === before) await pause(POLL_MS);
  return Date.now();
}

/** @param pageUrl serves `live-page.ts` @param hasJoined called when the player has been started */
export async function joinAtPhase(
  browser: Browser,
  pageUrl: string,
  { manifestUrl, playlistUrl }: Stream,
  { phase, watchedMs, hasJoined = () => undefined }: { phase: number; watchedMs: number; hasJoined?: () => void },
): Promise<Join> {
  const page = await browser.newPage();
  try {
    await page.goto(pageUrl);
    await page.waitForFunction(() => "live" in window);
    const atMs = (await nextSegment(playlistUrl)) + (phase * SEGMENT_MS) / PHASES;
    await pause(Math.max(0, atMs - Date.now()));
    await page.evaluate(
      ([address, settings]) => (Reflect.get(window, "live") as typeof live).play("hls.js", address, settings),
      [manifestUrl, { ...HLS_CONFIG }] as const,
    );
    hasJoined();
    await pause(watchedMs);
    const samples: LiveSample[] = await page.evaluate(() => (Reflect.get(window, "live") as typeof live).samples());
    const { stalls, errors } = await page.evaluate(() => (Reflect.get(window, "live") as typeof live).log());
    const lastMs = samples.at(-1)?.shownAtMs ?? 0;
    const latenciesMs = samples.flatMap(({ shownAtMs, capturedAtMs }) =>
      capturedAtMs !== null && shownAtMs > lastMs - STEADY_MS ? [shownAtMs - capturedAtMs] : [],
    );
    return { phase, latenciesMs, stalls: stalls.length, errors };
  } finally {
    await page.close();
  }
}
