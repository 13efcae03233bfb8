import { env } from "cloudflare:test";
import { asc, eq } from "drizzle-orm";
import { openDatabase } from "../../../../src/platform/database.ts";
import { events } from "../../../../src/events/index.ts";
import { sealSecret } from "../../../../src/events/webhooks/records/secrets.ts";
import { deliveries, deliveryAttempts, webhooks } from "../../../../src/events/webhooks/records/tables.ts";

const db = openDatabase(env.DB);

export const SECRET = btoa("a secret of 32 bytes for tests..");

/** Inserts a webhook as its REST route would, with `SECRET`. */
export async function addWebhook(
  workspaceId: string,
  more: Partial<typeof webhooks.$inferInsert> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  const now = new Date();
  const row = {
    id,
    workspaceId,
    url: "http://127.0.0.1:9/",
    eventTypes: [],
    naming: "service" as const,
    enabled: true,
  };
  const secret = await sealSecret(env.WEBHOOK_KEYS, id, SECRET);
  await db.insert(webhooks).values({ ...row, secret, createdAt: now, updatedAt: now, ...more });
  return id;
}

export const someEvent = (workspaceId: string, objectId: string = crypto.randomUUID(), more: object = {}) => ({
  id: crypto.randomUUID(),
  workspaceId,
  type: "video.media.deleted",
  objectId,
  occurredAtMs: Date.now(),
  data: { id: objectId, workspaceId, status: "Ready", playbackIds: [] },
  ...more,
});

export const eventsOf = (objectId: string) =>
  db.select().from(events).where(eq(events.objectId, objectId)).orderBy(asc(events.createdAt));
export const deliveriesOf = (webhookId: string) =>
  db.select().from(deliveries).where(eq(deliveries.webhookId, webhookId)).orderBy(asc(deliveries.createdAt));
export const attemptsOf = (webhookId: string) =>
  db
    .select()
    .from(deliveryAttempts)
    .where(eq(deliveryAttempts.webhookId, webhookId))
    .orderBy(asc(deliveryAttempts.startedAt), asc(deliveryAttempts.number));
export const webhookRow = async (id: string) => (await db.select().from(webhooks).where(eq(webhooks.id, id)))[0]!;

const POLL_MS = 10;
const LIMIT_MS = 10_000;

/** Polls until the answer is good. @throws with the last answer */
export async function until<T>(ask: () => Promise<T>, isGood: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const answer = await ask();
    if (isGood(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`timed out; the last answer was ${JSON.stringify(answer)}`);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}
