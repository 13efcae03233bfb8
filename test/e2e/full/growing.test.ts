/** Playlists while an asset is processed: complete ones never change, and growing ones are only appended to. */
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { axeFindings } from "../pages/axe.ts";
import { madeFile } from "../../support/made.ts";
import { eventually } from "../../support/live-watch.ts";
import { isReady } from "../../support/platform.ts";
import { type PlayerName, type PlayThrough, playThrough } from "../players/play-through.ts";
import { uploadSlowly } from "../players/slow-upload.ts";
import { type Stage, startStage } from "../players/stage.ts";

/** Two and a half chunks of the upload page. */
const FILM_BYTES = 20_000_000;

let stage: Stage;
let standard: string;

beforeAll(async () => {
  stage = await startStage();
  const loop = ["-stream_loop", "3", "-i", "test/fixtures/flower.mp4", "-t", "18", "-vf", "scale=640:360"];
  standard = await madeFile([...loop, "-preset", "veryfast", "-movflags", "+faststart"], "mp4");
  const other = await madeFile(["-i", standard, "-c", "copy"], "mkv");
  await stage.serve("standard.mp4", standard);
  await stage.serve("other.mkv", other);
});

afterAll(() => stage?.close());

type Created = { assetId: string; playbackId: string };

const text = (url: string) => fetch(url).then(async (response) => (response.ok ? await response.text() : null));

/** Every media playlist that a manifest currently lists. */
async function playlistsNow(manifestUrl: string): Promise<Map<string, string>> {
  const multivariant = (await text(manifestUrl)) ?? "";
  const uris = [...multivariant.matchAll(/URI="([^"]+)"/g)].map((match) => match[1]!);
  uris.push(...multivariant.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
  const urls = [...new Set(uris.map((uri) => new URL(uri, manifestUrl).href))];
  const texts = await Promise.all(urls.map(async (url) => [url, await text(url)] as const));
  return new Map(texts.flatMap(([url, content]) => (content === null ? [] : [[url, content] as const])));
}

const isWhole = (playlist: string) => playlist.includes("#EXT-X-ENDLIST");
const segmentsOf = (playlist: string) =>
  playlist.split("\n").filter((line) => line.startsWith("#EXTINF") || (line !== "" && !line.startsWith("#")));

/** Polls every playlist until the asset is ready. */
async function watch(
  assetId: string,
  manifestUrl: string,
): Promise<{ seen: Map<string, string[]>; sawGrowing: boolean }> {
  const seen = new Map<string, string[]>();
  let sawGrowing = false;
  let isDone = false;
  void stage.platform.until(assetId, isReady).then(() => (isDone = true));
  for (let last = false; ; last = isDone) {
    for (const [url, playlist] of await playlistsNow(manifestUrl)) {
      const versions = seen.get(url) ?? [];
      if (versions.at(-1) !== playlist) seen.set(url, [...versions, playlist]);
      sawGrowing ||= !isWhole(playlist);
    }
    // An isolate can serve a cached manifest, also one between picture and sound: polling ends when the whole ladder is listed and has ended.
    const seesLadder = ["/v270.m3u8", "/a1.m3u8"].every((name) => [...seen.keys()].some((url) => url.endsWith(name)));
    if (last && seesLadder && [...seen.values()].every((versions) => isWhole(versions.at(-1)!)))
      return { seen, sawGrowing };
    await new Promise((done) => setTimeout(done, 100));
  }
}

test("the upload page sends a file, shows its speed, pauses, and continues after a reload, and after a connection that is lost or was not there", async () => {
  const { body } = await stage.platform.api<{ uploadId: string }>("POST", "/v1/on-demand/upload", {
    corsOrigin: "*",
    pushMediaSettings: { accessPolicy: "public", title: "From a customer" },
  });
  const folder = await mkdtemp(join(tmpdir(), "sluice-upload-page-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [film, another] = [join(folder, "film.mp4"), join(folder, "another.mp4")];
  await writeFile(film, randomBytes(FILM_BYTES));
  await writeFile(another, "of another length");
  const page = await stage.browser.newPage();
  const session = await page.context().newCDPSession(page);
  const throttled = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 8_000_000 };
  await session.send("Network.emulateNetworkConditions", throttled);
  const [state, figures, button] = [page.locator(".state"), page.locator(".figures"), page.locator("button.pause")];
  const received = async () => {
    const path = `/v1/on-demand/upload/${body.data.uploadId}`;
    return (await stage.platform.api<{ receivedBytes: number; status: string }>("GET", path)).body.data;
  };

  await page.goto((body as unknown as { page_url: string }).page_url);
  expect(await page.title()).toBe("From a customer");
  expect(await axeFindings(page)).toEqual([]);
  await page.setInputFiles("input[type=file]", film);
  await expect
    .poll(() => figures.textContent(), { timeout: 20_000 })
    .toMatch(/^[\d.]+ MB of 20\.0 MB, .+\/s, \d+ s left$/);
  await expect.poll(async () => (await received()).receivedBytes, { timeout: 20_000 }).toBeGreaterThan(0);
  await button.click();
  expect(await button.textContent()).toBe("Continue");
  const paused = await received();
  await new Promise((done) => setTimeout(done, 1500));
  expect(await received()).toEqual(paused);
  expect(paused.receivedBytes).toBeLessThan(FILM_BYTES);

  await page.reload();
  expect(await state.textContent()).toMatch(
    /^\d+ % has arrived\. Choose the same file \(20\.0 MB\) again to continue\.$/,
  );
  await page.setInputFiles("input[type=file]", another);
  await expect.poll(() => state.textContent()).toContain("another file");
  await session.send("Network.emulateNetworkConditions", { ...throttled, offline: true });
  await page.setInputFiles("input[type=file]", film);
  await expect.poll(() => state.textContent()).toBe("There is no connection. The upload begins when there is one.");
  await session.send("Network.emulateNetworkConditions", throttled);
  await expect.poll(() => state.textContent()).toBe("film.mp4");
  await session.send("Network.emulateNetworkConditions", { ...throttled, offline: true });
  await expect.poll(() => state.textContent()).toBe("The connection was lost.");
  await page.route(/./, (route) => route.abort("connectionrefused")); // the network is back, and the server is not
  await session.send("Network.emulateNetworkConditions", throttled);
  await expect
    .poll(() => figures.textContent(), { timeout: 20_000 })
    .toMatch(/^[\d.]+ MB of 20\.0 MB, waiting for the server$/);
  await page.unroute(/./);
  await expect.poll(() => state.textContent(), { timeout: 30_000 }).toBe("film.mp4 has been uploaded.");
  expect(await received()).toMatchObject({ status: "complete", receivedBytes: FILM_BYTES });
  await page.reload();
  expect(await page.locator("main").textContent()).toContain("The upload is complete");
  expect((await page.goto(`${page.url()}x`))!.status()).toBe(404);
  await page.close();
});

describe("while an asset is processed", () => {
  test("a standard source's playlists are complete from the start, and none ever changes", async () => {
    const { assetId, playbackId } = await stage.platform.create(stage.server.url("/standard.mp4"));
    const address = `${stage.platform.baseUrl}/${playbackId}`;
    const { seen, sawGrowing } = await watch(assetId, `${address}.m3u8`);
    expect(sawGrowing).toBe(false);
    for (const versions of seen.values()) expect(versions).toHaveLength(1);
    const names = [...seen.keys()].map((url) => /([a-z0-9-]+)\.m3u8$/.exec(url)?.[1] ?? url);
    expect(names).toEqual(expect.arrayContaining(["source-v", "v480", "v270", "a1"]));
    // Players that began with the source's own rendition continue with it.
    const [passthrough] = [...seen].find(([url]) => url.includes("source-v")) ?? [""];
    expect(await text(passthrough)).toBe(seen.get(passthrough)?.[0]);
  });

  test("another source's playlists are only appended to, and end once", async () => {
    const { assetId, playbackId } = await stage.platform.create(stage.server.url("/other.mkv"));
    const { seen, sawGrowing } = await watch(assetId, `${stage.platform.baseUrl}/${playbackId}.m3u8`);
    expect(sawGrowing).toBe(true);
    for (const versions of seen.values()) {
      for (const [position, version] of versions.entries()) {
        const before = versions[position - 1];
        if (before === undefined) continue;
        expect(isWhole(before)).toBe(false);
        expect(segmentsOf(version).slice(0, segmentsOf(before).length)).toEqual(segmentsOf(before));
      }
      expect(isWhole(versions.at(-1)!)).toBe(true);
    }
  });

  // In real time, so that the player can be faster than the encoder.
  async function playFromTheStart(player: PlayerName, { assetId, playbackId }: Created): Promise<PlayThrough> {
    const manifest = `${stage.platform.baseUrl}/${playbackId}.m3u8`;
    await eventually("a manifest", () => text(manifest), 20_000);
    const played = await playThrough(stage.browser, stage.page.url, player, manifest, { seed: 5 });
    expect(played.durationSeconds).toBeCloseTo(18, 0);
    expect(Math.abs(played.endedAtSeconds - played.durationSeconds)).toBeLessThan(0.1);
    await stage.platform.until(assetId, isReady);
    return played;
  }

  // Both side by side: a player mostly waits for the time to pass, and the encoder is soon done.
  test.concurrent("hls.js that begins at the first playable moment plays /standard.mp4 in real time from 0 to its end without an error", async () => {
    const played = await playFromTheStart("hls.js", await stage.platform.create(stage.server.url("/standard.mp4")));
    expect(played).toMatchObject({ errors: [], badAnswers: [] });
  });

  test.concurrent("hls.js plays a standard file from 0 to its end while it is uploaded slower than it plays, without an error", async () => {
    const upload = await uploadSlowly(stage.platform, "test/fixtures/flower.mp4");
    const manifest = `${stage.platform.baseUrl}/${upload.playbackId}.m3u8`;
    await eventually("a manifest", () => text(manifest), 20_000);
    const { body } = await stage.platform.api<{ receivedBytes: number; totalBytes: number }>(
      "GET",
      `/v1/on-demand/upload/${upload.assetId}`,
    );
    expect(body.data.receivedBytes).toBeLessThan(body.data.totalBytes);
    const played = await playThrough(stage.browser, stage.page.url, "hls.js", manifest, { seed: 5 });
    await upload.isSent;
    // It reports that it waits; it has nothing to recover from.
    const errors = played.errors.filter((error) => !error.includes("bufferStalledError"));
    expect([errors, played.badAnswers]).toEqual([[], []]);
    expect(played.durationSeconds).toBeCloseTo(5, 0);
    expect(Math.abs(played.endedAtSeconds - played.durationSeconds)).toBeLessThan(0.1);
  });

  test("hls.js whose first playlist has one segment asks for the second by a blocking reload, and plays to the end", async () => {
    const { body } = await stage.platform.api<{ url: string }>("POST", "/v1/on-demand/upload", { corsOrigin: "*" });
    const file = await readFile(standard);
    const put = async (from: number, until: number) => {
      const range = `bytes ${from}-${until - 1}/${file.byteLength}`;
      const sent = { method: "PUT", headers: { "content-range": range }, body: file.subarray(from, until) };
      return (await fetch(body.data.url, sent)).status;
    };
    const firstBytes = Math.floor(file.byteLength * 0.6); // one segment is listed, and the second is not whole
    expect(await put(0, firstBytes)).toBe(308);
    const manifest = `${stage.platform.baseUrl}/${body.playback_id}.m3u8`;
    const listed = async () => [...(await playlistsNow(manifest)).values()].map((list) => segmentsOf(list).length / 2);
    await expect.poll(listed, { timeout: 20_000 }).toEqual([1, 1]);
    const reloads: string[] = [];
    let rest: Promise<number> | undefined;
    const onRequest = (url: string) => {
      const [, reload] = /source-v\.m3u8(.*)/.exec(url) ?? [];
      if (reload !== undefined) reloads.push(reload);
      if (url.endsWith("/0.m4s")) rest ??= put(firstBytes, file.byteLength);
    };
    const played = await playThrough(stage.browser, stage.page.url, "hls.js", manifest, { seed: 5, onRequest });
    expect(await rest).toBe(200);
    expect(played).toMatchObject({ errors: [], stalls: [], badAnswers: [] });
    expect(played.durationSeconds).toBeCloseTo(18, 0);
    expect(reloads.slice(0, 2)).toEqual(["", "?_HLS_msn=1"]);
  });

  test("the hosted page of a media that is still being uploaded is that of a video, from its start to its end, and not of a broadcast", async () => {
    const shownFirst = Promise.withResolvers<void>();
    const { playbackId, isSent } = await uploadSlowly(
      stage.platform,
      "test/fixtures/flower.mp4",
      { title: "Growing" },
      shownFirst.promise,
    );
    const manifest = `${stage.platform.baseUrl}/${playbackId}.m3u8`;
    await eventually("a manifest", () => text(manifest), 20_000);
    const page = await stage.browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${stage.platform.baseUrl}/player/${playbackId}`);
    await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
    expect([...(await playlistsNow(manifest)).values()].every(isWhole)).toBe(false);
    const shown = () =>
      page.evaluate(() => {
        const { paused, muted, currentTime } = document.querySelector("video")!;
        const isLive = document.querySelector(".player.live") !== null;
        return { title: document.title, isLive, paused, muted, isAtStart: currentTime < 0.1 };
      });
    expect(await shown()).toEqual({ title: "Growing", isLive: false, paused: true, muted: false, isAtStart: true });
    await page.evaluate(() => {
      const video = document.querySelector("video")!;
      video.muted = true;
      void video.play();
    });
    shownFirst.resolve();
    await isSent;
    await page.waitForFunction(() => document.querySelector("video")?.ended, null, { timeout: 30_000 });
    expect(await shown()).toMatchObject({ title: "Growing", isLive: false });
    expect(await page.locator(".over").count()).toBe(0);
  });

  let other: Promise<Created> | undefined; // one for both players, which play it concurrently
  test.concurrent.each(["hls.js", "shaka"] as const)(
    "%s that begins at the first playable moment plays /other.mkv in real time from 0 to its end without an error",
    async (player) => {
      other ??= stage.platform.create(stage.server.url("/other.mkv"));
      const played = await playFromTheStart(player, await other);
      expect(played).toMatchObject({ errors: [], badAnswers: [] });
    },
  );
});
