/** Tests audio/video synchronization from the start of a broadcast, for every protocol. */
import { SESSION_START } from "../../encoder/live/run-state.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Listener } from "../../encoder/gateway/reception/incoming.ts";
import { takePush } from "../../encoder/gateway/reception/push.ts";
import { openRtmpListener } from "../../encoder/gateway/rtmp/listener.ts";
import { openSrtListener } from "../../encoder/gateway/srt/listener.ts";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import { beepsBehindFlashes, flashAndBeep } from "../support/flash-and-beep.ts";
import { checkParts } from "../support/live-checks.ts";
import { broadcast, broadcastOf, fileOf } from "../support/live.ts";
import { decodeSound, loudness } from "../support/rendition.ts";
import { ffmpeg } from "./broadcaster.ts";
import { TestReception } from "./reception.ts";

Log.setLevel(AV_LOG_QUIET);
const PASSPHRASE = "first sound of a broadcast".replaceAll(" ", "-");
const SECONDS = 3;
const CLOSE_SECONDS = 0.015;

const reception = new TestReception();
const http = createServer((request, response) => void takePush(request, response, reception));
let rtmp: Listener;
let srt: Listener;

beforeAll(async () => {
  rtmp = await openRtmpListener({ host: "127.0.0.1", port: 0, protocol: "rtmp" }, reception);
  srt = await openSrtListener({ host: "127.0.0.1", port: 0 }, reception);
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
});
afterAll(async () => {
  http.close();
  await Promise.all([rtmp.close(), srt.close()]);
});

const pushTo = (key: string) => [
  "-headers",
  `X-Stream-Key: ${key}\r\n`,
  `http://127.0.0.1:${(http.address() as AddressInfo).port}/push`,
];
const WAYS: Record<string, (key: string) => string[]> = {
  RTMP: (key) => ["-f", "flv", `rtmp://127.0.0.1:${rtmp.port}/live/${key}`],
  SRT: (key) => [
    "-f",
    "mpegts",
    `srt://127.0.0.1:${srt.port}?streamid=${key}&pkt_size=1316&linger=2&latency=500000&passphrase=${PASSPHRASE}`,
  ],
  "MPEG-TS over HTTP": (key) => ["-f", "mpegts", ...pushTo(key)],
  "FLV over HTTP": (key) => ["-f", "flv", ...pushTo(key)],
  "fragmented MP4 over HTTP": (key) => ["-movflags", "empty_moov+frag_keyframe", "-f", "mp4", ...pushTo(key)],
};

/** In the default tier: a protocol for FLV and one for MPEG-TS. HTTP carries the same containers. */
const DEFAULT_WAYS: readonly string[] = ["RTMP", "SRT"];
const timeout = 120_000; // all ways are encoded at once, beside other lanes

test.concurrent.each(DEFAULT_WAYS)(
  "%s: each beep is within 15 ms of its flash, starting with the first, at the start and after a reconnect",
  { timeout },
  beepsAreInTime,
);
test.concurrent.each(Object.keys(WAYS).filter((way) => !DEFAULT_WAYS.includes(way)))(
  "%s: each beep is within 15 ms of its flash, starting with the first, at the start and after a reconnect",
  { timeout, tags: ["full"] },
  beepsAreInTime,
);

async function beepsAreInTime(way: string): Promise<void> {
  let start = SESSION_START;
  for (const connection of ["first", "second"]) {
    const key = `${way.replaceAll(" ", "-")}-${connection}`;
    reception.passphrases.set(key, PASSPHRASE);
    const { ran } = ffmpeg(["-re", ...flashAndBeep(SECONDS), ...WAYS[way]!(key)]);
    expect(await ran).toMatchObject({ code: 0 });
    const made = await broadcast(await reception.whole(key), { start });
    checkParts(made);
    const behind = await beepsBehindFlashes(made, start.initVersion);
    expect(behind.length).toBe(SECONDS);
    for (const seconds of behind) expect(Math.abs(seconds)).toBeLessThan(CLOSE_SECONDS);
    start = { msn: made.end.nextMsn, isDiscontinuous: true, initVersion: 1, seconds: made.end.seconds, ticks: {} };
  }
}

test("sound without a picture keeps every AAC frame of an MPEG-TS that has several in one PES", async () => {
  const words = "-f lavfi -i sine=r=48000 -t 5 -c:a aac";
  const made = await broadcast(await broadcastOf(`${words} -f mpegts`));
  checkParts(made);
  const frames = adtsFrames(await broadcastOf(`${words} -f adts`));
  const sound = await decodeSound(fileOf(made, "a1"));
  expect(sound.samples.length).toBe(frames * AAC_FRAME_SAMPLES);
  const usual = loudness(sound, 2, 4);
  for (let seconds = 0.05; seconds < 1; seconds += 0.02)
    // an AAC frame is 21 ms long
    expect(loudness(sound, seconds, seconds + 0.02)).toBeGreaterThan(0.8 * usual);
});

/** ISO/IEC 13818-7 §6.2: the frame length is 13 bits from bit 30 on. */
function adtsFrames(bytes: Buffer): number {
  let frames = 0;
  for (let at = 0; at + 7 <= bytes.length; at += (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff) frames += 1;
  return frames;
}
