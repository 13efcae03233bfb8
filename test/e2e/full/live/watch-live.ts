import type { Browser, Page } from "playwright-core";
import type { live, LivePlayerName, LiveSample } from "../../players/live-page.ts";

export interface Watched {
  player: LivePlayerName;
  errors: string[];
  stalls: { atMs: number; positionSeconds: number }[];
  /** Stalls that hls.js reports, with their times and errors. */
  reportedStalls: { atMs: number; error: string }[];
  /** Answers with an error status, "404 http://…". */
  badAnswers: string[];
  /** Latencies of pictures at the live edge: display minus capture. */
  latenciesMs: number[];
  /** Ages of pictures after seeking back: display minus capture. */
  backMs: number[];
  /** Latencies of pictures after returning to the live edge. */
  againMs: number[];
}

/** Displayed pictures after which a player counts as playing. */
const ENOUGH = 15;

/** Runs a function in the page. */
export const inPage = <T>(
  page: Page,
  act: (page: typeof live, argument: never) => T,
  argument: unknown = null,
): Promise<T> =>
  page.evaluate(
    ([words, value]) => {
      // oxlint-disable-next-line typescript/no-implied-eval -- a function cannot be passed to the page
      const run = new Function(`return (${words})`)() as (page: unknown, argument: unknown) => T;
      return run(Reflect.get(window, "live"), value);
    },
    [act.toString(), argument] as const,
  );

/**
 * Plays a live stream, seeks back in the DVR window, and returns to the live edge.
 *
 * @param url with DVR
 * @throws when a step shows no pictures before its timeout
 */
export async function watchLive(
  browser: Browser,
  pageUrl: string,
  player: LivePlayerName,
  url: string,
  { seconds, backSeconds, stepMs = 30_000 }: { seconds: number; backSeconds: number; stepMs?: number },
): Promise<Watched> {
  const page = await browser.newPage();
  const badAnswers: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) badAnswers.push(`${response.status()} ${response.url()}`);
  });
  try {
    await page.goto(pageUrl);
    await page.waitForFunction(() => "live" in window);
    await inPage(page, (live, [name, address]: never[]) => live.play(name!, address!, {}, 2), [player, url]);
    await untilShown(page, player, "the edge", stepMs, () => true);
    const samples: LiveSample[] = [];
    for (const endMs = Date.now() + seconds * 1000; Date.now() < endMs;) {
      await new Promise((done) => setTimeout(done, 250));
      samples.push(...(await inPage(page, (live) => live.samples())));
    }
    const { stalls } = await inPage(page, (live) => live.log());
    const latencies = read(samples);
    await inPage(page, (live, back: number) => live.seek(live.position() - back), backSeconds as never);
    const back = await untilShown(page, player, "the past", stepMs, (ms) => ms > (backSeconds - 4) * 1000);
    await inPage(page, (live) => live.toLive());
    const again = await untilShown(page, player, "the edge again", stepMs, (ms) => ms < (backSeconds - 4) * 1000);
    const { errors, reportedStalls } = await inPage(page, (live) => live.log());
    return { player, errors, stalls, reportedStalls, badAnswers, latenciesMs: latencies, backMs: back, againMs: again };
  } finally {
    await page.close();
  }
}

const read = (samples: LiveSample[]): number[] =>
  samples.flatMap(({ shownAtMs, capturedAtMs }) => (capturedAtMs === null ? [] : [shownAtMs - capturedAtMs]));

/** Resolves once enough consecutive pictures have the expected age. */
async function untilShown(
  page: Page,
  player: string,
  what: string,
  limitMs: number,
  isRight: (latencyMs: number) => boolean,
): Promise<number[]> {
  const right: number[] = [];
  for (const endMs = Date.now() + limitMs; Date.now() < endMs;) {
    for (const latencyMs of read(await inPage(page, (live) => live.samples())))
      if (isRight(latencyMs)) right.push(latencyMs);
      else right.splice(0);
    if (right.length >= ENOUGH) return right;
    await new Promise((done) => setTimeout(done, 50));
  }
  const state = await inPage(page, (live) => ({
    log: live.log(),
    seekable: live.seekable(),
    buffered: live.buffered(),
    position: live.position(),
  }));
  throw new Error(`${player} did not show ${what} within ${limitMs} ms: ${JSON.stringify(state)}`);
}
