/** Webhooks for the bench: events without the rest of the product, and the yardstick's bare queue consumer. */
import { Hono } from "hono";
import { openDatabase } from "../../src/platform/database.ts";
import type { Env } from "../../src/platform/env.ts";
import { commitWithEvents } from "../../src/events/webhooks/index.ts";
import { newSecret, sealSecret } from "../../src/events/webhooks/records/secrets.ts";
import { webhooks } from "../../src/events/webhooks/records/tables.ts";
import { wakeSender } from "../../src/events/webhooks/fan-out/call-sender.ts";
import { workspaces } from "../../src/tenancy/workspaces/tables.ts";

/** The size of a media event. */
const PADDING = "x".repeat(900);

export const webhookBench = new Hono<{ Bindings: Env }>();

/** A workspace with a webhook for each URL. */
webhookBench.post("/workspace", async (c) => {
  const urls = await c.req.json<string[]>();
  const db = openDatabase(c.env.DB);
  const [workspaceId, now] = [crypto.randomUUID(), new Date()];
  await db
    .insert(workspaces)
    .values({ id: workspaceId, organisationId: crypto.randomUUID(), name: "bench", createdAt: now });
  const ids: string[] = [];
  for (const url of urls) {
    const id = crypto.randomUUID();
    const secret = await sealSecret(c.env.WEBHOOK_KEYS, id, newSecret());
    const row = { id, workspaceId, url, eventTypes: [], naming: "service" as const, enabled: true };
    await db.insert(webhooks).values({ ...row, secret, createdAt: now, updatedAt: now });
    ids.push(id);
  }
  return c.json({ workspaceId, webhookIds: ids });
});

const newEvent = (workspaceId: string) => {
  const objectId = crypto.randomUUID();
  return {
    id: crypto.randomUUID(),
    workspaceId,
    type: "video.media.updated",
    objectId,
    occurredAtMs: Date.now(),
    data: { id: objectId, padding: PADDING },
  };
};

/** Commits `n` events in one batch and sends them as the product does with `wake`. Answers the commit time, epoch ms. */
webhookBench.post("/events/:workspaceId", async (c) => {
  const n = Number(c.req.query("n") ?? 1);
  const announcements = Array.from({ length: n }, () => ({ event: newEvent(c.req.param("workspaceId")) }));
  const { wake } = await commitWithEvents(c.env, [], announcements);
  const committedAtMs = Date.now();
  if (c.req.query("wake") !== undefined) c.executionCtx.waitUntil(wake());
  return c.json({ committedAtMs });
});

webhookBench.post("/wake", async (c) => {
  await Promise.all((await c.req.json<string[]>()).map((id) => wakeSender(c.env, id)));
  return c.json({});
});

interface BareMessage {
  bare: string;
  body: string;
}

/** The yardstick: the event's row, a message, a POST of the same size. */
webhookBench.post("/bare-event/:workspaceId", async (c) => {
  const event = newEvent(c.req.param("workspaceId"));
  await commitWithEvents(c.env, [], [{ event }]);
  const committedAtMs = Date.now();
  const message = { bare: c.req.query("url") ?? "", body: JSON.stringify(event) } satisfies BareMessage;
  c.executionCtx.waitUntil(c.env.DELIVERIES.send(message));
  return c.json({ committedAtMs });
});

/** 100 messages for each URL. */
webhookBench.post("/bare-burst", async (c) => {
  const urls = await c.req.json<string[]>();
  const body = JSON.stringify(newEvent(crypto.randomUUID()));
  for (const bare of urls)
    await c.env.DELIVERIES.sendBatch(
      Array.from({ length: 100 }, () => ({ body: { bare, body } satisfies BareMessage })),
    );
  return c.json({});
});

/** True when the batch was the yardstick's. */
export async function consumeBare(batch: MessageBatch): Promise<boolean> {
  if (!batch.messages.some(({ body }) => typeof (body as Partial<BareMessage>).bare === "string")) return false;
  await Promise.all(
    batch.messages.map(async (message) => {
      const { bare, body } = message.body as BareMessage;
      const answer = await fetch(bare, { method: "POST", headers: { "content-type": "application/json" }, body });
      await answer.body?.cancel();
      if (answer.ok) message.ack();
      else message.retry();
    }),
  );
  return true;
}
