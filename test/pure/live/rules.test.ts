import { describe, expect, test } from "vitest";
import { isEventType } from "../../../src/events/catalogue/catalogue.ts";
import { isSameSecret } from "../../../protocol/same-secret.ts";
import { newHexId, newStreamSecret, streamIdOfKey } from "../../../src/live/streams/ids.ts";
import { chooseBases, ingestUrls } from "../../../src/live/streams/ingest-urls.ts";
import { ingestSettings } from "../../../src/live/ingest/ingest-settings.ts";
import { STREAM_MOVES, type StreamSignal, type StreamStatus } from "../../../src/live/streams/moves.ts";
import {
  decideConnect,
  hasGatewayRestarted,
  isAudioOnly,
  openSession,
  resumeSession,
  waitMs,
} from "../../../src/live/sessions/session.ts";
import type { ConnectOrder } from "../../../src/live/streams/stream-calls.ts";
import { targetUrlProblem } from "../../../src/live/simulcast/target-url.ts";

type Table = Record<StreamStatus, Partial<Record<StreamSignal, readonly [StreamStatus, string]>>>;
const MOVES: Table = STREAM_MOVES;

describe("the moves of a stream", () => {
  const all = Object.entries(MOVES).flatMap(([from, signals]) =>
    Object.entries(signals).map(([signal, [to, event]]) => ({ from, signal, to, event })),
  );

  test("each announce an existing event type", () => {
    expect(all.filter(({ event }) => !isEventType(event))).toEqual([]);
  });

  test("end a broadcast only after a disconnected event", () => {
    const fromAir = all.filter(
      ({ from, to }) => ["preparing", "active"].includes(from) && !["preparing", "active"].includes(to),
    );
    expect(new Set(fromAir.map(({ event }) => event))).toEqual(new Set(["live_stream.disconnected"]));
  });

  test("lead from every state to disabled and to deleted, and from deleted nowhere", () => {
    const reached = (from: StreamStatus, to: StreamStatus): boolean =>
      MOVES[from].drop !== undefined
        ? reached("disconnected", to)
        : Object.values(MOVES[from]).some(([next]) => next === to);
    for (const from of ["idle", "preparing", "active", "disconnected"] as const)
      expect(reached(from, "disabled")).toBe(true);
    for (const from of ["idle", "preparing", "active", "disconnected", "disabled"] as const)
      expect(reached(from, "deleted")).toBe(true);
    expect(MOVES.deleted).toEqual({});
    expect(Object.keys(MOVES.disabled)).toEqual(["enable", "remove"]);
  });
});

describe("admission of a broadcaster", () => {
  const NOW = 1_000_000;
  test.each([
    ["idle", null, 0, "open"],
    ["disabled", null, 0, "disabled"],
    ["deleted", null, 0, "unknown_key"],
    ["preparing", null, NOW - 4999, "busy"],
    ["active", null, NOW, "busy"],
    ["active", null, NOW - 5000, "resume"],
    ["preparing", null, NOW - 5000, "resume"],
    ["disconnected", NOW + 1, NOW, "resume"],
    ["disconnected", NOW, 0, "open"],
    ["disconnected", null, 0, "open"],
  ] as const)("%s, window until %s, heard at %s: %s", (status, windowEndsAtMs, heardAtMs, expected) => {
    expect(decideConnect(status, windowEndsAtMs, heardAtMs, NOW)).toBe(expected);
  });
});

const order: ConnectOrder = {
  streamId: "s",
  workspaceId: "w",
  gatewayId: "g1",
  gatewayStartedAt: 1,
  protocol: "rtmp",
  settings: { maxResolution: "1080p", latencyMode: "low", partTargetMs: 500, segmentMs: 2000 },
  recording: null,
  reconnectWindowS: 60,
  maxDurationS: 0,
};

test("a resumed session has a new connection and gateway, and keeps its start times", () => {
  const session = { ...openSession(order, "id", 1), segments: 7, hasLeft: true, windowEndsAtMs: 9 };
  const settings = { ...order.settings, partTargetMs: 200, latencyMode: "standard" as const };
  const resumed = resumeSession(session, {
    ...order,
    gatewayId: "g2",
    protocol: "srt",
    settings,
    reconnectWindowS: 90,
  });
  expect(resumed).toEqual({
    ...session,
    gatewayId: "g2",
    protocol: "srt",
    reconnectWindowS: 90,
    connection: 2,
    hasLeft: false,
    windowEndsAtMs: null,
    protocols: ["rtmp", "srt"],
    warnings: { earlier: [], current: [] },
  });
});

test("a restarted gateway has lost its broadcaster; another gateway, or the same process, has not", () => {
  const session = openSession(order, "id", 1);
  expect(hasGatewayRestarted(session, { ...order, gatewayStartedAt: 2 })).toBe(true);
  expect(hasGatewayRestarted(session, order)).toBe(false);
  expect(hasGatewayRestarted(session, { ...order, gatewayId: "g2", gatewayStartedAt: 2 })).toBe(false);
  expect(hasGatewayRestarted(null, order)).toBe(false);
});

test.each([
  [undefined, 60_000],
  ["", 60_000],
  ["x", 60_000],
  ["0.05", 3000],
  ["2", 120_000],
])("LIVE_WAIT_SCALE=%s: a minute takes %d ms", (scale, expected) => {
  expect(waitMs(scale === undefined ? {} : { LIVE_WAIT_SCALE: scale }, 60)).toBe(expected);
});

test("a broadcast is audio-only when it has started with audio and without video", () => {
  const session = openSession(order, "id", 1);
  const audio = { codec: "aac", sampleRateHz: 48_000, channels: 2 };
  expect(isAudioOnly(null)).toBe(false);
  expect(isAudioOnly(session)).toBe(false);
  expect(isAudioOnly({ ...session, facts: { video: null, audio, renditions: [] } })).toBe(true);
  expect(isAudioOnly({ ...session, facts: { video: null, audio: null, renditions: [] } })).toBe(false);
});

test("keys contain their stream and are unique; other texts contain none", () => {
  const id = newHexId();
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  const keys = Array.from({ length: 100 }, () => newStreamSecret(id));
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) expect(streamIdOfKey(key)).toBe(id);
  for (const bad of [
    "",
    id,
    `${id}k`,
    `k${id}`,
    `${id}k${id}0`,
    `${id}K${id}`,
    `${id}k${id.slice(1)}G`,
    `\n${id}k${id}`,
  ])
    expect(streamIdOfKey(bad)).toBeNull();
});

test("secrets are compared as a whole", () => {
  expect(isSameSecret("abc", "abc")).toBe(true);
  for (const other of ["", "abd", "abcd", "ab", "äbc"]) expect(isSameSecret(other, "abc")).toBe(false);
});

describe("the part target of low-latency streams", () => {
  test.each([
    [undefined, 500],
    ["", 500],
    ["x", 500],
    ["200", 200],
    ["1000", 1000],
    ["333.4", 333],
    ["50", 200],
    ["-1", 200],
    ["5000", 1000],
  ])("LIVE_PART_TARGET_MS=%s: %d ms", (text, expected) => {
    const env = text === undefined ? {} : { LIVE_PART_TARGET_MS: text };
    const settings = ingestSettings(env, { maxResolution: "720p", latencyMode: "low" });
    expect(settings).toEqual({ maxResolution: "720p", latencyMode: "low", partTargetMs: expected, segmentMs: 2000 });
  });
});

describe("ingest URLs for broadcasters", () => {
  const none = { rtmpUrl: null, rtmpsUrl: null, srtUrl: null };

  test("are chosen per protocol: from the newest gateway that has one, then from the deployment", () => {
    const living = [
      { ...none, rtmpUrl: "rtmp://new/live" },
      { ...none, rtmpUrl: "rtmp://old/live", srtUrl: "srt://old:778" },
    ];
    const env = { INGEST_SRT_URL: "srt://mine:1", INGEST_RTMPS_URL: "rtmps://mine/live", INGEST_RTMP_URL: "" };
    expect(chooseBases(living, env)).toEqual({
      rtmpUrl: "rtmp://new/live",
      rtmpsUrl: "rtmps://mine/live",
      srtUrl: "srt://old:778",
    });
    expect(chooseBases([], {})).toEqual(none);
  });

  test("are whole, whatever the ends of the bases", () => {
    const keys = { streamKey: "KEY", srtSecret: "SECRET" };
    const bases = { rtmpUrl: "rtmp://a/live/", rtmpsUrl: null, srtUrl: "srt://a:778?latency=200" };
    expect(ingestUrls(bases, keys, "https://api.example.com/")).toEqual({
      rtmp: "rtmp://a/live/KEY",
      srt: "srt://a:778?latency=200&streamid=KEY&passphrase=SECRET",
      http: "https://api.example.com/ingest/KEY",
    });
    expect(ingestUrls({ ...none, srtUrl: "srt://a:778" }, keys, "http://b").srt).toBe(
      "srt://a:778?streamid=KEY&passphrase=SECRET",
    );
  });
});

describe("the target of a simulcast", () => {
  test.each([
    "rtmp://live.example.com/app",
    "RTMPS://live.example.com:443/app?x=1",
    "rtmp://8.8.8.8/app",
    "rtmp://live.example.com/",
    "rtmps://live.example.com",
  ])("%s is good", (url) => expect(targetUrlProblem(url, false)).toBeNull());

  test.each([
    ["", "must be an absolute URL"],
    ["live.example.com/app", "must be an absolute URL"],
    ["https://live.example.com/app", "must be an rtmp or rtmps URL"],
    ["srt://live.example.com:1", "must be an rtmp or rtmps URL"],
    ["file:///etc/passwd", "must be an rtmp or rtmps URL"],
    ["rtmp://", "must be an rtmp or rtmps URL"],
    ["rtmp://a b/app", "must be an absolute URL"],
    ["rtmp://live.example.com/app\n", "must be an absolute URL"],
    ["rtmp://a:b@live.example.com/app", "must not carry a user name or password"],
    ["rtmp://live.example.com/app#x", "must not have a fragment"],
    [`rtmp://live.example.com/${"a".repeat(2048)}`, "must be at most 2048 characters long"],
    ["rtmp://127.0.0.1/app", "must not point to a private or local address"],
    ["rtmp://127.1/app", "must not point to a private or local address"],
    ["rtmp://0x7f000001/app", "must not point to a private or local address"],
    ["rtmp://2130706433/app", "must not point to a private or local address"],
    ["rtmp://[::1]/app", "must not point to a private or local address"],
    ["rtmp://[::ffff:10.0.0.1]/app", "must not point to a private or local address"],
    ["rtmp://169.254.169.254/app", "must not point to a private or local address"],
    ["rtmp://localhost/app", "must not point to a private or local address"],
  ])("%s is not", (url, problem) => expect(targetUrlProblem(url, false)).toBe(problem));

  test("private addresses are allowed where the deployment allows them", () => {
    expect(targetUrlProblem("rtmp://127.0.0.1:1935/app", true)).toBeNull();
  });
});
