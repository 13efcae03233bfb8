/** Views of real players in a real browser, by beacons of the hosted page and by CMCD of hls.js, dash.js and Shaka as the guide sets them up. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../support/live-watch.ts";
import { madeFile } from "../../../support/made.ts";
import { isReady } from "../../../support/platform.ts";
import { servePlayerPage } from "../../players/page-server.ts";
import { type Stage, startStage } from "../../players/stage.ts";
import { exampleOf } from "./cmcd-examples.ts";
import type { CmcdPlayer } from "./cmcd-page.ts";
import { newPlaybackId, recordedView, type RecordedView } from "./recorded-view.ts";
import { playScripted, type Truth } from "./scripted-play.ts";

const PLAYERS = ["hosted page", "hls.js", "dash.js"] as const;
const DURATION_SECONDS = 18;
/** CMCD has the time of a report, which a busy page makes late. `npm run bench -- video-data` has the error on an idle machine. */
const MOST_STARTUP_ERROR_MS = 500;

let stage: Stage;
let cmcdPage: Awaited<ReturnType<typeof servePlayerPage>>;
let assetId: string;
const truths = new Map<string, Truth>();
const views = new Map<string, RecordedView>();
/** Addresses of media with data of the viewer, by which they could not be cached. */
const markedRequests: string[] = [];

const hostedUrl = (playbackId: string) => `${stage.platform.baseUrl}/player/${playbackId}`;

async function open(player: CmcdPlayer | "hosted page", playbackId: string): Promise<Page> {
  const page = await stage.browser.newPage();
  page.on("request", (request) => {
    const names = Object.keys(request.headers());
    if (request.url().includes("CMCD=") || names.some((name) => name.startsWith("cmcd-")))
      markedRequests.push(request.url());
  });
  await page.goto(player === "hosted page" ? hostedUrl(playbackId) : cmcdPage.url);
  if (player === "hosted page") return page;
  await page.waitForFunction(() => "shaka" in window);
  await page.evaluate(exampleOf(player, stage.platform.baseUrl, playbackId));
  return page;
}

async function playIn(player: CmcdPlayer | "hosted page"): Promise<void> {
  const playbackId = await newPlaybackId(stage.platform, assetId);
  const page = await open(player, playbackId);
  truths.set(player, await playScripted(page));
  views.set(player, await recordedView(stage.platform, playbackId, "ended"));
  await page.close();
}

beforeAll(async () => {
  [stage, cmcdPage] = await Promise.all([startStage(), servePlayerPage("../full/video-data/cmcd-page.ts")]);
  const loop = ["-stream_loop", "3", "-i", "test/fixtures/flower.mp4", "-t", `${DURATION_SECONDS}`];
  await stage.serve("film.mp4", await madeFile([...loop, "-vf", "scale=640:360", "-movflags", "+faststart"], "mp4"));
  ({ assetId } = await stage.platform.create(stage.server.url("/film.mp4")));
  await stage.platform.until(assetId, isReady);
  await Promise.all(PLAYERS.map(playIn));
});

afterAll(async () => {
  await Promise.all([stage?.close(), cmcdPage?.close()]);
});

const playedMs = ({ watchTime, videoStartupTime }: RecordedView) => watchTime - videoStartupTime;
const playedTruthMs = ({ watchMs, startupMs }: Truth) => watchMs - startupMs;

describe.each(PLAYERS)("a play in %s", (player) => {
  test("is one view of the media, with the figures that the page itself measures", () => {
    const [view, truth] = [views.get(player)!, truths.get(player)!];
    expect(view).toMatchObject({ mediaId: assetId, viewHasError: false, bufferCount: 0, viewSeekedCount: 1 });
    expect(view.browserName).toMatch(/Chrom/);
    // dash.js says that it starts when it loads, which is before this page asks it to play.
    if (player !== "dash.js")
      expect(Math.abs(view.videoStartupTime - truth.startupMs)).toBeLessThan(MOST_STARTUP_ERROR_MS);
    expect(Math.abs(playedMs(view) / playedTruthMs(truth) - 1)).toBeLessThan(0.05);
    expect(view.viewSeekedDuration).toBeGreaterThan(0);
    expect(view.averageBitrate).toBeGreaterThan(0);
  });
});

test("the three players agree with each other within 5 %, relative to what each page measured", () => {
  const ratios = PLAYERS.map((player) => playedMs(views.get(player)!) / playedTruthMs(truths.get(player)!));
  expect(Math.max(...ratios) / Math.min(...ratios)).toBeLessThan(1.05);
});

test("the requests for media say nothing", () => {
  expect(markedRequests).toEqual([]);
});

// The others side by side: each mostly waits for its player.

test.concurrent("in real time: a play in Shaka, whose release names no states, is one view with what it does report, over after the length of the media", async () => {
  const playbackId = await newPlaybackId(stage.platform, assetId);
  const page = await open("shaka", playbackId);
  await playScripted(page);
  const view = await recordedView(stage.platform, playbackId, "playing");
  expect(view).toMatchObject({ mediaId: assetId, viewHasError: false, isFinal: false });
  expect(view.videoStartupTime).toBeGreaterThan(0);
  expect(markedRequests).toEqual([]);
  const list = `/v1/data/viewlist/${view.viewId}`;
  const final = await eventually(
    "the end of a view whose page stays open",
    async () => {
      const { data } = (await stage.platform.api<RecordedView>("GET", list)).body;
      return data.isFinal ? data : null;
    },
    90_000, // the film, and the view's next projection
  );
  expect(Math.round(playedMs(final) / 1000)).toBe(DURATION_SECONDS);
  await page.close();
});

test.concurrent("a play that fails is a view with its error, and one playback.errored event", async () => {
  const playbackId = await newPlaybackId(stage.platform, assetId);
  const page = await stage.browser.newPage();
  await page.route(/\.m4s/, (route) => route.fulfill({ status: 404 }));
  await page.goto(hostedUrl(playbackId));
  const view = await recordedView(stage.platform, playbackId, "error");
  expect(view).toMatchObject({ isFinal: true, viewHasError: true, mediaId: assetId });
  expect(view.errorCode).toMatch(/fragLoadError/);
  const { body } = await stage.platform.api<{ type: string; data: { viewId: string } }[]>(
    "GET",
    "/v1/events?limit=100",
  );
  const ofView = body.data.filter(({ data }) => data.viewId === view.viewId);
  expect(ofView.map(({ type }) => type)).toEqual(["playback.errored"]);
  await page.close();
});

test.concurrent("a tab that is killed leaves the view as it was seconds before", async () => {
  const playbackId = await newPlaybackId(stage.platform, assetId);
  const page = await stage.browser.newPage();
  await page.goto(hostedUrl(playbackId));
  await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
  await page.evaluate(() => document.querySelector("video")!.play());
  await page.waitForFunction(() => document.querySelector("video")!.currentTime > 1);
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  void session.send("Page.crash").catch(() => null); // has no answer
  await crashed;
  const view = await recordedView(stage.platform, playbackId, "viewBegin");
  expect(view).toMatchObject({ isFinal: false, mediaId: assetId });
});

test.concurrent.each([
  ["Do Not Track", () => Object.defineProperty(Navigator.prototype, "doNotTrack", { get: () => "1" })],
  [
    "Global Privacy Control",
    () => Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true, configurable: true }),
  ],
])("the hosted page reports nothing of a viewer with %s, and stores nothing in the browser of any", async (_, ask) => {
  const page = await stage.browser.newPage();
  await page.addInitScript(ask);
  const reported: string[] = [];
  page.on("request", (request) => request.url().includes("/beacons/") && reported.push(request.url()));
  await page.goto(hostedUrl(await newPlaybackId(stage.platform, assetId)));
  await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
  await page.evaluate(() => document.querySelector("video")!.play());
  await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0.5);
  await page.evaluate(() => document.querySelector("video")!.pause());
  expect(reported).toEqual([]);
  expect(await page.context().cookies()).toEqual([]);
  // The controls keep the volume.
  const kept = () =>
    [localStorage, sessionStorage]
      .flatMap((storage) => Object.keys(storage))
      .filter((key) => !key.startsWith("media-chrome"));
  expect(await page.evaluate(kept)).toEqual([]);
  await page.close();
});
