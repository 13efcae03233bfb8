/** Subtitles of a recording whose broadcaster reconnected: each player shows them at their times, on both sides of the discontinuity. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, newLiveStream, recordingOf, smallestPlaylist } from "../../support/live-watch.ts";
import { sharedPlatform, type SharedPlatform } from "../../support/platform.ts";
import { bufferContent } from "../../support/source-content.ts";
import { type SourceServer, startSourceServer } from "../../support/source-server.ts";
import { launchTestBrowser } from "../players/chromium.ts";
import { openTracksPage } from "../players/open-tracks-page.ts";
import { servePlayerPage } from "../players/page-server.ts";
import type { TrackPlayer } from "../players/tracks-page.ts";

const run = promisify(execFile);
const PUSH_SECONDS = 6;
/** Of a size of its own: an encoder continues with the same one without a discontinuity. */
const pushOf = (size: string) =>
  [
    `-v error -re -f lavfi -i testsrc2=size=${size}:rate=15 -f lavfi -i sine=frequency=440:sample_rate=48000`,
    `-t ${PUSH_SECONDS} -c:v libx264 -preset ultrafast -g 15 -bf 0 -pix_fmt yuv420p -c:a aac -b:a 64k -f mpegts -method PUT`,
  ].flatMap((words) => words.split(" "));

let platform: SharedPlatform;
let browser: Browser;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let files: SourceServer;
let address: string;
/** In the recording, in seconds; 0 = it has no discontinuity. */
let reconnectedAt: number;

const textOf = async (url: string) => await (await fetch(url)).text();
const captionOf = (second: number) => `#${second}.`;

/** A caption for each second. */
function captions(): string {
  const cues = Array.from({ length: 20 }, (_, second) => {
    const [from, to] = [second, second + 1].map((at) => `00:${String(at).padStart(2, "0")}.000`);
    return `${from} --> ${to}\n${captionOf(second)}\n`;
  });
  return ["WEBVTT\n", ...cues].join("\n");
}

beforeAll(async () => {
  [platform, browser, page, files] = await Promise.all([
    sharedPlatform({ withIngest: true }),
    launchTestBrowser(),
    servePlayerPage("tracks-page.ts"),
    startSourceServer(),
  ]);
  const stream = await newLiveStream(platform);
  // The second one is refused while the end of the first is being handled.
  for (const size of ["320x180", "240x180"])
    await eventually(`a push of ${size}`, async () => await run("ffmpeg", [...pushOf(size), stream.ingest.http]));
  await platform.api("PUT", `/v1/live/streams/${stream.streamId}/finish`);
  const media = await recordingOf(platform, stream);
  address = `${platform.baseUrl}/${media.playbackIds[0]!.id}`;
  files.add("/seconds.vtt", { kind: "content", content: bufferContent(Buffer.from(captions())) });
  const url = files.url("/seconds.vtt");
  const tracks = { url, type: "subtitle", languageCode: "en", languageName: "English" };
  await platform.api("POST", `/v1/on-demand/${media.id}/tracks`, { tracks });
  await platform.until(media.id, ({ tracks: all }) =>
    (all as unknown as { type: string; status: string }[]).some(
      ({ type, status }) => type === "subtitle" && status === "available",
    ),
  );
  const lines = (await textOf((await smallestPlaylist(`${address}.m3u8`))!)).split("\n");
  const before = lines.slice(0, Math.max(0, lines.lastIndexOf("#EXT-X-DISCONTINUITY")));
  reconnectedAt = before.reduce((sum, line) => sum + Number(/^#EXTINF:([\d.]+)/.exec(line)?.[1] ?? 0), 0);
});
afterAll(async () => {
  await Promise.all([browser?.close(), page?.close(), files?.stop()]);
});

test.each<[TrackPlayer, "m3u8" | "mpd"]>([
  ["hls.js", "m3u8"],
  ["dash.js", "mpd"],
  ["shaka", "m3u8"],
  ["shaka", "mpd"],
])("%s shows subtitles of the recording's .%s at their times, also after a reconnect", async (player, extension) => {
  expect(reconnectedAt).toBeGreaterThan(PUSH_SECONDS / 2);
  const tab = await browser.newPage();
  try {
    const call = await openTracksPage(tab, page.url);
    await call("load", player, `${address}.${extension}`);
    const [language = ""] = (await call("languages")).subtitles;
    expect(language).toBe("en");
    for (const second of [1, Math.ceil(reconnectedAt) + 1]) {
      if (second > 1) await call("seek", second - 0.5);
      const shownAt = await call("show", language, captionOf(second));
      expect([second, shownAt]).toEqual([
        second,
        expect.toSatisfy((at: number) => at > second - 0.1 && at < second + 1.1, `within second ${second}`),
      ]);
    }
    expect(await call("errors")).toEqual([]);
  } finally {
    await tab.close();
  }
});
