/** A broadcast with DRM: its parts are encrypted on their way out, and its recording plays with the licence of the stream. */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { check as checkDash } from "../../../../conformance/dash/check.ts";
import { OWN_SCHEMA } from "../../../../conformance/dash/schema.ts";
import { check as checkHls } from "../../../../conformance/ll-hls/check.ts";
import { withLocalDatabase } from "../../../../scripts/local/database.ts";
import { WINDOW_SECONDS } from "../../../../src/live/streams/after-end.ts";
import { type Broadcaster, startBroadcaster } from "../../../support/clock-broadcaster.ts";
import { eventually, type LiveStreamRecord, segmentsOf } from "../../../support/live-watch.ts";
import { sharedPlatform, type SharedPlatform } from "../../../support/platform.ts";
import { testBrowser } from "../../players/chromium.ts";
import type { live } from "../../players/live-page.ts";
import { servePlayerPage } from "../../players/page-server.ts";

const SOURCE = { widthPx: 480, heightPx: 270, frameRate: 15, bitrateBps: 600_000 };
const [SECONDS, BACK_SECONDS] = [8, 6];
/** The end of the seekable range is the live edge. */
const MOST_BEHIND_SECONDS = 5;
const CHECK_SECONDS = 8;

let platform: SharedPlatform;
let browser: Browser;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let broadcaster: Broadcaster;
let playbackId: string;
let streamId: string;
let token: string;

const address = (extension: string) => `${platform.baseUrl}/${playbackId}.${extension}?dvrMode=true&token=${token}`;
const playlistOf = async (manifest: string): Promise<string | null> => {
  const answer = await fetch(manifest);
  const line = answer.ok ? (await answer.text()).split("\n").find((one) => one !== "" && !one.startsWith("#")) : null;
  return line ? new URL(line, answer.url).href : null;
};
const configOf = (player: "hls.js" | "shaka") => {
  const licenseUrl = `${platform.baseUrl}/v1/live/drm/license/clearkey/${playbackId}?token=${token}`;
  return player === "shaka"
    ? { drm: { servers: { "org.w3.clearkey": licenseUrl } } }
    : { emeEnabled: true, drmSystems: { "org.w3.clearkey": { licenseUrl } } };
};

beforeAll(async () => {
  [platform, browser, page] = await Promise.all([
    sharedPlatform({ withIngest: true }),
    testBrowser(),
    servePlayerPage("live-page.ts"),
  ]);
  const made = await platform.api<{ id: string }>("POST", "/v1/on-demand/drm-configurations", {
    keySystems: ["clearkey"],
  });
  const created = await platform.api<LiveStreamRecord>("POST", "/v1/live/streams", {
    playbackSettings: { accessPolicy: "private" },
    inputMediaSettings: {
      enableDvrMode: true,
      maxResolution: "480p",
      mediaPolicy: "private",
      drmConfigurationId: made.body.data.id,
    },
  });
  const stream = created.body.data;
  streamId = stream.streamId;
  playbackId = stream.playbackIds[0]!.id;
  ({ token } = (await platform.api<{ token: string }>("POST", "/v1/iam/playback-tokens", { playbackId })).body.data);
  broadcaster = await startBroadcaster(stream.ingest.rtmp, SOURCE);
  const playlist = await eventually("a playlist", () => playlistOf(address("m3u8")));
  await eventually("four segments", async () => ((await segmentsOf(playlist))?.length ?? 0) >= 4 || null);
}, 180_000);

afterAll(async () => {
  await broadcaster?.stop();
  await page?.close();
});

/** Dates the end of the broadcast back. */
const letPass = (seconds: number) =>
  withLocalDatabase(join(platform.home, "state"), (database) =>
    database
      .prepare("UPDATE live_sessions SET ended_at = ended_at - ? WHERE stream_id = ?")
      .bind(seconds * 1000, streamId)
      .all(),
  );

type Live = typeof live;

/** Starts a player in a new tab. Pictures of encrypted media cannot be read back, so positions are compared. */
async function play(player: "hls.js" | "shaka", url: string, { onTestFinished }: TestContext) {
  const tab = await browser.newPage();
  onTestFinished(() => tab.close());
  const badAnswers: string[] = [];
  tab.on("response", (answer) => {
    if (answer.status() >= 400) badAnswers.push(`${answer.status()} ${answer.url()}`);
  });
  await tab.goto(page.url);
  await tab.waitForFunction(() => "live" in window);
  await tab.evaluate(
    ([name, manifest, config]) => (window as unknown as { live: Live }).live.play(name, manifest, config),
    [player, url, configOf(player)] as const,
  );
  /** Waits until `seconds` more are played. @returns the distance from the end of the seekable range, and the pictures shown */
  const playFor = async (seconds: number) => {
    const from = await tab.evaluate(() => {
      (window as unknown as { live: Live }).live.samples();
      return document.querySelector("video")!.currentTime;
    });
    await tab.waitForFunction((end) => document.querySelector("video")!.currentTime >= end, from + seconds);
    return await tab.evaluate(() => {
      const { live: player } = window as unknown as { live: Live };
      return {
        behindSeconds: (player.seekable()?.[1] ?? Infinity) - player.position(),
        pictures: player.samples().length,
      };
    });
  };
  const logOf = () => tab.evaluate(() => (window as unknown as { live: Live }).live.log());
  return { tab, playFor, logOf, badAnswers };
}

test.concurrent.for([
  ["hls.js", "m3u8"],
  ["shaka", "mpd"],
] as const)(
  "%s plays the encrypted .%s at the live edge, seeks back and returns, without an error",
  async ([player, extension], context) => {
    const { tab, playFor, logOf, badAnswers } = await play(player, address(extension), context);
    await playFor(1);
    const atEdge = await playFor(SECONDS);
    expect(atEdge.behindSeconds).toBeLessThan(MOST_BEHIND_SECONDS);
    expect(atEdge.pictures).toBeGreaterThan(SECONDS * SOURCE.frameRate * 0.5);
    await tab.evaluate((back) => {
      const { live: shown } = window as unknown as { live: Live };
      shown.seek(shown.position() - back);
    }, BACK_SECONDS);
    expect((await playFor(2)).behindSeconds).toBeGreaterThan(BACK_SECONDS - 2);
    await tab.evaluate(() => (window as unknown as { live: Live }).live.toLive());
    expect((await playFor(2)).behindSeconds).toBeLessThan(MOST_BEHIND_SECONDS);
    expect([(await logOf()).errors, badAnswers]).toEqual([[], []]);
  },
);

test("parts and segments of the broadcast are encrypted at every address, and the token opens none of them clear", async () => {
  const playlist = (await playlistOf(address("m3u8")))!;
  const text = await (await fetch(playlist)).text();
  expect(text).toContain('KEYFORMAT="org.w3.clearkey"');
  const uris = [...text.matchAll(/^#EXT-X-PART:.*URI="([^"]+)"|^(?!#)(\S+\.m4s)$|^#EXT-X-MAP:URI="([^"]+)"/gm)];
  const files = uris.map(([, part, segment, map]) => (part ?? segment ?? map)!);
  expect(files.some((file) => /\/\d+\.\d+\.m4s$/.test(file))).toBe(true);
  for (const file of files.slice(0, 20)) {
    const bytes = Buffer.from(await (await fetch(new URL(file, playlist))).arrayBuffer());
    const mark = file.endsWith(".mp4") ? "encv" : "senc"; // of video
    expect([file, bytes.includes(mark)]).toEqual([file, true]);
    const unsigned = new URL(file, playlist).href.replace(/~[^/]+/, "");
    expect((await fetch(unsigned)).status).toBe(401);
  }
});

test("strict players of HLS and DASH find no violation, and find the announced codecs in the encrypted media", async () => {
  const [hls, dash] = await Promise.all([
    checkHls(address("m3u8"), { seconds: CHECK_SECONDS }),
    checkDash(address("mpd"), { seconds: CHECK_SECONDS, schemaPath: OWN_SCHEMA }),
  ]);
  for (const { verdicts } of [hls, dash])
    expect(verdicts.flatMap(({ id, state, faults }) => (state === "FAIL" ? [{ id, first: faults[0] }] : []))).toEqual(
      [],
    );
  expect(hls.verdicts.find(({ id }) => id === "codecs-true")?.state).toBe("ok");
  expect(dash.verdicts.find(({ id }) => id === "init")?.state).toBe("ok");
});

test("the recording plays at the stream's address with the stream's licence", async (context) => {
  await broadcaster.stop();
  expect(await platform.api("PUT", `/v1/live/streams/${streamId}/finish`)).toMatchObject({ status: 200 });
  await letPass(WINDOW_SECONDS);
  const recorded = await eventually("the recording", async () => {
    const answer = await fetch(address("m3u8"));
    if (answer.ok && answer.redirected) return answer.url;
    throw new Error(`not yet: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
  });
  expect(recorded).not.toContain(playbackId);
  const { playFor, logOf } = await play("hls.js", address("m3u8"), context);
  expect((await playFor(2)).pictures).toBeGreaterThan(0);
  expect((await logOf()).errors).toEqual([]);
});
