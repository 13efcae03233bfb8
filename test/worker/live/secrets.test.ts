/** Keys of streams and simulcast targets: storage, redaction and rotation. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../../src/platform/database.ts";
import { sweepSecrets } from "../../../src/live/index.ts";
import { liveStreams } from "../../../src/live/streams/tables.ts";
import { createWebhook, receiverUrl, seenAt } from "../events/webhooks/webhook-helpers.ts";
import { until } from "../events/webhooks/webhook-rows.ts";
import { wholeDatabase } from "../whole-database.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import {
  ask,
  at,
  connect,
  eventsOf,
  finish,
  getStream,
  goLive,
  newStream,
  settings,
  type Stream,
} from "./live-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const OTHERS_KEY = 'theirs?a="b\\c"&d';
const addTarget = async (stream: Stream, by = workspace): Promise<string> => {
  const body = { url: "rtmp://live.example.com/app", streamKey: OTHERS_KEY };
  const answer = await by.request("POST", at(stream, "/simulcast"), body);
  return (await answer.json<{ data: { simulcastId: string } }>()).data.simulcastId;
};
const secretsOf = ({ streamKey, srtSecret }: Stream): string[] => [
  streamKey,
  srtSecret,
  JSON.stringify(OTHERS_KEY).slice(1, -1),
  OTHERS_KEY,
];

describe("secrets of a stream", () => {
  test("are never in D1 in clear text: rows, events, stored answers of idempotency keys", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = settings();
    const first = await (await workspace.request("POST", "/v1/live/streams", body, headers)).text();
    const stream = (JSON.parse(first) as { data: Stream }).data;
    const repeat = await workspace.request("POST", "/v1/live/streams", body, headers);
    expect(await repeat.text()).toBe(first);
    const simulcastId = await addTarget(stream);
    await goLive(stream);
    await finish(workspace, stream);
    const text = await wholeDatabase();
    expect(text).toContain(stream.streamId);
    for (const secret of secretsOf(stream)) expect(text.includes(secret)).toBe(false);
    // Their owner can still read them.
    expect(await getStream(workspace, stream.streamId)).toMatchObject({
      streamKey: stream.streamKey,
      srtSecret: stream.srtSecret,
      simulcastResponses: [{ simulcastId, streamKey: OTHERS_KEY }],
    });
  });

  test("are redacted in the event log and for receivers, unless a webhook requests them", async () => {
    const by = await newWorkspace();
    const [plain, full] = [receiverUrl(), receiverUrl()];
    const eventTypes = ["video.live_stream.*"];
    await createWebhook(by, { url: plain, eventTypes });
    const { id } = await createWebhook(by, { url: full, eventTypes, events: { secrets: true }, naming: "video" });
    const stream = await newStream(by);
    await addTarget(stream, by);
    const seenBy = async (url: string, count: number) =>
      (
        await until(
          () => seenAt(url),
          (seen) => seen.length === count,
        )
      )
        .map(({ body }) => body)
        .join("\n");
    const [hidden, reported] = [await seenBy(plain, 2), await seenBy(full, 2)];
    const inEvents = [stream.streamKey, stream.srtSecret, JSON.stringify(OTHERS_KEY).slice(1, -1)];
    expect(inEvents.map((secret) => [hidden.includes(secret), reported.includes(secret)])).toEqual(
      inEvents.map(() => [false, true]),
    );
    expect(hidden).toContain('"streamKey":"redacted"');
    for (const text of reported.split("\n"))
      expect(JSON.parse(text)).toMatchObject({ data: { streamId: stream.streamId } });
    const listed = await (await by.request("GET", `/v1/events?objectId=${stream.streamId}`)).text();
    for (const secret of inEvents) expect(listed).not.toContain(secret);
    // Switched off again, the next event has none.
    const changed = await by.request("PATCH", `/v1/webhooks/${id}`, { events: { secrets: false } });
    expect(await changed.json()).toMatchObject({ data: { events: { secrets: false } } });
    await by.request("PATCH", at(stream), { metadata: { a: "b" } });
    const third = (await seenBy(full, 3)).split("\n").at(-1)!;
    expect(third).toContain('"type":"video.live_stream.updated"');
    for (const secret of inEvents) expect(third).not.toContain(secret);
  });

  test("in events from before redaction are redacted too", async () => {
    const stream = await newStream(workspace);
    const [{ body }] = (
      await env.DB.prepare("SELECT body FROM events WHERE object_id = ?").bind(stream.streamId).all<{ body: string }>()
    ).results as [{ body: string }];
    const before = body.replace('"streamKey":"redacted"', `"streamKey":"${stream.streamKey}"`);
    expect(before).not.toBe(body);
    await env.DB.prepare("UPDATE events SET body = ?, sealed_data = NULL WHERE object_id = ?")
      .bind(before, stream.streamId)
      .run();
    const listed = await (await workspace.request("GET", `/v1/events?objectId=${stream.streamId}`)).text();
    expect([listed.includes(stream.streamId), listed.includes(stream.streamKey)]).toEqual([true, false]);
  });

  test("in rows from before sealing still work, and the cron seals them without a loss", async () => {
    const stream = await newStream(workspace);
    const simulcastId = await addTarget(stream);
    const [streamKey, srtSecret, playback] = secretsOf(stream);
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE live_streams SET secrets = NULL, stream_key = ?, srt_secret = ?, srt_playback_secret = ? WHERE id = ?",
      ).bind(streamKey, srtSecret, playback, stream.streamId),
      env.DB.prepare("UPDATE simulcast_targets SET sealed_key = NULL, stream_key = ? WHERE id = ?").bind(
        OTHERS_KEY,
        simulcastId,
      ),
    ]);
    const before = await getStream(workspace, stream.streamId);
    expect(secretsOf(before)).toEqual(secretsOf(stream));
    await (await connect(stream)).left();
    await sweepSecrets(env);
    const text = await wholeDatabase();
    for (const secret of secretsOf(stream)) expect(text.includes(secret)).toBe(false);
    const { status: _, ...after } = await getStream(workspace, stream.streamId);
    expect({ ...after, status: before.status }).toEqual(before);
    // The same when the keys that seal are replaced.
    const keys = `k2:${btoa("another key of thirty-two bytes.")},${env.WEBHOOK_KEYS}`;
    await sweepSecrets({ ...env, WEBHOOK_KEYS: keys });
    const [newKeyOnly] = keys.split(",");
    const answer = await ask(stream, {}, { WEBHOOK_KEYS: newKeyOnly! });
    expect(answer.accepted).toBe(true);
    await sweepSecrets({ ...env, WEBHOOK_KEYS: keys.split(",").toReversed().join(",") });
  });
});

test("secrets that cannot be decrypted do not block the sealing of others, and are not counted as sealed", async () => {
  const good = await newStream(workspace);
  const [streamKey, srtSecret, playback] = secretsOf(good);
  await env.DB.prepare(
    "UPDATE live_streams SET secrets = NULL, stream_key = ?, srt_secret = ?, srt_playback_secret = ? WHERE id = ?",
  )
    .bind(streamKey, srtSecret, playback, good.streamId)
    .run();
  const db = openDatabase(env.DB);
  const [row] = await db.select().from(liveStreams).where(eq(liveStreams.id, good.streamId));
  const broken = Array.from({ length: 150 }, (_, n) => ({ ...row!, id: `0-broken-${n}`, secrets: "lost.AAAA.AAAA" }));
  for (const one of broken) await db.insert(liveStreams).values(one);
  // In the order of the table too: the good one comes last.
  await env.DB.prepare("UPDATE live_streams SET rowid = (SELECT max(rowid) + 1 FROM live_streams) WHERE id = ?")
    .bind(good.streamId)
    .run();
  const lines = vi.spyOn(console, "log");
  const isSealed = async () =>
    (await db.select().from(liveStreams).where(eq(liveStreams.id, good.streamId)))[0]!.secrets !== null;
  try {
    for (let run = 0; run < 40 && !(await isSealed()); run += 1) await sweepSecrets(env);
    expect(await isSealed()).toBe(true);
    const logged = lines.mock.calls
      .map(([line]) => JSON.parse(String(line)) as { event: string; streams: number; streamId: string })
      .filter(({ event }) => event.startsWith("live.secrets_"));
    const sealed = logged.filter(({ event }) => event === "live.secrets_sealed");
    expect(sealed.reduce((sum, { streams }) => sum + streams, 0)).toBe(1);
    expect(logged.some(({ streamId }) => streamId?.startsWith("0-broken-"))).toBe(true);
  } finally {
    lines.mockRestore();
    await env.DB.prepare("DELETE FROM live_streams WHERE id LIKE '0-broken-%'").run();
  }
});

test("events keep a user's metadata under the names of secrets, and redact the secrets themselves", async () => {
  const metadata = { streamKey: "row 7", srtSecret: 'a "b\\', show: "x" };
  const stream = await newStream(workspace, { metadata });
  const listed = await (
    await workspace.request("GET", `/v1/events?objectId=${stream.streamId}`)
  ).json<{
    data: { data: Stream }[];
  }>();
  const [event] = await eventsOf(stream.streamId);
  expect(event!.data).toMatchObject({ streamKey: "redacted", srtSecret: "redacted", metadata });
  expect(listed.data).not.toEqual([]);
  const text = JSON.stringify(listed);
  for (const secret of secretsOf(stream).slice(0, 2)) expect(text).not.toContain(secret);
  expect(text).toContain(JSON.stringify(metadata));
});

describe("a stream whose secrets cannot be decrypted", () => {
  const damaged = async () => {
    const stream = await newStream(workspace);
    await addTarget(stream);
    const broadcaster = await goLive(stream);
    const [other, target] = [await newStream(workspace), "sealed_key = 'k0.AAAA.AAAA'"];
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE live_streams SET secrets = (SELECT secrets FROM live_streams WHERE id = ?) WHERE id = ?",
      ).bind(other.streamId, stream.streamId),
      env.DB.prepare(`UPDATE simulcast_targets SET ${target} WHERE stream_id = ?`).bind(stream.streamId),
    ]);
    return { stream, broadcaster };
  };

  test("is shown and listed with its secrets redacted, refuses broadcasters, and can be changed, ended and deleted", async () => {
    const { stream, broadcaster } = await damaged();
    const shown = await getStream(workspace, stream.streamId);
    expect(new Set(secretsOf(shown).slice(0, 2))).toEqual(new Set(["redacted"]));
    expect(shown.simulcastResponses).toMatchObject([{ streamKey: "redacted" }]);
    const { data } = await (await workspace.request("GET", "/v1/live/streams?limit=50")).json<{ data: Stream[] }>();
    expect(data.map(({ streamId }) => streamId)).toContain(stream.streamId);
    await expect(ask(stream)).rejects.toThrow("authorize: 503"); // not as an unknown key: the broadcaster may retry
    const statuses = [
      await workspace.request("PATCH", at(stream), { metadata: { a: "b" } }),
      await finish(workspace, stream),
      await workspace.request("DELETE", at(stream)),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200]);
    expect(await broadcaster.heartbeat(2)).toMatchObject({ continue: false });
    expect((await workspace.request("GET", at(stream))).status).toBe(404);
  });

  test("accepts broadcasters again after it got new secrets", async () => {
    const { stream } = await damaged();
    await finish(workspace, stream);
    const answer = await workspace.request("POST", at(stream, "/rotate-key"));
    const { data: rotated } = await answer.json<{ data: Stream }>();
    expect([answer.status, await ask(stream)]).toEqual([200, { accepted: false, reason: "unknown_key" }]);
    expect(await ask(rotated)).toMatchObject({ accepted: true });
  });

  test("is answered 503 while no key is usable", async () => {
    const stream = await newStream(workspace);
    const request = new Request(`http://sluice.test${at(stream)}`, {
      headers: { authorization: workspace.authorization },
    });
    expect((await send(request, { WEBHOOK_KEYS: "" })).status).toBe(503);
  });
});

describe("POST …/rotate-key", () => {
  const rotate = async (stream: Stream) =>
    (await (await workspace.request("POST", at(stream, "/rotate-key"))).json<{ data: Stream }>()).data;

  test("returns new secrets and immediately refuses the old ones", async () => {
    const stream = await newStream(workspace);
    const rotated = await rotate(stream);
    const [old, fresh] = [secretsOf(stream).slice(0, 2), secretsOf(rotated).slice(0, 2)];
    expect(new Set([...old, ...fresh]).size).toBe(4);
    expect(fresh.every((secret) => /^[0-9a-f]{32}k[0-9a-f]{32}$/.test(secret))).toBe(true);
    expect(await ask(stream)).toEqual({ accepted: false, reason: "unknown_key" });
    const srt = { protocol: "srt", passphrase: stream.srtSecret };
    expect(await ask(rotated, srt)).toEqual({ accepted: false, reason: "wrong_passphrase" });
    expect(await ask(rotated)).toMatchObject({ accepted: true });
    expect(secretsOf(await getStream(workspace, stream.streamId)).slice(0, 2)).toEqual(fresh);
    const reported = (await eventsOf(stream.streamId)).filter(({ type }) => type === "video.live_stream.updated");
    expect(reported.map(({ data }) => data.streamKey)).toEqual(["redacted"]);
  });

  test("does not interrupt a broadcast, which can reconnect only with the new key", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await goLive(stream);
    const rotated = await rotate(stream);
    expect(await broadcaster.heartbeat(2)).toMatchObject({ continue: true });
    expect((await getStream(workspace, stream.streamId)).status).toBe("active");
    await broadcaster.left();
    expect(await ask(stream)).toEqual({ accepted: false, reason: "unknown_key" });
    expect((await connect(rotated)).sessionId).toBe(broadcaster.sessionId);
  });
});
