/** Drives every flow of this release that announces something, and compares the kinds that D1 then holds with `isSent` of the catalogue. */
import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { BUCKET_MS, lastBucketEndMs } from "../../../src/analytics/alerts/decide.ts";
import { evaluateAlerts } from "../../../src/analytics/alerts/evaluate-alerts.ts";
import { CATALOGUE, EVENT_KINDS, events, type EventType } from "../../../src/events/index.ts";
import { commitWithEvents } from "../../../src/events/webhooks/index.ts";
import { deliveries } from "../../../src/events/webhooks/records/tables.ts";
import { wakeSender } from "../../../src/events/webhooks/fan-out/call-sender.ts";
import { projectAsset } from "../../../src/library/assets/projection.ts";
import type { EditOperation } from "../../../src/media/edits/montage.ts";
import { endTrack } from "../../../src/library/assets/end-track.ts";
import { newTrack } from "../../../src/library/tracks/store/new-track.ts";
import { addCaptionTrack } from "../../../src/library/tracks/add-caption-track.ts";
import { addedTracks } from "../../../src/library/tracks/store/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { newAlert } from "../analytics/alert-helpers.ts";
import { sendView, storeView, TestPlayer } from "../analytics/beacon-helpers.ts";
import { newAsset } from "../playback/playable.ts";
import { call, FILM, newUpload } from "../library/uploads/upload-helpers.ts";
import { openSourceServer } from "../library/sources/source-servers.ts";
import { at, connect, elapse, newStream, settle, type Stream } from "../live/live-helpers.ts";
import { broadcast } from "../live/recording-helpers.ts";
import { type MediaAnswer, newWorkspace, send, type TestWorkspace, videoFrom } from "../workspace.ts";
import { differences } from "../../support/differences.ts";
import { ask, createWebhook, receiverUrl } from "./webhooks/webhook-helpers.ts";
import { someEvent, until } from "./webhooks/webhook-rows.ts";

const db = openDatabase(env.DB);

async function kindsIn({ id }: TestWorkspace): Promise<Set<string>> {
  const rows = await db.selectDistinct({ type: events.type }).from(events).where(eq(events.workspaceId, id));
  return new Set(rows.map(({ type }) => type));
}
const untilSent = (workspace: TestWorkspace, type: string) =>
  until(
    () => kindsIn(workspace),
    (kinds) => kinds.has(type),
  );

const FLOWS: Record<string, (workspace: TestWorkspace) => Promise<void>> = {
  "a media is created, changed and deleted": async (workspace) => {
    const { data } = await (
      await workspace.request("POST", "/v1/on-demand", videoFrom("http://127.0.0.1:9/a.mp4"))
    ).json<MediaAnswer>();
    await ask(workspace, "PATCH", `/v1/on-demand/${data.id}`, { title: "New" });
    await workspace.request("DELETE", `/v1/on-demand/${data.id}`);
  },

  "a media gets another playback ID, which is removed again": async (workspace) => {
    const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    const path = `/v1/on-demand/${assetId}/playback-ids`;
    const { id } = await ask<{ id: string }>(workspace, "POST", path, { accessPolicy: "public" });
    await workspace.request("DELETE", `${path}?playbackId=${id}`);
  },

  "viewers may download files": async (workspace) => {
    const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    await ask(workspace, "PATCH", `/v1/on-demand/${assetId}/update-mp4Support`, { mp4Support: "capped_4k" });
  },

  "viewers may download an original file for a while": async (workspace) => {
    const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    await ask(workspace, "PATCH", `/v1/on-demand/${assetId}/source-access`, { sourceAccess: true });
    await ask(workspace, "PATCH", `/v1/on-demand/${assetId}/source-access`, { sourceAccess: false });
  },

  "subtitles are added, renamed and deleted, and others have no file": async (workspace) => {
    const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    const server = await openSourceServer();
    const url = await server.add("/a.vtt", { kind: "content", text: "WEBVTT\n\n00:00.000 --> 00:01.000\nx\n" });
    const path = `/v1/on-demand/${assetId}/tracks`;
    const add = async (languageName: string, of: string) => {
      const tracks = { url: of, type: "subtitle", languageCode: "it", languageName };
      return (await (await workspace.request("POST", path, { tracks })).json<{ data: { id: string } }>()).data.id;
    };
    const id = await add("Italian", url);
    await add("Nothing", `${server.origin}/none.vtt`);
    await untilSent(workspace, "video.media.track.ready");
    await untilSent(workspace, "video.media.track.failed");
    await ask(workspace, "PATCH", `${path}/${id}`, { languageCode: "fr", languageName: "French" });
    await workspace.request("DELETE", `${path}/${id}`);
  },

  "a media that was edited becomes ready": async (workspace) => {
    const operations: EditOperation[] = ["intro", "outro", "expunge", "splice"];
    const montage = { files: [], takes: [], operations };
    const placement = { xAlign: "right", xMargin: "3%", yAlign: "bottom", yMargin: "3%" } as const;
    const watermark = { id: crypto.randomUUID(), url: "https://cdn.test/logo.png", path: "inputs[1]", placement };
    const edits = { montage, loudness: [], watermark, widthPx: 1920, heightPx: 1080 };
    const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id, ...edits });
    const payload = { id: crypto.randomUUID(), type: "asset.ready", occurredAtMs: Date.now() } as const;
    await projectAsset(env, assetId, [{ kind: "event", payload }], new Date());
  },

  "sound takes the place of a media's own": async (workspace) => {
    const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    const imposed = [{ url: "https://cdn.test/b.wav", startMs: 0, endMs: null, fadeInMs: 0, fadeOutMs: 0 }];
    const labels = {
      kind: "audio",
      url: "https://cdn.test/a.wav",
      languageCode: "und",
      languageName: "default",
    } as const;
    const track = newTrack({ ...labels, replacesSound: true, imposed }, assetId, new Date());
    await db.insert(addedTracks).values(track);
    await endTrack(env, assetId, track.id, { status: "available", captions: null }, new Date());
  },

  "captions are made of a media's sound": async (workspace) => {
    const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    const generated = { sound: null, languageCode: "en", prompt: "" };
    const labels = { kind: "subtitle", url: null, languageCode: "en-US", languageName: "English" } as const;
    const track = newTrack({ ...labels, generated }, assetId, new Date());
    await db.insert(addedTracks).values(track);
    await endTrack(env, assetId, track.id, { status: "available", captions: null }, new Date());
  },

  "results are made of what is said in a media": async (workspace) => {
    await import("compromise"); // the pool does not load modules within an object
    const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id, durationMs: 60_000 });
    const cues = [{ startMs: 0, endMs: 2000, settings: "", text: "Ada Lovelace lives in London. I will kill you." }];
    const labels = { languageCode: "en", languageName: "English" };
    await addCaptionTrack(env, { assetId, trackId: crypto.randomUUID() }, labels, { cues, skipped: 0 }, new Date());
    const path = `/v1/on-demand/${assetId}`;
    await ask(workspace, "PATCH", `${path}/summary`, { generate: true });
    await ask(workspace, "PATCH", `${path}/chapters`, { chapters: true });
    await ask(workspace, "PATCH", `${path}/named-entities`, { namedEntities: true });
    await ask(workspace, "PATCH", `${path}/moderation`, { moderation: { type: "audio" } });
    for (const kind of ["summary", "chapters", "namedEntities", "moderation"])
      await untilSent(workspace, `video.mediaAI.${kind}.ready`);
    await untilSent(workspace, "ai.moderation.flagged");
  },

  "a file is uploaded, and another upload is cancelled": async (workspace) => {
    const { url } = await newUpload(workspace);
    await call("PUT", url, {}, FILM);
    const { uploadId } = await newUpload(workspace);
    await ask(workspace, "PUT", `/v1/on-demand/upload/${uploadId}/cancel`);
  },

  "a viewer watches, and another one cannot": async (workspace) => {
    const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    const source = { vdsour: `https://stream.example.com/${playbackId}.m3u8` };
    const [watching, failing] = [new TestPlayer(workspace.id), new TestPlayer(workspace.id)];
    const startMs = Date.now() - 15_000;
    await sendView(workspace.id, watching.completeView(startMs, source));
    const begin = failing.event("viewBegin", startMs, source);
    await sendView(workspace.id, [begin, failing.event("error", startMs + 1, { plercd: "1", plerms: "broken" })]);
  },

  "a metric passes the threshold of an alert, and comes back": async (workspace) => {
    await newAlert(workspace, { recoveryBucketCount: 1 });
    // Later than the views of the other flows, of which one has failed.
    const bucketEndMs = lastBucketEndMs(Date.now()) + 3 * BUCKET_MS;
    const evaluate = async (title: string, hasFailed: boolean, endMs: number) => {
      vi.useFakeTimers({ toFake: ["Date"], now: endMs - 1000 });
      await storeView(workspace.id, title, {}, hasFailed);
      vi.useRealTimers();
      await evaluateAlerts(env, new Date(endMs + BUCKET_MS - 1));
    };
    await evaluate("Broken", true, bucketEndMs);
    await evaluate("Repaired", false, bucketEndMs + BUCKET_MS);
  },

  "the source of a media is no MP4": async (workspace) => {
    const server = await openSourceServer();
    await workspace.request(
      "POST",
      "/v1/on-demand",
      videoFrom(await server.add("/a.txt", { kind: "content", text: "a" })),
    );
    await untilSent(workspace, "video.media.non_standard_format.detected");
  },

  "the source of a media is missing": async (workspace) => {
    const server = await openSourceServer();
    await server.add("/missing", { kind: "status", status: 404 });
    await workspace.request("POST", "/v1/on-demand", videoFrom(`${server.origin}/missing`));
    await untilSent(workspace, "asset.errored");
  },

  "a stream is on air with a simulcast target, is clipped, loses its broadcaster and ends as a recording": async (
    workspace,
  ) => {
    const stream = await newStream(workspace, { metadata: { show: "one" } });
    const simulcastId = await addTarget(workspace, stream);
    await ask(workspace, "PUT", at(stream, `/simulcast/${simulcastId}`), { metadata: { platform: "other" } });
    const broadcaster = await broadcast(stream, 3);
    await settle(stream);
    for (const state of ["starting", "broadcasting"]) {
      const body = { eventId: crypto.randomUUID(), simulcastId, state, at: Date.now() };
      const init = { method: "POST", body: JSON.stringify(body) };
      const headers = { authorization: `Bearer ${broadcaster.token}` };
      await send(new Request(`http://sluice.test/internal/live/${broadcaster.sessionId}/target`, { ...init, headers }));
    }
    await ask(workspace, "POST", at(stream, "/clips"), { startTime: 0, endTime: 3 });
    await broadcaster.left();
    await elapse(stream, "window");
  },

  "a broadcaster connects over SRT, and comes back over RTMPS": async (workspace) => {
    const stream = await newStream(workspace);
    const broadcaster = await connect(stream, { protocol: "srt", passphrase: stream.srtSecret });
    await broadcaster.started();
    await broadcaster.left();
    await connect(stream, { protocol: "rtmps" });
    await settle(stream);
  },

  "a stream is changed, disabled and deleted": async (workspace) => {
    const stream = await newStream(workspace);
    const simulcastId = await addTarget(workspace, stream);
    await workspace.request("DELETE", at(stream, `/simulcast/${simulcastId}`));
    await ask(workspace, "PATCH", at(stream), { metadata: { show: "two" } });
    await ask(workspace, "PUT", at(stream, "/live-disable"));
    await settle(stream);
    await workspace.request("DELETE", at(stream));
    await settle(stream);
  },

  "an endpoint is gone, and a delivery to another one runs out of tries": async (workspace) => {
    await createWebhook(workspace, { url: receiverUrl("/status/410") });
    // One delivery: after three failures in a row the endpoint would be probed after pauses.
    const eventTypes = ["video.live_stream.created"];
    const { id: webhookId } = await createWebhook(workspace, { url: receiverUrl("/status/500"), eventTypes });
    await newStream(workspace);
    const [firstTriedAt, nextAttemptAt] = [new Date(Date.now() - 3 * 24 * 3600_000), new Date()];
    await until(
      () => db.select().from(deliveries).where(eq(deliveries.webhookId, webhookId)),
      (rows) => rows[0]?.attempts === 1,
    );
    const old = { tries: 13, firstTriedAt, nextAttemptAt };
    await db.update(deliveries).set(old).where(eq(deliveries.webhookId, webhookId));
    await wakeSender(env, webhookId);
    await untilSent(workspace, "webhook.delivery.exhausted");
    await untilSent(workspace, "webhook.disabled");
  },

  "a migration ends, and what failed in it is tried again": async (workspace) => {
    const server = await openSourceServer();
    const missing = await server.add("/gone.mp4", { kind: "status", status: 404 });
    const items = [{ url: missing }, { url: "ftp://cdn.test/a.mp4" }];
    const { id } = await ask<{ id: string }>(workspace, "POST", "/v1/imports", { source: { type: "list", items } });
    await untilSent(workspace, "migration.batch.started");
    await untilSent(workspace, "migration.batch.completed");
    await ask(workspace, "POST", `/v1/imports/${id}/retry`, { items: ["ftp://cdn.test/a.mp4"] });
    await until(
      () => ask<{ status: string }>(workspace, "GET", `/v1/imports/${id}`),
      ({ status }) => status === "done",
    );
    await minuteLater(id);
    await untilSent(workspace, "migration.batch.progress");
  },
};

/** Progress is announced at most once a minute: the last event of the batch is as old as that. */
async function minuteLater(batchId: string): Promise<void> {
  const stub = env.IMPORT_BATCH.get(env.IMPORT_BATCH.idFromName(batchId));
  await runInDurableObject(stub, (_, { storage }) => {
    storage.kv.put("announcedAtMs", Date.now() - 60_000);
    storage.sql.exec("UPDATE timers SET due = 1 WHERE name = 'show'");
  });
  await runDurableObjectAlarm(stub);
}

async function addTarget(workspace: TestWorkspace, stream: Stream): Promise<string> {
  const body = { url: "rtmp://live.example.com/app", streamKey: "key" };
  return (await ask<{ simulcastId: string }>(workspace, "POST", at(stream, "/simulcast"), body)).simulcastId;
}

test("the kinds that the flows of this release send are those marked as sent", async () => {
  const workspace = await newWorkspace();
  for (const drive of Object.values(FLOWS)) await drive(workspace);
  const marked = EVENT_KINDS.filter(({ isSent }) => isSent).map(({ type }) => type);
  expect(differences([...(await kindsIn(workspace))], new Set(marked))).toEqual({ missing: [], unknown: [] });
});

test("an event of a kind that is not marked as sent is not recorded, so no flow can send it unmarked", async () => {
  const workspace = await newWorkspace();
  for (const { type, example } of EVENT_KINDS) {
    const event = someEvent(workspace.id, undefined, { type, data: example });
    const commit = () => commitWithEvents(env, [], [{ event }]);
    await unmarked([type], () => expect(commit()).rejects.toThrow(`does not mark "${type}" as sent`));
    await commit();
  }
});

/** A release that declares these kinds and does not send them yet: this one sends all. */
async function unmarked(types: readonly EventType[], work: () => Promise<unknown>): Promise<void> {
  for (const type of types) CATALOGUE[type].isSent = false;
  try {
    await work();
  } finally {
    for (const type of types) CATALOGUE[type].isSent = true;
  }
}

test("GET /v1/event-types says of each kind whether it is sent, and a webhook which of its types are not", async () => {
  const workspace = await newWorkspace();
  const kinds = await ask<{ type: string; isSent: boolean }[]>(workspace, "GET", "/v1/event-types");
  expect(kinds.map(({ type, isSent }) => [type, isSent])).toEqual(
    EVENT_KINDS.map(({ type, isSent }) => [type, isSent]),
  );

  const eventTypes = ["asset.ready", "video.media.*", "migration.batch.started", "migration.*"];
  const webhook = await createWebhook(workspace, { eventTypes });
  expect(webhook).not.toHaveProperty("eventTypesNotSent");
  const read = () => ask<object>(workspace, "GET", `/v1/webhooks/${webhook.id}`);
  const listed = async () =>
    (await ask<{ type: string; isSent: boolean }[]>(workspace, "GET", "/v1/event-types")).filter(
      (kind) => !kind.isSent,
    );
  const migration = EVENT_KINDS.map(({ type }) => type).filter((type) => type.startsWith("migration."));
  await unmarked(["asset.ready", ...migration], async () => {
    expect(await read()).toMatchObject({ eventTypes, eventTypesNotSent: ["asset.ready", ...eventTypes.slice(2)] });
    expect((await listed()).map(({ type }) => type)).toEqual(["asset.ready", ...migration]);
  });
  await unmarked(["migration.batch.started"], async () => {
    expect(await read()).toMatchObject({ eventTypesNotSent: ["migration.batch.started"] });
  });
});
