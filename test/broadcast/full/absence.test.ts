/** A broadcaster that is disconnected and returns, in native players: live, and in the recording. */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspectFile } from "../../support/inspect-file.ts";
import { eventually, manifestOf, newLiveStream, streamOf, untilSegment } from "../../support/live-watch.ts";
import { type OtherPlayer, play, type Playing } from "../../support/other-players.ts";
import { isReady, sharedPlatform, type SharedPlatform } from "../../support/platform.ts";

const BEFORE_MS = 9000; // players begin up to 6 s behind the edge
const ABSENT_MS = 4000;
/** Minimum play time of each player: it begins before the absence, and ends after it. */
const PLAYED_SECONDS = 17;
const LIVE: [OtherPlayer, "HLS" | "DASH"][] = [
  ["ffmpeg", "HLS"],
  ["ffmpeg", "DASH"],
  ["mpv", "HLS"],
  ["mpv", "DASH"],
  ["vlc", "HLS"],
  ["vlc", "DASH"],
  ["gstreamer", "HLS"],
];

let platform: SharedPlatform;
let broadcaster: ChildProcess;
let live: Map<string, { playing: Playing; last: number }>;
let recording: string;
let recordingId: string;

const SOURCE = [
  ..."-v error -re -f lavfi -i testsrc=s=320x180:r=30 -f lavfi -i sine=b=2:r=48000 -pix_fmt yuv420p".split(" "),
  ..."-c:v libx264 -preset ultrafast -g 30 -bf 0 -b:v 300k -maxrate 300k -bufsize 150k -c:a aac -f flv".split(" "),
];
const textOf = async (url: string) => await (await fetch(url)).text();

beforeAll(async () => {
  platform = await sharedPlatform({ withIngest: true });
  const stream = await newLiveStream(platform);
  const begin = () => spawn("ffmpeg", [...SOURCE, stream.ingest.rtmp], { stdio: "ignore" });
  broadcaster = begin();
  await untilSegment(platform, stream);
  const hls = manifestOf(platform, stream);
  const urls = { HLS: hls, DASH: hls.replace(".m3u8", ".mpd") };
  live = new Map();
  for (const [player, how] of LIVE) live.set(`${player} ${how}`, { playing: await play(player, urls[how]), last: 0 });
  await sleep(BEFORE_MS);
  broadcaster.kill("SIGKILL");
  await sleep(ABSENT_MS);
  broadcaster = begin();
  await eventually(
    "players that have shown what came behind the absence",
    async () => [...live.values()].every(({ playing }) => playing.playedSeconds() >= PLAYED_SECONDS) || null,
  ).catch(() => {}); // each has a test of its own
  await Promise.all([...live.values()].map(({ playing }) => playing.stop()));
  await platform.api("PUT", `/v1/live/streams/${stream.streamId}/finish`);
  const { mediaIds } = await streamOf(platform, stream);
  recordingId = mediaIds![0]!;
  const media = await platform.until(recordingId, isReady);
  recording = `${platform.baseUrl}/${(media as unknown as { playbackIds: { id: string }[] }).playbackIds[0]!.id}`;
});

afterAll(async () => {
  broadcaster?.kill("SIGKILL");
});

describe("a live broadcast whose broadcaster is disconnected and returns", () => {
  test.each(LIVE)(
    "is played across the absence by %s over %s, without a jump back and without a gap",
    (player, how) => {
      const { playing } = live.get(`${player} ${how}`)!;
      const shown = playing.shown();
      if (playing.playedSeconds() < PLAYED_SECONDS) expect.fail(`${playing.playedSeconds()} s: ${playing.words()}`);
      const steps = shown.slice(1).map((seconds, index) => seconds - shown[index]!);
      expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...steps)).toBeLessThan(1);
    },
  );
});

describe("the recording of such a broadcast", () => {
  test("has one init segment, no discontinuity and one Period", async () => {
    const variants = (await textOf(`${recording}.m3u8`)).split("\n").filter((line) => line.endsWith(".m3u8"));
    for (const variant of variants) {
      const playlist = await textOf(new URL(variant, `${recording}.m3u8`).href);
      expect(playlist.match(/#EXT-X-MAP/g)).toHaveLength(1);
      expect(playlist).not.toContain("#EXT-X-DISCONTINUITY");
    }
    expect((await textOf(`${recording}.mpd`)).match(/<Period/g)).toHaveLength(1);
  });

  test("has a file for download that begins at 0, with the sound beside its picture, and decodes without a complaint", async () => {
    const seconds = Number(/mediaPresentationDuration="PT([\d.]+)S"/.exec(await textOf(`${recording}.mpd`))![1]);
    await platform.api("PATCH", `/v1/on-demand/${recordingId}/update-mp4Support`, { mp4Support: "capped_4k" });
    const bytes = await eventually("the file", async () => {
      const answer = await fetch(`${recording}/capped-4k.mp4`);
      return answer.ok ? Buffer.from(await answer.arrayBuffer()) : null;
    });
    const { streams, durationSeconds, startSeconds, complaints } = await inspectFile(bytes);
    expect(streams.map(({ codec }) => codec)).toEqual(["h264", "aac"]);
    expect(startSeconds).toBe(0);
    expect(Math.abs(streams[0]!.startSeconds - streams[1]!.startSeconds)).toBeLessThan(0.1);
    expect(Math.abs(durationSeconds - seconds)).toBeLessThan(0.2);
    expect(Math.abs(streams[0]!.frames / 30 - seconds)).toBeLessThan(0.2);
    expect(complaints).toBe("");
  });

  test("is played to its end by every player, over HLS and DASH", async () => {
    const seconds = Number(/mediaPresentationDuration="PT([\d.]+)S"/.exec(await textOf(`${recording}.mpd`))![1]);
    const played = await Promise.all(
      (["ffmpeg", "mpv", "vlc", "gstreamer"] as const).flatMap((player) =>
        ["m3u8", "mpd"].map(async (how) => {
          const playing = await play(player, `${recording}.${how}`);
          await playing.ended;
          return [`${player} ${how}`, playing.playedSeconds() / seconds] as const;
        }),
      ),
    );
    expect(Object.fromEntries(played.filter(([, share]) => share < 0.95 || share > 1.01))).toEqual({});
  });
});
