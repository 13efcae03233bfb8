import type { Browser, Page } from "playwright-core";
import type { harness, PlayerName, Rung } from "./page.ts";
import { withinLimit } from "./step-limit.ts";

export type { PlayerName, Rung } from "./page.ts";

export interface PlayThroughOptions {
  /** Playback rate of the run from start to end. Above 1, a slow machine can stall without a fault of the media. */
  rate?: number;
  /** Determines the five positions. */
  seed?: number;
  /** Timeout of each step, ms. */
  stepMs?: number;
  /** The player's own intervals run every millisecond, to provoke race conditions. */
  hasFastIntervals?: boolean;
  /** Called with the URL of each request, before it is sent. */
  onRequest?: (url: string) => void;
  /** A ClearKey licence server, for encrypted media. */
  licenseUrl?: string;
}

export interface PlayThrough {
  player: PlayerName;
  version: string;
  durationSeconds: number;
  endedAtSeconds: number;
  errors: string[];
  stalls: { atSeconds: number }[];
  /** Each seek's target, and the time of the first picture shown after it. */
  seeks: { toSeconds: number; shownSeconds: number }[];
  /** Every rung of the player, and the picture size after it was forced. */
  rungs: { rung: Rung; widthPx: number; heightPx: number }[];
  /** Answers with an error status, "404 http://…". */
  badAnswers: string[];
}

/**
 * Plays a manifest from start to end, seeks to five positions, and forces every rung, in a new page.
 * @param pageUrl of `servePlayerPage`
 * @throws when a step times out; the message has the step and the player's log
 */
export async function playThrough(
  browser: Browser,
  pageUrl: string,
  player: PlayerName,
  manifestUrl: string,
  { rate = 1, seed = 1, stepMs = 30_000, hasFastIntervals = false, onRequest, licenseUrl }: PlayThroughOptions = {},
): Promise<PlayThrough> {
  const page = await browser.newPage();
  try {
    const badAnswers: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) badAnswers.push(`${response.status()} ${response.url()}`);
    });
    if (hasFastIntervals)
      await page.addInitScript(() => {
        const original = window.setInterval.bind(window);
        window.setInterval = ((callback: () => void) => original(callback, 1)) as typeof window.setInterval;
      });
    if (onRequest !== undefined) page.on("request", (request) => onRequest(request.url()));
    await page.goto(pageUrl);
    await page.waitForFunction(() => "harness" in window);
    const step = stepper(page, player);

    const { version } = await step("load", stepMs, "load", player, manifestUrl, licenseUrl ?? null);
    const length = await step("duration", stepMs, "duration");
    const { currentTime, duration } = await step(
      "play to the end",
      (Number.isFinite(length) ? length / rate : 60) * 1000 + stepMs,
      "playToEnd",
      rate,
    );
    const seeks: PlayThrough["seeks"] = [];
    for (const toSeconds of randomPlaces(seed, 5, duration)) {
      const { shownSeconds } = await step(`seek to ${toSeconds}`, stepMs, "seekTo", toSeconds);
      seeks.push({ toSeconds, shownSeconds });
    }
    const rungs: PlayThrough["rungs"] = [];
    for (const rung of await step("list rungs", stepMs, "rungs")) {
      rungs.push({ rung, ...(await step(`force ${rung.id}`, stepMs, "force", rung)) });
    }
    const { errors, stalls } = await step("read the log", stepMs, "log");
    return {
      player,
      version,
      durationSeconds: duration,
      endedAtSeconds: currentTime,
      errors,
      stalls,
      seeks,
      rungs,
      badAnswers,
    };
  } finally {
    await page.close();
  }
}

type Harness = typeof harness;

function stepper(page: Page, player: string) {
  return async <Name extends keyof Harness>(
    what: string,
    limitMs: number,
    name: Name,
    ...args: Parameters<Harness[Name]>
  ) => {
    const call = page.evaluate(
      ({ name: method, args: values }) => {
        const calls: Record<string, (...list: unknown[]) => unknown> = Reflect.get(window, "harness");
        return calls[method]?.(...values);
      },
      { name, args },
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the page answers went through JSON
    return (await withinLimit(page, `${player}: "${what}"`, limitMs, call)) as Awaited<ReturnType<Harness[Name]>>;
  };
}

/** Reproducible positions for a seed (a linear congruential generator), in thousandths, before the last half second. */
function randomPlaces(seed: number, count: number, durationSeconds: number): number[] {
  let state = seed >>> 0;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.round((state / 2 ** 32) * Math.max(0, durationSeconds - 0.5) * 1000) / 1000;
  });
}
