/** Encrypted media in real players: ClearKey licences, cut from a source without encoding. */
import { readFile } from "node:fs/promises";
import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { buildPlayer } from "../../../scripts/build.ts";
import { testBrowser } from "../players/chromium.ts";
import { servePlayerPage } from "../players/page-server.ts";
import type { harness } from "../players/page.ts";
import { playThrough } from "../players/play-through.ts";
import { isPoster, type PlaybackWorker, seedStandardSource, startPlaybackWorker } from "../players/seeded-worker.ts";

type Harness = typeof harness;

let worker: PlaybackWorker;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let browser: Browser;
let playbackId: string;
let token: (audience: "media" | "drm") => Promise<string>;

beforeAll(async () => {
  [worker, page, browser] = await Promise.all([startPlaybackWorker(), servePlayerPage(), testBrowser(), buildPlayer()]);
  const flower = await readFile(new URL("../../fixtures/flower.mp4", import.meta.url));
  ({ playbackId } = await seedStandardSource(worker, flower, "Encrypted flowers"));
  const keyId = crypto.randomUUID();
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  await worker.db.batch([
    worker.db
      .prepare(`update playback_ids set access_policy = 'drm', key_systems = '["clearkey"]' where id = ?`)
      .bind(playbackId),
    worker.db
      .prepare("insert into signing_keys (id, workspace_id, public_key, created_at) values (?, 'w', ?, 0)")
      .bind(keyId, await exportSPKI(publicKey)),
  ]);
  token = async (audience) =>
    await new SignJWT({ aud: `${audience}:${playbackId}`, exp: Math.floor(Date.now() / 1000) + 3600 })
      .setProtectedHeader({ alg: "RS256", kid: keyId })
      .sign(privateKey);
});

afterAll(async () => {
  await Promise.all([page?.close(), worker?.close()]);
});

const licenseUrl = async () =>
  `${worker.url}/v1/on-demand/drm/license/clearkey/${playbackId}?token=${await token("drm")}`;

test.concurrent.each([
  ["hls.js", "m3u8"],
  ["shaka", "mpd"],
  ["dash.js", "mpd"],
] as const)(
  "%s plays the encrypted .%s to its end and from five places, without an error or a stall",
  async (player, extension) => {
    const manifest = `${worker.url}/${playbackId}.${extension}?token=${await token("drm")}`;
    const played = await playThrough(browser, page.url, player, manifest, { seed: 7, licenseUrl: await licenseUrl() });
    expect(played).toMatchObject({ errors: [], stalls: [], badAnswers: [] });
    expect(Math.abs(played.endedAtSeconds - played.durationSeconds)).toBeLessThan(0.1);
    for (const seek of played.seeks) expect(Math.abs(seek.shownSeconds - seek.toSeconds)).toBeLessThan(0.15);
  },
);

/** Loads a manifest, and waits until the player has reported an error. @returns the errors, and the pictures that were decoded */
async function playWithout(license: string | null) {
  const tab = await browser.newPage();
  onTestFinished(() => tab.close());
  await tab.goto(page.url);
  await tab.waitForFunction(() => "harness" in window);
  const manifest = `${worker.url}/${playbackId}.m3u8?token=${await token("drm")}`;
  return await tab.evaluate(
    async ({ manifest: url, license: licenseUrl }) => {
      const { harness } = window as unknown as { harness: Harness };
      await harness.load("hls.js", url, licenseUrl);
      const video = document.querySelector("video")!;
      video.play().catch(() => {}); // it never begins
      while (harness.log().errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      return { errors: harness.log().errors, frames: harness.decodedFrames(), atSeconds: video.currentTime };
    },
    { manifest, license },
  );
}

test.each([
  ["without a licence server", () => Promise.resolve(null), "keyLoadError"],
  [
    "with a token that is not for licences",
    async () => (await licenseUrl()).replace(/token=.*/, `token=${await token("media")}`),
    "keySystemLicenseRequestFailed",
  ],
] as const)("%s, no picture is decoded", async (_case, license, error) => {
  const { errors, frames, atSeconds } = await playWithout(await license());
  expect([errors.join(), frames, atSeconds]).toEqual([expect.stringContaining(error), 0, 0]);
});

/** Opens the hosted page. @returns the notice in place of the player */
async function noticeOn(prepare: (tab: Page) => Promise<unknown>): Promise<string> {
  const tab = await browser.newPage();
  onTestFinished(() => tab.close());
  await prepare(tab);
  await tab.goto(`${worker.url}/player/${playbackId}?token=${await token("drm")}`);
  await tab.waitForSelector(".notice h1");
  return await tab.innerText(".notice");
}

test("the hosted page says that the browser lacks the protection, without offering to try again", async () => {
  const notice = await noticeOn((tab) =>
    tab.addInitScript(() => {
      navigator.requestMediaKeySystemAccess = () => Promise.reject(new DOMException("none", "NotSupportedError"));
    }),
  );
  expect(notice).toBe(
    "This browser cannot play this video\n\nIt is protected with ClearKey, which this browser lacks.",
  );
});

test("the hosted page says that the licence was refused", async () => {
  const refused = (tab: Page) => tab.route(/drm\/license/, (route) => route.fulfill({ status: 403, body: "{}" }));
  expect(await noticeOn(refused)).toMatch(/^This video could not be unlocked\n[^]*licence was refused[^]*Try again$/);
});

test("without the key, a browser that has the whole encrypted media decodes none of it", async () => {
  const tab = await browser.newPage();
  onTestFinished(() => tab.close());
  await tab.goto(page.url);
  const mpd = await (await fetch(`${worker.url}/${playbackId}.mpd?token=${await token("drm")}`)).text();
  const [, base] = /<BaseURL>([^<]+)</.exec(mpd)!;
  const outcome = await tab.evaluate(async (address) => {
    const video = document.createElement("video");
    video.muted = true;
    document.body.append(video);
    const source = new MediaSource();
    video.src = URL.createObjectURL(source);
    await new Promise((resolve) => source.addEventListener("sourceopen", resolve, { once: true }));
    const buffer = source.addSourceBuffer('video/mp4; codecs="avc1.64001f"');
    const isEncrypted = new Promise<string>((resolve) =>
      video.addEventListener("encrypted", (event) => resolve(event.initDataType)),
    );
    const isWaiting = new Promise((resolve) => video.addEventListener("waitingforkey", resolve, { once: true }));
    for (const file of ["init.mp4", "0.m4s", "1.m4s"]) {
      const answer = await fetch(address + file);
      if (!answer.ok) continue;
      buffer.appendBuffer(await answer.arrayBuffer());
      await new Promise((resolve) => buffer.addEventListener("updateend", resolve, { once: true }));
    }
    source.endOfStream();
    video.play().catch(() => {});
    const initDataType = await isEncrypted;
    await isWaiting;
    return {
      initDataType,
      bufferedSeconds: video.buffered.end(0),
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      atSeconds: video.currentTime,
    };
  }, `${worker.url}/${base}source-v/`);
  expect(outcome).toMatchObject({ initDataType: "cenc", frames: 0, atSeconds: 0 });
  expect(outcome.bufferedSeconds).toBeGreaterThan(4);
});

test("the hosted page plays encrypted media with a token for licences", async () => {
  const tab = await browser.newPage();
  onTestFinished(() => tab.close());
  const refused: string[] = [];
  const licences: number[] = [];
  tab.on("response", (answer) => {
    if (answer.url().includes("/drm/license/")) licences.push(answer.status());
    if (answer.status() >= 400 && !isPoster(answer.url())) refused.push(`${answer.status()} ${answer.url()}`);
  });
  await tab.goto(`${worker.url}/player/${playbackId}?token=${await token("drm")}`);
  await tab.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
  await tab.keyboard.press("k");
  await tab.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0.5);
  expect([refused, licences]).toEqual([[], [200]]);
});
