/** A live stream in native players: mpv, ffmpeg and VLC. */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { check } from "../../../conformance/dash/check.ts";
import { OWN_SCHEMA } from "../../../conformance/dash/schema.ts";
import type { Verdict } from "../../../conformance/rule.ts";
import { type Broadcaster, startBroadcaster } from "../../support/clock-broadcaster.ts";
import {
  dvrOf,
  eventually,
  type LiveStreamRecord,
  newLiveStream,
  segmentsOf,
  streamOf,
  untilSegment,
} from "../../support/live-watch.ts";
import { isReady, sharedPlatform, type SharedPlatform } from "../../support/platform.ts";
import { startCountingProxy } from "../../support/players/counting-proxy.ts";
import { remoteOf } from "../../support/players/mpv-remote.ts";
import { ffmpeg, mpv, type Program, vlc } from "../../support/players/programs.ts";

let platform: SharedPlatform;
let stream: LiveStreamRecord;
let broadcaster: Broadcaster;
beforeAll(async () => {
  platform = await sharedPlatform({ withIngest: true });
  stream = await newLiveStream(platform, { maxDuration: 3600 });
  const small = { widthPx: 320, heightPx: 180, frameRate: 15, bitrateBps: 300_000, keySeconds: 1 };
  broadcaster = await startBroadcaster(stream.ingest.rtmp, small);
  await untilSegment(platform, stream);
});
afterAll(async () => {
  await broadcaster?.stop();
});

test("every answer of the local platform has a Date, as behind Cloudflare", async () => {
  const { baseUrl } = platform;
  const playbackPath = `/${stream.playbackIds[0]!.id}`;
  const playlist = await untilSegment(platform, stream);
  const [segment] = (await segmentsOf(playlist))!;
  const paths = [
    `${playbackPath}.mpd`,
    `${playbackPath}.m3u8`,
    `/player${playbackPath}`,
    "/v1/live/streams",
    "/nothing",
  ];
  for (const url of [...paths.map((path) => `${baseUrl}${path}`), playlist, segment!.url, segment!.initUrl]) {
    const { headers } = await fetch(url);
    const date = headers.get("date") ?? "none";
    expect({ url, date, isNow: Math.abs(Date.parse(date) - Date.now()) < 5000 }).toEqual({ url, date, isNow: true });
  }
});

test("mpv seeks back to the first segment of a broadcast whose DVR playlist is never cut", async () => {
  const socket = join(await mkdtemp(join(tmpdir(), "sluice-mpv-")), "socket");
  const options = [`--input-ipc-server=${socket}`, "--demuxer-lavf-o=live_start_index=0", "--rebase-start-time=no"];
  const player = mpv(dvrOf(platform, stream), ...options);
  onTestFinished(() => player.kill());
  const remote = await remoteOf(socket);
  onTestFinished(() => remote.close());
  const secondsAt = async () => Number((await remote.get("time-pos")) ?? Number.NaN);
  const until = (what: string, isThere: (seconds: number) => boolean) =>
    eventually(what, async () => (isThere(await secondsAt()) ? true : null));

  await until("it plays the first segment", (seconds) => seconds >= 0 && seconds < 4);
  await eventually("more of the broadcast", async () => (Number(await remote.get("duration")) > 9 ? true : null));
  expect(await remote.get("seekable")).toBe(true);
  await remote.command("seek", 6, "absolute");
  await until("it plays what came later", (seconds) => seconds > 6.2 && seconds < 9);
  await remote.command("seek", 1, "absolute");
  await until("it plays the beginning again", (seconds) => seconds > 1.2 && seconds < 4);
});

/** Checks the MPD, up to its end if it is live. */
const checkDash = (url: string) => check(url, { seconds: 100, schemaPath: OWN_SCHEMA });
const faultsOf = (verdicts: Verdict[]) =>
  verdicts.flatMap(({ id, faults }) => faults.map((fault) => ({ id, ...fault })));

/** Requests that a client may still send to the stream's address after the end: it polls once more, and ends. */
const MOST_AFTER_THE_END = 20;

test("ffmpeg, mpv and VLC that follow the stream's address exit when the broadcast ends", async () => {
  const path = `/${stream.playbackIds[0]!.id}`;
  const followers: Record<string, (proxied: (file: string) => string) => Program> = {
    "ffmpeg-dash": (proxied) => ffmpeg(proxied(".mpd")),
    "ffmpeg-hls": (proxied) => ffmpeg(proxied(".m3u8")),
    "mpv-dash": (proxied) => mpv(proxied(".mpd")),
    // Not over DASH: VLC 3 reads `type` only from its first MPD (docs/guides/live.md).
    "vlc-hls": (proxied) => vlc(proxied(".m3u8")),
  };
  const names = Object.keys(followers);
  const proxy = await startCountingProxy(platform.baseUrl, names);
  onTestFinished(() => proxy.close());
  const programs = names.map((name) => followers[name]!((file) => proxy.urlFor(name, `${path}${file}`)));
  onTestFinished(() => Promise.all(programs.map((program) => program.kill())).then(() => undefined));
  const segmentsOf = (name: string) =>
    proxy.askedBy(name).filter(({ path, status }) => path.endsWith(".m4s") && status === 200).length;
  const checking = checkDash(`${platform.baseUrl}${path}.mpd`);
  for (const name of names)
    await eventually(`${name} plays`, async () => (segmentsOf(name) >= 4 ? true : null), 60_000);

  // Disabling ends the session immediately. libavformat requests a short last segment endlessly from a static MPD that it can parse.
  const variants = await (await fetch(dvrOf(platform, stream))).text();
  const playlist = variants.split("\n").find((line) => /^[^#]/.test(line));
  await eventually("a segment that has just begun", async () => {
    const text = await (await fetch(new URL(playlist!, platform.baseUrl))).text();
    return /\.m4s\n#EXT-X-PROGRAM-DATE-TIME[^\n]*\n#EXT-X-PART[^\n]*\n#EXT-X-PRELOAD-HINT/.test(text) ? true : null;
  });
  const { status } = await platform.api("PUT", `/v1/live/streams/${stream.streamId}/live-disable`);
  expect(status).toBe(200);
  const before = new Map(names.map((name) => [name, proxy.askedBy(name).length]));
  for (const [index, name] of names.entries()) {
    const program = programs[index]!;
    const asked = () => JSON.stringify(proxy.askedBy(name).slice(before.get(name)).slice(-5));
    const ended = eventually(`${name} ends`, async () => (program.code() === undefined ? null : true), 30_000);
    await ended.catch((error: unknown) => expect.fail(`${String(error)}; it asked ${asked()}; ${program.words()}`));
    expect([name, program.code()]).toEqual([name, 0]);
  }
  for (const name of names) {
    const after = proxy.askedBy(name).slice(before.get(name));
    const manifests = after.filter(({ path }) => /\.(?:mpd|m3u8)/.test(path));
    expect(manifests.length, `${name}: ${JSON.stringify(after)}`).toBeLessThanOrEqual(MOST_AFTER_THE_END);
  }
  const { verdicts } = await checking;
  expect(faultsOf(verdicts)).toEqual([]);
  const seen = (rule: string) => verdicts.find(({ id }) => id === rule)!.seen;
  expect(seen("static-attributes")).toBe(1); // the end was checked too
  expect(seen("media-times")).toBeGreaterThan(5);
});

test("the MPD of its recording, and the segments, conform to DASH", async () => {
  const { mediaIds } = await streamOf(platform, stream);
  const { playbackIds } = await platform.until(mediaIds![0]!, isReady);
  const { verdicts } = await checkDash(`${platform.baseUrl}/${playbackIds[0]!.id}.mpd`);
  expect(faultsOf(verdicts)).toEqual([]);
  expect(verdicts.find(({ id }) => id === "media-times")!.seen).toBeGreaterThan(5);
});
