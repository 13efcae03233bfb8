/** A broadcast while each of its processes is killed. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Broadcaster, startBroadcaster } from "../../support/clock-broadcaster.ts";
import {
  dvrOf,
  eventTypesOf,
  eventually,
  type LiveStreamRecord,
  newLiveStream,
  type SeenSegment,
  segmentsOf,
  smallestPlaylist,
  streamOf,
} from "../../support/live-watch.ts";
import { isReady, startTestPlatform, type TestPlatform } from "../../support/platform.ts";
import { getBytes } from "../../support/playlists.ts";
import { commandOf, descendantsOf } from "../../support/processes.ts";

const run = promisify(execFile);
const FRAME_RATE = 15;
const SMALL = { widthPx: 480, heightPx: 270, frameRate: FRAME_RATE, bitrateBps: 600_000, keySeconds: 1 };

let platform: TestPlatform;
let stream: LiveStreamRecord;
let broadcaster: Broadcaster;
let playlist: string;
/** Segments that viewers have seen. */
let shown: SeenSegment[] = [];

beforeAll(async () => {
  platform = await startTestPlatform({ withIngest: true, vars: { LIVE_WAIT_SCALE: "0.2" } }); // a reconnect window of 12 s
  stream = await newLiveStream(platform);
  broadcaster = await startBroadcaster(stream.ingest.rtmp, SMALL);
  playlist = (await eventually("a playlist", () => smallestPlaylist(dvrOf(platform, stream))))!;
  shown = await untilMore(2);
});

afterAll(async () => {
  await broadcaster?.stop();
  await platform?.stop();
  await platform?.removeHome();
});

/** Waits for this many new whole segments without a discontinuity. Earlier segments must still be listed, unchanged. */
async function untilMore(count: number): Promise<SeenSegment[]> {
  const segments = await eventually(`${count} more segments`, async () => {
    const now = await segmentsOf(playlist);
    return now !== null && now.length >= shown.length + count ? now : null;
  });
  expect(segments.at(-1)!.discontinuities).toBe(0);
  expect(segments.slice(0, shown.length)).toEqual(shown);
  return segments;
}

/** Checks that segment numbers are consecutive. */
function expectNoHole(segments: SeenSegment[]): void {
  const numbers = segments.map(({ url }) => Number(/(\d+)\.m4s$/.exec(url)?.[1]));
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect(segments.filter(({ isGap }) => isGap)).toEqual([]);
}

const sessionOf = (url: string) => new URL(url).pathname.split("/")[2];
const killAll = (pids: number[]) => {
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) process.kill(pid, "SIGKILL");
};
const underIngest = (pattern: RegExp) =>
  descendantsOf(platform.pids.ingest()!).filter((pid) => pattern.test(commandOf(pid)));

/** Reconnects with the same key, as encoders do until they are accepted. */
const comeBack = () => eventually("the broadcaster is back", () => startBroadcaster(stream.ingest.rtmp, SMALL));

async function expectSameSession(): Promise<void> {
  const now = await eventually("a playlist", () => smallestPlaylist(dvrOf(platform, stream)));
  expect(sessionOf(now)).toBe(sessionOf(playlist));
}

describe("a broadcast continues its session, with all earlier segments, when", () => {
  test("its broadcaster is disconnected and returns within the window", async () => {
    await broadcaster.kill();
    broadcaster = await comeBack();
    shown = await untilMore(4);
    await expectSameSession();
  });

  test("its encoder is killed four times, without a discontinuity", async () => {
    for (let kill = 0; kill < 4; kill += 1) {
      killAll([Math.min(...underIngest(/live\/child\.ts/))]); // the newest process waits for the next broadcast
      shown = await untilMore(2);
    }
    await expectSameSession();
    expect(broadcaster.isGone()).toBe(false);
  });

  test("its gateway is killed", async () => {
    const before = platform.pids.ingest()!;
    killAll([before]);
    await broadcaster.gone;
    broadcaster = await comeBack();
    expect(platform.pids.ingest()).not.toBe(before);
    shown = await untilMore(4);
    await expectSameSession();
  });

  test("the Worker is killed, without a loss of media that arrived meanwhile", async () => {
    const host = platform.pids.worker()!;
    killAll([host, ...descendantsOf(host)]);
    shown = await untilMore(3);
    await expectSameSession();
    expect(broadcaster.isGone()).toBe(false);
  });
});

describe("when the broadcaster stays away longer than the window", () => {
  let recordingId: string;

  test("there is one recording, with every segment and every frame that was shown", async () => {
    await broadcaster.stop();
    const { mediaIds } = await streamOf(platform, stream);
    expect(mediaIds).toHaveLength(1);
    recordingId = mediaIds![0]!;
    const onAir = shown.length;
    const media = await platform.until(recordingId, isReady);
    shown = (await segmentsOf(playlist)) ?? shown;
    expectNoHole(shown);
    expect(media.tracks.map(({ type }) => type).toSorted()).toEqual(["audio", "video"]);
    const { playbackIds } = media as unknown as { playbackIds: { id: string }[] };
    const recorded = await smallestPlaylist(`${platform.baseUrl}/${playbackIds[0]!.id}.m3u8`);
    const segments = (await segmentsOf(recorded!))!;
    const lengths = (those: SeenSegment[]) => those.map(({ durationSeconds }) => durationSeconds.toFixed(4));
    // Viewers saw the last picture until the window was over; that is not recorded.
    expect(lengths(segments)).toEqual(lengths(shown).slice(0, segments.length));
    expect(segments.length).toBeGreaterThanOrEqual(onAir);
    expectNoHole(segments);
    expect(segments.at(-1)!.discontinuities).toBe(0);
    const inits = new Set(segments.map(({ initUrl }) => initUrl));
    expect(inits.size).toBe(1);
    const seconds = segments.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
    expect(await decodedFrames([...inits, ...segments.map(({ url }) => url)])).toBe(Math.round(seconds * FRAME_RATE));
  });

  test("every event was sent once and in order", async () => {
    const connected = ["live_stream.connected", "live_stream.disconnected"];
    expect(await eventTypesOf(platform, stream.streamId)).toEqual([
      "video.live_stream.created",
      "video.live_stream.preparing",
      "live_stream.connected",
      "video.live_stream.recording",
      "video.live_stream.active",
      "live_stream.disconnected",
      ...connected,
      ...connected,
      "video.live_stream.idle",
    ]);
    expect(await eventTypesOf(platform, recordingId)).toEqual([
      "video.media.live_stream.created",
      "asset.ready",
      "live_stream.recording.ready",
    ]);
  });

  test("its next broadcast is a new session, with a new recording", async () => {
    broadcaster = await comeBack();
    const next = await eventually("another session", async () => {
      const found = await smallestPlaylist(dvrOf(platform, stream));
      return found !== null && sessionOf(found) !== sessionOf(playlist) ? found : null;
    });
    const mediaIds = await eventually("its recording", async () => {
      const { mediaIds: found } = await streamOf(platform, stream);
      return found?.length === 2 ? found : null;
    });
    expect(mediaIds).toEqual([sessionOf(playlist), sessionOf(next)]);
  });
});

async function decodedFrames(urls: string[]): Promise<number> {
  const bytes = Buffer.concat(await Promise.all(urls.map(getBytes)));
  const words = "-v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 -";
  const probing = run("ffprobe", words.split(" "));
  probing.child.stdin?.end(bytes);
  const { stdout, stderr } = await probing;
  expect(stderr).toBe("");
  return Number(stdout.trim());
}
