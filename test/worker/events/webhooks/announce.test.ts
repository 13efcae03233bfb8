import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../../src/platform/database.ts";
import { eventBytes } from "../../../../src/events/index.ts";
import { commitWithEvents } from "../../../../src/events/webhooks/index.ts";
import { workspaces } from "../../../../src/tenancy/workspaces/tables.ts";
import { type MediaAnswer, newWorkspace, videoFrom } from "../../workspace.ts";
import { addWebhook, deliveriesOf, eventsOf, someEvent } from "./webhook-rows.ts";
import { ENVELOPE_FIELDS } from "../../../support/envelope.ts";

const db = openDatabase(env.DB);
const VIDEO = "http://127.0.0.1:9/video.mp4";

interface Envelope {
  type: string;
  object: { type: string; id: string };
  id: string;
  event_id: string;
  workspace: { id: string; name: string };
  status: string;
  data: Record<string, unknown>;
  createdAt: string;
  attempts: unknown[];
}
const envelope = (event: { type: string; videoType: string; body: string }, naming: "service" | "video") =>
  JSON.parse(new TextDecoder().decode(eventBytes(event, naming))) as Envelope;

describe("an event", () => {
  test("is committed with the media that it is about, in the contract's envelope", async () => {
    const workspace = await newWorkspace();
    await db.update(workspaces).set({ name: 'Zoë\'s "studio"' }).where(eq(workspaces.id, workspace.id));
    const answer = await workspace.request("POST", "/v1/on-demand", { ...videoFrom(VIDEO), title: "reel 🎞️" });
    const { data } = await answer.json<MediaAnswer>();
    const [created] = await eventsOf(data.id);
    const event = envelope(created!, "service");
    expect(Object.keys(event)).toEqual(ENVELOPE_FIELDS);
    expect(event).toMatchObject({
      type: "asset.created",
      object: { type: "media", id: data.id },
      id: created!.id,
      event_id: created!.id,
      workspace: { id: workspace.id, name: 'Zoë\'s "studio"' },
      status: "media_created",
      attempts: [],
    });
    expect(event.data).toMatchObject({
      id: data.id,
      workspaceId: workspace.id,
      title: "reel 🎞️",
      status: "Created",
    });
    expect(event.data).not.toHaveProperty("progress");
    expect(event.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
    expect(created!.createdAt).toBe(event.createdAt);
    expect(envelope(created!, "video")).toEqual({ ...event, type: "video.media.created" });
  });

  test("is later than the previous one of the same object, also within a millisecond and when the clock goes back", async () => {
    const { id: workspaceId } = await newWorkspace();
    const objectId = crypto.randomUUID();
    const atMs = Date.UTC(2026, 10, 20, 12);
    for (const occurredAtMs of [atMs, atMs, atMs - 5000, atMs + 1])
      await commitWithEvents(env, [], [{ event: someEvent(workspaceId, objectId, { occurredAtMs }) }]);
    expect((await eventsOf(objectId)).map(({ createdAt }) => createdAt)).toEqual([
      "2026-11-20T12:00:00.000000000Z",
      "2026-11-20T12:00:00.000000001Z",
      "2026-11-20T12:00:00.000000002Z",
      "2026-11-20T12:00:00.001000000Z",
    ]);
  });

  test("announced twice is stored once, with the bytes and deliveries of the first time", async () => {
    const { id: workspaceId } = await newWorkspace();
    const webhookId = await addWebhook(workspaceId);
    const event = someEvent(workspaceId, crypto.randomUUID());
    const first = await commitWithEvents(env, [], [{ event }]);
    const before = await eventsOf(event.objectId);
    const late = await addWebhook(workspaceId);
    const second = await commitWithEvents(env, [], [{ event: { ...event, data: { changed: true } } }]);
    expect([first.isNew, second.isNew]).toEqual([[true], [false]]);
    expect(await eventsOf(event.objectId)).toEqual(before);
    expect(await deliveriesOf(webhookId)).toHaveLength(1);
    expect(await deliveriesOf(late)).toHaveLength(0);
  });

  test("of the later of two concurrent changes has the record as that change left it", async () => {
    const workspace = await newWorkspace();
    const { data } = await (await workspace.request("POST", "/v1/on-demand", videoFrom(VIDEO))).json<MediaAnswer>();
    const changes = Array.from({ length: 8 }, (_, index) => [
      { title: `title ${index}` },
      { creatorId: `c${index}` },
    ]).flat();
    const answers = await Promise.all(
      changes.map((change) => workspace.request("PATCH", `/v1/on-demand/${data.id}`, change)),
    );
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    const media = await (await workspace.request("GET", `/v1/on-demand/${data.id}`)).json<MediaAnswer>();
    const updates = (await eventsOf(data.id)).filter(({ type }) => type === "video.media.updated");
    expect(updates).toHaveLength(changes.length);
    const last = envelope(updates.at(-1)!, "service").data;
    expect([last["title"], last["creatorId"]]).toEqual([media.data["title"], media.data["creatorId"]]);
  });

  test("of a deletion is stored once, however many requests delete at the same time", async () => {
    const workspace = await newWorkspace();
    const { data } = await (await workspace.request("POST", "/v1/on-demand", videoFrom(VIDEO))).json<MediaAnswer>();
    const answers = await Promise.all([1, 2, 3].map(() => workspace.request("DELETE", `/v1/on-demand/${data.id}`)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect((await eventsOf(data.id)).map(({ type }) => type)).toEqual(["asset.created", "video.media.deleted"]);
  });
});

describe("an event goes to", () => {
  test("every webhook of its workspace that subscribes to its kind, and to no other", async () => {
    const [mine, other] = [await newWorkspace(), await newWorkspace()];
    const everything = await addWebhook(mine.id);
    const wanted = await addWebhook(mine.id, { matchedTypes: ["asset.created", "video.media.deleted"] });
    const unwanted = await addWebhook(mine.id, { matchedTypes: ["asset.ready"] });
    const paused = await addWebhook(mine.id, { enabled: false });
    const deleted = await addWebhook(mine.id, { deletedAt: new Date() });
    const foreign = await addWebhook(other.id);
    const subject = await addWebhook(mine.id);
    const event = someEvent(mine.id, crypto.randomUUID());
    await commitWithEvents(env, [], [{ event, exceptWebhookId: subject }]);
    const counts = await Promise.all(
      [everything, wanted, unwanted, paused, deleted, foreign, subject].map(
        async (id) => (await deliveriesOf(id)).length,
      ),
    );
    expect(counts).toEqual([1, 1, 0, 0, 0, 0, 0]);
  });

  test("a disabled webhook as a failed delivery that can be recovered", async () => {
    const { id: workspaceId } = await newWorkspace();
    const webhookId = await addWebhook(workspaceId, { disabledReason: "gone", disabledAt: new Date() });
    await commitWithEvents(env, [], [{ event: someEvent(workspaceId, crypto.randomUUID()) }]);
    const [delivery] = await deliveriesOf(webhookId);
    expect(delivery).toMatchObject({ status: "failed", lastFailure: "webhook_disabled", nextAttemptAt: null });
  });
});
