/** A broadcast from its first connection to its end, as the API and the events show it. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import {
  ask,
  at,
  connect,
  elapse,
  eventsOf,
  FACTS,
  getStream,
  goLive,
  inMachine,
  newStream,
  settle,
  type Stream,
  typesOf,
} from "./live-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const act = async (stream: Stream, action: string): Promise<number> =>
  (await workspace.request("PUT", `/v1/live/streams/${stream.streamId}/${action}`)).status;
const statusOf = async (stream: Stream) => (await getStream(workspace, stream.streamId)).status;

test("a broadcast with a drop, a reconnect within the window and an end sends every event once, in order", async () => {
  const stream = await newStream(workspace);
  const first = await connect(stream);
  await settle(stream);
  expect(await statusOf(stream)).toBe("preparing");
  expect(await first.started()).toBe(200);
  expect(await first.heartbeat(0)).toEqual({ continue: true, reason: null });
  await settle(stream);
  expect(await statusOf(stream)).toBe("preparing");
  await first.heartbeat(1);
  await first.heartbeat(2);
  await settle(stream);
  expect(await statusOf(stream)).toBe("active");
  await first.left();
  await settle(stream);
  expect(await statusOf(stream)).toBe("active"); // within the window

  const second = await connect(stream, { gatewayId: "gateway-2" });
  expect(second).toMatchObject({ sessionId: first.sessionId, resume: { nextMsn: 0, discontinuity: false } });
  expect(await second.started()).toBe(200);
  expect(await second.heartbeat(3)).toEqual({ continue: true, reason: null });
  expect(await first.heartbeat(2)).toEqual({ continue: false, reason: "replaced" });
  await second.left();
  await elapse(stream, "window");
  expect(await statusOf(stream)).toBe("idle");

  const reported = await eventsOf(stream.streamId);
  expect(reported.map(({ type, videoType, data }) => [type, videoType, data.status])).toEqual([
    ["video.live_stream.created", "video.live_stream.created", "idle"],
    ["video.live_stream.preparing", "video.live_stream.preparing", "preparing"],
    ["live_stream.connected", "video.live_stream.connected", "preparing"],
    ["video.live_stream.recording", "video.live_stream.recording", "preparing"],
    ["video.live_stream.active", "video.live_stream.active", "active"],
    ["live_stream.disconnected", "video.live_stream.disconnected", "active"],
    ["live_stream.connected", "video.live_stream.connected", "active"],
    ["live_stream.disconnected", "video.live_stream.disconnected", "active"],
    ["video.live_stream.idle", "video.live_stream.idle", "idle"],
  ]);
  expect(reported.every(({ object }) => object.type === "live" && object.id === stream.streamId)).toBe(true);
  expect(reported.map(({ data }) => data.mediaIds.length)).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1]);
});

test("a broadcaster that returns after the window begins a new session with a new recording", async () => {
  const stream = await newStream(workspace);
  const first = await goLive(stream);
  await first.left();
  await elapse(stream, "window");
  const second = await goLive(stream);
  expect(second.sessionId).not.toBe(first.sessionId);
  expect(second.resume).toBeNull();
  expect(await first.heartbeat(5)).toEqual({ continue: false, reason: null });
  expect((await getStream(workspace, stream.streamId)).mediaIds).toEqual([first.sessionId, second.sessionId]);
});

test("an expired window counts as over even if its timer is late", async () => {
  const stream = await newStream(workspace);
  const first = await goLive(stream);
  await first.left();
  await inMachine(stream, (_, state) => {
    const session = state.storage.kv.get<object>("session");
    state.storage.kv.put("session", { ...session, windowEndsAtMs: Date.now() - 1 });
  });
  const second = await goLive(stream);
  expect(second.sessionId).not.toBe(first.sessionId);
  const last = (await typesOf(stream.streamId)).slice(-6);
  expect(last).toEqual(["disconnected", "idle", "preparing", "connected", "recording", "active"]);
});

describe("a recording", () => {
  test("is a media with status Processing once the broadcast has started, and stays when the stream is deleted", async () => {
    const stream = await newStream(workspace, { maxResolution: "720p" });
    const broadcaster = await connect(stream);
    await settle(stream);
    expect((await getStream(workspace, stream.streamId)).mediaIds).toEqual([]); // nothing to record yet
    await broadcaster.started();
    await broadcaster.heartbeat(1);
    await settle(stream);
    const { mediaIds } = await getStream(workspace, stream.streamId);
    expect(mediaIds).toEqual([broadcaster.sessionId]);
    const media = async () => await (await workspace.request("GET", `/v1/on-demand/${mediaIds[0]}`)).json();
    expect(await media()).toMatchObject({
      data: {
        status: "Processing",
        streamId: stream.streamId,
        maxResolution: "720p",
        playbackIds: [{ accessPolicy: "public" }],
      },
    });
    const [opened, ...more] = await eventsOf(broadcaster.sessionId);
    expect(more).toEqual([]);
    expect(opened).toMatchObject({
      type: "video.media.live_stream.created",
      object: { type: "media", id: broadcaster.sessionId },
      data: { id: broadcaster.sessionId, streamId: stream.streamId, status: "Created" },
    });
    expect((await workspace.request("DELETE", `/v1/live/streams/${stream.streamId}`)).status).toBe(200);
    // No media arrived, although the gateway has counted segments.
    expect(await media()).toMatchObject({ data: { status: "Failed", streamId: stream.streamId } });
  });

  test("of a broadcast without media has failed, with one event", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await connect(stream);
    await broadcaster.started();
    await broadcaster.left();
    await elapse(stream, "window");
    const media = await workspace.request("GET", `/v1/on-demand/${broadcaster.sessionId}`);
    expect(await media.json()).toMatchObject({
      data: { status: "Failed", error: { code: "recording_empty", fault: "source" }, streamId: stream.streamId },
    });
    expect((await eventsOf(broadcaster.sessionId)).map(({ type }) => type)).toEqual([
      "video.media.live_stream.created",
      "asset.errored",
    ]);
  });

  test("is not created for a stream without recording", async () => {
    const stream = await newStream(workspace, { enableRecording: false });
    const { sessionId } = await goLive(stream);
    expect((await getStream(workspace, stream.streamId)).mediaIds).toEqual([]);
    expect((await workspace.request("GET", `/v1/on-demand/${sessionId}`)).status).toBe(404);
    expect(await typesOf(stream.streamId)).toEqual(["created", "preparing", "connected", "active"]);
  });
});

describe("one broadcaster for each stream", () => {
  test("a second one is refused while the first sends heartbeats, and replaces it after 5 s of silence", async () => {
    const stream = await newStream(workspace);
    const first = await goLive(stream);
    expect(await ask(stream, { gatewayId: "gateway-2" })).toEqual({ accepted: false, reason: "busy" });
    await inMachine(stream, (machine) => {
      machine.components.heardAtMs = Date.now() - 5000;
    });
    const second = await connect(stream, { gatewayId: "gateway-2" });
    expect(second).toMatchObject({ sessionId: first.sessionId, resume: { nextMsn: 0 } });
    expect(await first.heartbeat(2)).toEqual({ continue: false, reason: "replaced" });
    await settle(stream);
    expect((await typesOf(stream.streamId)).slice(-3)).toEqual(["active", "disconnected", "connected"]);
  });

  test("a second one replaces at once a first whose connection is over and whose media is still being encoded", async () => {
    const stream = await newStream(workspace);
    const first = await goLive(stream);
    expect(await first.heartbeat(2, { hasDisconnected: true })).toEqual({ continue: true, reason: null });
    await settle(stream);
    expect(await statusOf(stream)).toBe("active"); // until all its media has arrived
    const second = await connect(stream, { gatewayId: "gateway-2" });
    expect(second.sessionId).toBe(first.sessionId);
    expect(await first.heartbeat(2, { hasDisconnected: true })).toEqual({ continue: false, reason: "replaced" });
    expect(await ask(stream, { gatewayId: "gateway-3" })).toEqual({ accepted: false, reason: "busy" });
  });

  test("a finished broadcast is not resumed by another broadcaster while its last media is encoded", async () => {
    const stream = await newStream(workspace);
    const first = await goLive(stream);
    const finished = workspace.request("PUT", at(stream, "/finish"));
    await vi.waitFor(async () =>
      expect(await first.heartbeat(2, { hasDisconnected: true })).toEqual({ continue: true, reason: "finished" }),
    );
    expect(await ask(stream, { gatewayId: "gateway-2" })).toEqual({ accepted: false, reason: "busy" });
    await first.left();
    expect((await finished).status).toBe(200);
  });

  test("of 100 at once exactly one is accepted", async () => {
    const stream = await newStream(workspace);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => ask(stream, { gatewayId: `gateway-${index}` })),
    );
    const accepted = answers.filter((answer) => answer.accepted);
    expect(accepted).toHaveLength(1);
    expect(answers.filter((answer) => !answer.accepted && answer.reason === "busy")).toHaveLength(99);
    await settle(stream);
    expect(await typesOf(stream.streamId)).toEqual(["created", "preparing", "connected"]);
  });

  test("a silent one is dropped, and continues the same session with its next heartbeat", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    await elapse(stream, "silence");
    expect((await typesOf(stream.streamId)).at(-1)).toBe("disconnected");
    expect(await broadcaster.heartbeat(4)).toEqual({ continue: true, reason: null });
    await settle(stream);
    expect((await typesOf(stream.streamId)).at(-1)).toBe("connected");
    await elapse(stream, "silence");
    await elapse(stream, "window");
    expect((await typesOf(stream.streamId)).slice(-2)).toEqual(["disconnected", "idle"]);
    expect(await broadcaster.heartbeat(5)).toEqual({ continue: false, reason: null });
  });

  test("one with heartbeats is not dropped, however often its timer runs", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    await inMachine(stream, (_, state) => {
      state.storage.sql.exec("UPDATE timers SET due = 1 WHERE name = 'silence'");
    });
    await settle(stream);
    expect(await statusOf(stream)).toBe("active");
    expect(await broadcaster.heartbeat(2)).toEqual({ continue: true, reason: null });
  });

  test("a heartbeat for a silent broadcaster does not count as a sign of life", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    await elapse(stream, "silence");
    expect(await broadcaster.heartbeat(2, { silent: true })).toEqual({ continue: true, reason: null });
    expect((await typesOf(stream.streamId)).at(-1)).toBe("disconnected");
    await workspace.request("PUT", at(stream, "/finish"));
    expect(await broadcaster.heartbeat(2, { silent: true })).toEqual({ continue: false, reason: "finished" });
  });

  test("one that drops before the first segment reconnects to a stream that is still preparing", async () => {
    const stream = await newStream(workspace);
    const first = await connect(stream);
    await first.started();
    await first.left();
    const again = await connect(stream);
    expect(again.resume).toEqual({ nextMsn: 0, discontinuity: false, initVersion: 0, seconds: 0, ticks: {} });
    await settle(stream);
    expect(await statusOf(stream)).toBe("preparing");
    const reported = ["created", "preparing", "connected", "recording", "disconnected", "connected"];
    expect(await typesOf(stream.streamId)).toEqual(reported);
  });

  test("one that has sent no playable media leaves an idle stream without a reconnect window", async () => {
    const stream = await newStream(workspace);
    const first = await connect(stream);
    await first.left();
    await settle(stream);
    expect(await statusOf(stream)).toBe("idle");
    expect(await typesOf(stream.streamId)).toEqual(["created", "preparing", "connected", "disconnected", "idle"]);
    const next = await connect(stream);
    expect([next.sessionId === first.sessionId, next.resume]).toEqual([false, null]);
  });
});

describe("a broadcaster is disconnected with its next heartbeat", () => {
  test("by finish, which leaves the stream idle and open for the next broadcast (takes 2 s: the longest wait for the gateway)", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    expect(await act(stream, "finish")).toBe(200);
    expect(await broadcaster.heartbeat(2)).toEqual({ continue: false, reason: "finished" });
    expect(await statusOf(stream)).toBe("idle");
    expect((await typesOf(stream.streamId)).slice(-3)).toEqual(["active", "disconnected", "idle"]);
    expect(await broadcaster.started()).toBe(410);
    expect((await goLive(stream)).sessionId).not.toBe(broadcaster.sessionId);
  });

  test("by finish, after the broadcaster's gateway has sent all the media it has", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    await inMachine(stream, (machine) => void (machine.components.gracefulStop.longestWaitMs = 60_000)); // a busy machine is slow
    const finished = act(stream, "finish");
    await vi.waitFor(async () =>
      expect(await broadcaster.heartbeat(1)).toEqual({ continue: true, reason: "finished" }),
    );
    expect(await ask(stream)).toEqual({ accepted: false, reason: "busy" });
    expect(await broadcaster.heartbeat(2)).toEqual({ continue: true, reason: "finished" }); // it still sends the media it has
    await broadcaster.left();
    expect(await finished).toBe(200);
    expect(await statusOf(stream)).toBe("idle");
    expect((await typesOf(stream.streamId)).slice(-2)).toEqual(["disconnected", "idle"]);
    expect(await broadcaster.heartbeat(3)).toEqual({ continue: false, reason: "finished" });
  });

  test("by finish within the reconnect window, without a second disconnected event", async () => {
    const stream = await newStream(workspace);
    await (await goLive(stream)).left();
    expect(await act(stream, "finish")).toBe(200);
    expect((await typesOf(stream.streamId)).slice(-3)).toEqual(["active", "disconnected", "idle"]);
  });

  test("by disable, after which broadcasters are refused until enable", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    expect(await act(stream, "live-disable")).toBe(200);
    expect(await broadcaster.heartbeat(2)).toEqual({ continue: false, reason: "disabled" });
    expect(await statusOf(stream)).toBe("disabled");
    expect(await ask(stream)).toEqual({ accepted: false, reason: "disabled" });
    expect(await act(stream, "live-enable")).toBe(200);
    expect(await statusOf(stream)).toBe("idle");
    expect((await typesOf(stream.streamId)).slice(-4)).toEqual(["active", "disconnected", "disabled", "updated"]);
    expect(await ask(stream)).toMatchObject({ accepted: true, settings: { reconnect: false } });
  });

  test("by deletion, after which the key is unknown", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    expect((await workspace.request("DELETE", `/v1/live/streams/${stream.streamId}`)).status).toBe(200);
    expect(await broadcaster.heartbeat(2)).toEqual({ continue: false, reason: "deleted" });
    expect(await ask(stream)).toEqual({ accepted: false, reason: "unknown_key" });
    expect((await workspace.request("GET", `/v1/live/streams/${stream.streamId}`)).status).toBe(404);
    expect((await typesOf(stream.streamId)).slice(-3)).toEqual(["active", "disconnected", "deleted"]);
  });

  test("by maxDuration, also before the first segment", async () => {
    for (const isWatchable of [true, false]) {
      const stream = await newStream(workspace, { maxDuration: 3600 });
      const broadcaster = await (isWatchable ? goLive(stream) : connect(stream));
      await elapse(stream, "maxDuration");
      expect(await broadcaster.heartbeat(2)).toEqual({ continue: false, reason: "max_duration" });
      expect(await statusOf(stream)).toBe("idle");
      expect((await typesOf(stream.streamId)).slice(-2)).toEqual(["disconnected", "idle"]);
    }
  });
});

test("the timers of a stream follow its settings, also when they change on air", async () => {
  const stream = await newStream(workspace, { reconnectWindow: 90, maxDuration: 3600 });
  const broadcaster = await goLive(stream);
  const dueIn = (timer: string, fromMs: number) =>
    inMachine(stream, (_, state) => {
      const [row] = state.storage.sql.exec<{ due: number }>("SELECT due FROM timers WHERE name = ?", timer).toArray();
      return row === undefined ? null : row.due - fromMs;
    });
  const startedAtMs = await inMachine(
    stream,
    (_, state) => state.storage.kv.get<{ startedAtMs: number }>("session")!.startedAtMs,
  );
  expect(await dueIn("maxDuration", startedAtMs)).toBe(3_600_000);
  await workspace.request("PATCH", `/v1/live/streams/${stream.streamId}`, { reconnectWindow: 120 });
  const before = Date.now();
  await broadcaster.left();
  const windowMs = (await dueIn("window", before))!;
  expect(windowMs).toBeGreaterThanOrEqual(120_000);
  expect(windowMs).toBeLessThan(125_000);
  expect(await dueIn("silence", 0)).toBeNull();
  await goLive(stream);
  expect(await dueIn("window", 0)).toBeNull();
});

test("the renditions of a broadcast can change when its broadcaster reconnects", async () => {
  const stream = await newStream(workspace);
  const first = await goLive(stream);
  await first.left();
  const again = await connect(stream);
  await again.started({ ...FACTS, video: null, renditions: FACTS.renditions.slice(1) });
  await again.heartbeat(2);
  await again.left();
  await elapse(stream, "window");
  const reported = await eventsOf(stream.streamId);
  expect(reported.map(({ data }) => data["audioOnly"])).toEqual([...Array(7).fill(false), true, false]);
  const row = await env.DB.prepare("SELECT renditions, segments, end_reason, ended_at FROM live_sessions WHERE id = ?")
    .bind(first.sessionId)
    .first<{ renditions: string; segments: number; end_reason: string; ended_at: number }>();
  expect(JSON.parse(row!.renditions)).toEqual(FACTS.renditions.slice(1));
  expect(row).toMatchObject({ segments: 2, end_reason: "window_over", ended_at: expect.any(Number) as number });
});
