/** Authorization of broadcasters and gateways, sessions' reports, and their log entries. */
import { env } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { AuthorizeAnswer } from "../../../protocol/live.ts";
import { gatewayCredential } from "../../../protocol/gateway-credential.ts";
import { toBase64Url } from "../../../protocol/base64.ts";
import { signJobGrant } from "../../../src/library/encoding/job-token.ts";
import { newHexId } from "../../../src/live/streams/ids.ts";
import { signSessionGrant } from "../../../src/live/sessions/session-token.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import {
  asGateway,
  credentialOf,
  ask,
  connect,
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

const forgetGateways = () => env.DB.prepare("DELETE FROM ingest_gateways").run();
beforeEach(forgetGateways);

/** Runs `work` and returns what it logs. */
async function logged<T>(
  work: () => Promise<T>,
): Promise<{ result: T; lines: Record<string, unknown>[]; text: string }> {
  const spy = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    const result = await work();
    const text = spy.mock.calls.map(([line]) => String(line)).join("\n");
    return {
      result,
      text,
      lines: text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : [])),
    };
  } finally {
    spy.mockRestore();
  }
}

describe("authorization", () => {
  test("returns all that a gateway needs", async () => {
    const stream = await newStream(workspace, { maxResolution: "720p" });
    const answer = AuthorizeAnswer.parse(await ask(stream));
    if (!answer.accepted) throw new Error(answer.reason);
    expect(answer).toMatchObject({
      streamId: stream.streamId,
      callbackUrl: `http://sluice.test/internal/live/${answer.sessionId}`,
      settings: { maxResolution: "720p", latencyMode: "low", partTargetMs: 500, segmentMs: 2000, reconnect: false },
    });
  });

  test("returns longer segments for standard latency", async () => {
    const answer = await ask(await newStream(workspace, { latencyMode: "standard" }));
    expect(answer).toMatchObject({ settings: { latencyMode: "standard", segmentMs: 4000 } });
  });

  test("keeps the durations of a session through a reconnect after the deployment's settings have changed", async () => {
    const stream = await newStream(workspace);
    const first = await ask(stream, {}, { LIVE_PART_TARGET_MS: "200" });
    expect(first).toMatchObject({ settings: { partTargetMs: 200, reconnect: false } });
    await inMachine(stream, (machine) => {
      machine.components.heardAtMs = 0;
    });
    expect(await ask(stream)).toMatchObject({
      settings: { partTargetMs: 200, reconnect: true },
    });
  });

  test.each([
    ["another key of the same stream", (stream: Stream) => `${newHexId()}k${stream.streamId}`],
    ["the SRT secret as a key", (stream: Stream) => stream.srtSecret],
    ["a stream that never existed", () => `${newHexId()}k${newHexId()}`],
    ["text that is not a key", () => "live/../../etc/passwd"],
    ["an empty key", () => ""],
    ["the key in capitals", (stream: Stream) => stream.streamKey.toUpperCase()],
    ["the key and more", (stream: Stream) => `${stream.streamKey}0`],
  ])("refuses %s, and leaves the stream as it is", async (_, keyOf) => {
    const stream = await newStream(workspace);
    const streamKey = keyOf(stream);
    const { result, lines, text } = await logged(() => ask(stream, { streamKey }));
    expect(result).toEqual({ accepted: false, reason: "unknown_key" });
    const id = /k([0-9a-f]{32})$/.exec(streamKey)?.[1] ?? null;
    expect(lines.find(({ event }) => event === "live.refused")).toMatchObject({ reason: "unknown_key", streamId: id });
    if (streamKey !== "") expect(text).not.toContain(streamKey);
    await settle(stream);
    expect(await typesOf(stream.streamId)).toEqual(["created"]);
  });

  test("of SRT requires the passphrase, and returns it to gateways for the handshake", async () => {
    const stream = await newStream(workspace);
    const srt = { protocol: "srt" };
    const wrong = { accepted: false, reason: "wrong_passphrase" };
    expect(await ask(stream, srt)).toEqual(wrong);
    expect(await ask(stream, { ...srt, passphrase: `${newHexId()}k${stream.streamId}` })).toEqual(wrong);
    const passphraseFor = async (streamKey: string) =>
      await (await asGateway("passphrase", { gatewayId: "gateway-1", streamKey })).json();
    expect(await passphraseFor(stream.streamKey)).toEqual({ accepted: true, passphrase: stream.srtSecret });
    expect(await passphraseFor(stream.srtSecret)).toEqual({ accepted: false, reason: "unknown_key" });
    expect(await ask(stream, { ...srt, passphrase: stream.srtSecret })).toMatchObject({ accepted: true });
    await workspace.request("PUT", `/v1/live/streams/${stream.streamId}/live-disable`);
    expect(await passphraseFor(stream.streamKey)).toEqual({ accepted: false, reason: "disabled" });
  });

  test("never logs a secret", async () => {
    const stream = await newStream(workspace);
    const { text } = await logged(async () => {
      const broadcaster = await goLive(stream, { protocol: "srt", passphrase: stream.srtSecret });
      await ask(stream);
      await broadcaster.left();
      return broadcaster.token;
    });
    expect(text).toContain("live.connected");
    for (const secret of [stream.streamKey, stream.srtSecret, env.ENCODER_SECRET, env.JOB_SECRET])
      expect(text).not.toContain(secret);
  });

  test.each([{ protocol: "webrtc" }, { streamKey: 1 }, { streamKey: "k".repeat(513) }, { streamKey: undefined }])(
    "refuses a malformed request: %j",
    async (more) => {
      const body = { gatewayId: "g", protocol: "rtmp", streamKey: "k", ...more };
      expect((await asGateway("authorize", body)).status).toBe(422);
    },
  );
});

/** A gateway's registration. */
const gateway = (gatewayId: string, startedAt: number, more: object = {}) => ({
  gatewayId,
  rtmpUrl: `rtmp://${gatewayId}.example.com:1935/live`,
  rtmpsUrl: null,
  srtUrl: `srt://${gatewayId}.example.com:778`,
  httpUrl: `https://${gatewayId}.example.com:8443`,
  startedAt,
  ...more,
});

describe("gateway routes", () => {
  const paths = ["register", "authorize", "passphrase"];

  test.each(paths)("%s without a genuine credential is refused", async (path) => {
    const genuine = credentialOf("gateway-1");
    const [, ...proof] = genuine.split(".");
    const claims = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const forged = [
      [claims({ id: "gateway-2", hosts: ["gateway-1.example.com"] }), ...proof].join("."),
      [claims({ id: "gateway-1", hosts: ["evil.example"] }), ...proof].join("."),
      gatewayCredential("another secret: long enough to be one", "g"),
    ];
    for (const credential of ["", "wrong", env.ENCODER_SECRET, `${genuine}x`, genuine.slice(1), ...forged])
      expect((await asGateway(path, {}, credential)).status).toBe(401);
    const bare = await send(new Request(`http://sluice.test/internal/ingest/${path}`, { method: "POST", body: "{}" }));
    expect(bare.status).toBe(401);
  });

  test.each(paths)("%s with the credential of another gateway is forbidden", async (path) => {
    const body = { ...gateway("live-1", 1000), protocol: "rtmp", streamKey: "k" };
    expect((await asGateway(path, body, credentialOf("live-2"))).status).toBe(403);
    expect((await asGateway(path, body)).status).toBe(200);
  });

  test.each(paths)("%s with a revoked credential is refused, others still work", async (path) => {
    const revoked = { REVOKED_GATEWAYS: "live-0, live-1" };
    const ask = async (id: string) => {
      const body = { ...gateway(id, 1000), protocol: "rtmp", streamKey: "k" };
      return (await asGateway(path, body, credentialOf(id), revoked)).status;
    };
    expect([await ask("live-1"), await ask("live-2")]).toEqual([401, 200]);
  });

  test("a stolen credential cannot register another host, nor a start time in the future", async () => {
    const stolen = credentialOf("live-9");
    const evil = [
      { rtmpUrl: "rtmp://evil.example/live" },
      { rtmpsUrl: "rtmps://live-9.example.com.evil.example/live" },
      { srtUrl: "srt://evil.example:8890" },
      { httpUrl: "https://evil.example" },
    ];
    for (const more of evil)
      expect((await asGateway("register", gateway("live-9", Date.now(), more), stolen)).status).toBe(403);
    for (const startedAt of [Date.now() + 120_000, 8e15, 9e15])
      expect((await asGateway("register", gateway("live-9", startedAt), stolen)).status).toBe(422);
    const { results } = await env.DB.prepare("SELECT id FROM ingest_gateways WHERE id = 'live-9'").all();
    expect(results).toEqual([]);
  });

  // Anyone can compute the credential for an empty secret.
  test.each(["", undefined, "a".repeat(31)])(
    "ENCODER_SECRET %j opens nothing, and the answer does not blame the caller",
    async (secret) => {
      for (const path of paths)
        for (const credential of ["", "undefined", gatewayCredential(secret ?? "", "gateway-1")]) {
          const answer = await asGateway(path, gateway("gateway-1", 1), credential, { ENCODER_SECRET: secret });
          expect(answer.status).toBe(503);
        }
      const { results } = await env.DB.prepare("SELECT id FROM ingest_gateways WHERE id = 'gateway-1'").all();
      expect(results).toEqual([]);
    },
  );

  test("both secrets of a rotation are valid", async () => {
    const next = "the next encoder secret: long enough";
    const rotated = { ENCODER_SECRET: `${next},${env.ENCODER_SECRET}` };
    for (const credential of [credentialOf("live-3"), gatewayCredential(next, "live-3", ["live-3.example.com"])])
      expect((await asGateway("register", gateway("live-3", 1), credential, rotated)).status).toBe(200);
  });
});

describe("the token of a session", () => {
  const beat = (sessionId: string, token: string) =>
    send(
      new Request(`http://sluice.test/internal/live/${sessionId}/heartbeat`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ segments: 0, droppedRungs: [], speed: 1, at: Date.now() }),
      }),
    );
  const now = () => Date.now();

  test("is refused when it is forged, malformed, expired or for something else; the log names the stream", async () => {
    const [stream, other] = [await newStream(workspace), await newStream(workspace)];
    const [mine, theirs] = [await connect(stream), await connect(other)];
    await settle(stream);
    const { sessionId } = mine;
    const grant = { sessionId, streamId: stream.streamId, connection: 1 };
    const job = {
      jobId: sessionId,
      assetId: sessionId,
      attempt: 1,
      renditions: [],
      segments: [0, 1] as [number, number],
    };
    const [header, payload, signature] = mine.token.split(".");
    const prolonged = toBase64Url(new TextEncoder().encode(JSON.stringify({ ...grant, expiresAt: now() + 1e9 })));
    const cases: [string, string, number][] = [
      ["malformed", "", 401],
      ["malformed", "not-a-token", 401],
      ["forged", await signSessionGrant("another secret: as long as the right one", grant, now()), 401],
      ["forged", `${header}.${prolonged}.${signature}`, 401],
      ["malformed", `${payload}.${signature}`, 401],
      ["foreign", theirs.token, 403],
      ["foreign", await signJobGrant(env.JOB_SECRET, { ...job, expiresAt: now() + 60_000 }), 403],
      ["expired", await signSessionGrant(env.JOB_SECRET, grant, now() - 13 * 3600_000), 403],
    ];
    for (const [reason, token, status] of cases) {
      const { result, lines, text } = await logged(() => beat(sessionId, token));
      expect([reason, result.status]).toEqual([reason, status]);
      expect(lines.find(({ event }) => event === "live.token_refused")).toMatchObject({
        reason,
        sessionId,
        streamId: stream.streamId,
      });
      if (token !== "") expect(text).not.toContain(token);
    }
    expect((await beat(sessionId, mine.token)).status).toBe(200);
  });

  test("is valid for one connection: an earlier one gets the reason `replaced`", async () => {
    const stream = await newStream(workspace);
    const first = await connect(stream);
    await first.started();
    await first.left();
    const second = await connect(stream);
    expect(await first.heartbeat()).toEqual({ continue: false, reason: "replaced" });
    expect(await first.started()).toBe(410);
    expect(await first.left()).toBe(200); // without an effect on the second
    expect(await second.heartbeat()).toEqual({ continue: true, reason: null });
  });

  test("is renewed in its last hour, so that a broadcast can outlast it", async () => {
    const stream = await newStream(workspace);
    const { sessionId } = await connect(stream);
    const grant = { sessionId, streamId: stream.streamId, connection: 1 };
    const old = await signSessionGrant(env.JOB_SECRET, grant, now() - 12.5 * 3600_000);
    const { token } = await (await beat(sessionId, old)).json<{ token: string }>();
    expect(await (await beat(sessionId, token)).json()).toEqual({ continue: true, reason: null });
  });
});

describe("a session's report", () => {
  test.each([
    ["started", { ...FACTS, renditions: [{ ...FACTS.renditions[0], name: "../../x" }] }],
    ["started", { ...FACTS, video: { codec: "h264" } }],
    ["heartbeat", { segments: -1, droppedRungs: [], speed: 1, at: 0 }],
    ["heartbeat", { segments: 1.5, droppedRungs: [], speed: 1, at: 0 }],
    ["heartbeat", "{"],
    ["ended", {}],
  ])("%s is refused when it is malformed", async (name, body) => {
    const { sessionId, token } = await connect(await newStream(workspace));
    const response = await send(
      new Request(`http://sluice.test/internal/live/${sessionId}/${name}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
    expect(response.status).toBe(422);
  });

  test("cannot reduce the number of segments", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    await broadcaster.heartbeat(9);
    await broadcaster.heartbeat(3);
    await broadcaster.left();
    await settle(stream);
    const row = env.DB.prepare("SELECT segments FROM live_sessions WHERE id = ?").bind(broadcaster.sessionId);
    expect(await row.first("segments")).toBe(9);
  });

  test("of dropped rungs is logged and announced once", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    const { lines } = await logged(async () => {
      await broadcaster.heartbeat(2, { droppedRungs: ["v720", "v480"], speed: 0.8 });
      await broadcaster.heartbeat(3, { droppedRungs: ["v480", "v720"], speed: 0.9 });
    });
    expect(lines.filter(({ event }) => event === "live.rungs_dropped")).toMatchObject([
      { streamId: stream.streamId, rungs: "v480,v720", speed: 0.8 },
    ]);
    await settle(stream);
    const reported = (await eventsOf(stream.streamId)).filter(({ type }) => type === "video.live_stream.updated");
    expect(reported.map(({ data }) => data["droppedRungs"])).toEqual([["v480", "v720"]]);
  });
});

describe("the protocol of a broadcast", () => {
  const protocols = async (stream: Stream) =>
    (await eventsOf(stream.streamId))
      .map(({ type, data }) => `${type.replace("video.live_stream.", "")}: ${data.status}`)
      .filter((line) => line.includes("_detected"));
  const over = async (stream: Stream, protocol: string) => {
    const broadcaster = await connect(stream, { protocol, passphrase: stream.srtSecret });
    await broadcaster.started();
    await settle(stream);
    return broadcaster;
  };

  test("is announced after the connection, for SRT and RTMPS only", async () => {
    const [srt, rtmp] = [await newStream(workspace), await newStream(workspace)];
    await over(srt, "srt");
    await over(rtmp, "rtmp");
    expect((await typesOf(srt.streamId)).slice(0, 4)).toEqual(["created", "preparing", "connected", "srt_detected"]);
    expect(await protocols(srt)).toEqual(["srt_detected: preparing"]);
    expect(await protocols(rtmp)).toEqual([]);
  });

  test("is announced once for a broadcast, however often its broadcaster comes back", async () => {
    const stream = await newStream(workspace);
    for (const protocol of ["rtmps", "rtmps", "rtmp", "srt", "rtmps", "srt"]) {
      const broadcaster = await over(stream, protocol);
      await broadcaster.heartbeat(1);
      await broadcaster.left();
    }
    await settle(stream);
    expect(await protocols(stream)).toEqual(["rtmps_detected: preparing", "srt_detected: active"]);
    await workspace.request("PUT", `/v1/live/streams/${stream.streamId}/finish`);
    await over(stream, "rtmps");
    expect(await protocols(stream)).toHaveLength(3);
  });
});

describe("addresses for broadcasters", () => {
  const register = async (body: object) => (await asGateway("register", body)).status;
  const ingestOf = async (stream: Stream) => (await getStream(workspace, stream.streamId))["ingest"];

  test("are those of the newest live gateway, complete, in every answer", async () => {
    const stream = await newStream(workspace);
    const { streamKey, srtSecret } = stream;
    expect(await register(gateway("old", 1000, { rtmpsUrl: "rtmps://old.example.com/live/" }))).toBe(200);
    expect(await register(gateway("new", 2000))).toBe(200);
    const ingest = {
      rtmp: `rtmp://new.example.com:1935/live/${streamKey}`,
      rtmps: `rtmps://old.example.com/live/${streamKey}`,
      srt: `srt://new.example.com:778?streamid=${streamKey}&passphrase=${srtSecret}`,
      http: `http://sluice.test/ingest/${streamKey}`,
    };
    expect(await ingestOf(stream)).toEqual(ingest);
    const patched = await workspace.request("PATCH", `/v1/live/streams/${stream.streamId}`, {});
    expect(await patched.json()).toMatchObject({ data: { ingest } });
    const list = await workspace.request("GET", "/v1/live/streams?limit=50");
    const { data } = await list.json<{ data: Stream[] }>();
    expect(data.find(({ streamId }) => streamId === stream.streamId)).toMatchObject({ ingest });
    expect((await newStream(workspace))["ingest"]).toMatchObject({
      rtmp: expect.stringContaining("new.example.com") as string,
    });
  });

  test("of a gateway without registration for 30 s are replaced by the deployment's own", async () => {
    const stream = await newStream(workspace);
    await register(gateway("gone", 1000));
    await env.DB.prepare("UPDATE ingest_gateways SET heard_at = heard_at - 30000").run();
    expect(await ingestOf(stream)).toEqual({ http: `http://sluice.test/ingest/${stream.streamKey}` });
    const elsewhere = await newWorkspace({ INGEST_RTMPS_URL: "rtmps://live.example.com:443/live" });
    const { ingest, streamKey } = await newStream(elsewhere);
    expect(ingest).toEqual({
      rtmps: `rtmps://live.example.com:443/live/${streamKey}`,
      http: `http://sluice.test/ingest/${streamKey}`,
    });
    expect(await register(gateway("gone", 1000))).toBe(200); // it is back
    expect(await ingestOf(stream)).toMatchObject({ rtmp: expect.stringContaining("gone.example.com") as string });
  });

  test.each([
    { rtmpUrl: "http://a" },
    { srtUrl: "rtmp://a" },
    { httpUrl: "ftp://a" },
    { httpUrl: "http://10.0.0.7:8080" },
    { httpUrl: "http://live-1.example.com:8791" },
    { httpUrl: "https:/" },
  ])("are refused when they are of another kind: %j", async (more) => {
    expect(await register(gateway("g", 1, more))).toBe(422);
  });
});
