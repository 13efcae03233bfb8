/** The live edge of a real broadcast, with a strict player and with many viewers behind a CDN. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { check } from "../../../../conformance/ll-hls/check.ts";
import { type Broadcaster, startBroadcaster } from "../../../support/clock-broadcaster.ts";
import { holdViewers } from "../../../support/live-viewers.ts";
import {
  eventually,
  type LiveStreamRecord,
  newLiveStream,
  segmentsOf,
  smallestPlaylist,
} from "../../../support/live-watch.ts";
import { sharedPlatform, type SharedPlatform } from "../../../support/platform.ts";
import { startCdn } from "./cdn.ts";

const CHECK_SECONDS = 14;
const VIEWERS = 500;
const PARTS = 6;

let platform: SharedPlatform;
let stream: LiveStreamRecord;
let broadcaster: Broadcaster;
let manifest: string;

beforeAll(async () => {
  platform = await sharedPlatform({ withIngest: true });
  stream = await newLiveStream(platform);
  const small = { widthPx: 640, heightPx: 360, frameRate: 15, bitrateBps: 800_000, hasCaptions: true };
  broadcaster = await startBroadcaster(stream.ingest.rtmp, small);
  manifest = `${platform.baseUrl}/${stream.playbackIds[0]!.id}.m3u8`;
  const playlist = await eventually("a playlist", () => smallestPlaylist(manifest));
  await eventually("two segments", async () => ((await segmentsOf(playlist))?.length ?? 0) >= 2 || null);
});

afterAll(async () => {
  await broadcaster?.stop();
});

test("500 viewers behind a CDN cause at most two origin requests per part or playlist, and none gets a stale edge", async () => {
  const cdn = await startCdn(`${platform.baseUrl}/`);
  try {
    const path = new URL((await smallestPlaylist(manifest))!).pathname;
    const report = await holdViewers(VIEWERS, { playlistUrl: new URL(path, cdn.url).href, parts: PARTS });
    expect([report.stale, report.refused]).toEqual([[], []]);
    expect(report.fresh).toBeGreaterThanOrEqual(VIEWERS * (PARTS - 1));
    expect([...(await cdn.logOf())].filter(([, requests]) => requests > 2)).toEqual([]);
  } finally {
    await cdn.stop();
  }
});

test("a strict player finds no violation of RFC 8216bis up to the end of the stream", async () => {
  const ending = new Promise((done) => setTimeout(done, (CHECK_SECONDS - 4) * 1000)).then(async () => {
    expect((await platform.api("PUT", `/v1/live/streams/${stream.streamId}/finish`)).status).toBe(200);
  });
  expect(await (await fetch(manifest)).text()).toMatch(/TYPE=SUBTITLES,.*NAME="CC1"/); // of RTMP
  const { verdicts } = await check(manifest, { seconds: CHECK_SECONDS });
  await ending;
  const broken = verdicts.filter(({ state }) => state === "FAIL" || state === "warn");
  expect(broken.map(({ id, faults }) => ({ id, count: faults.length, first: faults[0] }))).toEqual([]);
  expect(verdicts.find(({ id }) => id === "end")?.state).toBe("ok");
});
