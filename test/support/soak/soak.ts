/**
 * The soak: owners change media, receivers fail in every way they can, and the Worker is killed repeatedly. Then all parts recover, and D1 is
 * compared with the receivers' logs (see verdict.ts).
 */
import { withState } from "../state.ts";
import { startTestPlatform, type TestPlatform } from "../platform.ts";
import { planWebhooks, type SoakSize, type WebhookPlan } from "./plan.ts";
import { Random } from "./random.ts";
import { type SoakReceiver, startSoakReceiver } from "./receiver.ts";
import { type StoredSoak, readStored } from "./stored.ts";
import { Owners, type Traffic } from "./traffic.ts";
import { killWorker, untilUp } from "./worker-kill.ts";

/**
 * Scales the waits before retries and probes: 10 ms, 60 ms, 240 ms, 1.2 s, … and 10 ms to 1.2 s. A server's `Retry-After` is not
 * scaled.
 */
const RETRY_SCALE = 0.002;
const POLL_MS = 100;
/** Changes of a burst, and its progress before the Worker is killed: some are committed, and their events are not sent yet. */
const BURST = 12;
const BURST_LASTS_MS = [5, 40] as const;

export interface SoakWebhook {
  id: string;
  secret: string;
  plan: WebhookPlan;
  receiver: SoakReceiver;
}

export interface SoakResult {
  webhooks: SoakWebhook[];
  traffic: Traffic;
  stored: StoredSoak;
  /** Ids of all events that `GET /v1/events` lists. */
  listed: string[];
  /** From each kill until the Worker answered again. */
  downMs: number[];
  disturbedMs: number;
  /** From the receivers' recovery until nothing was pending, and from each restart after a kill without traffic. */
  settledMs: number[];
}

/** @throws {Error} when something is still pending after `settleMs` */
export async function soak(size: SoakSize): Promise<SoakResult> {
  const random = new Random(size.seed);
  const plans = planWebhooks(size.webhooks);
  const receivers = await Promise.all(plans.map(({ receiver }) => startSoakReceiver(receiver, random.branch())));
  const vars = { WEBHOOK_RETRY_SCALE: String(RETRY_SCALE), SOURCE_RETRY_SCALE: "0.01" };
  const platform = await startTestPlatform({ vars });
  const owners = new Owners(platform, size);
  try {
    const webhooks: SoakWebhook[] = [];
    for (const [index, plan] of plans.entries())
      webhooks.push({
        ...(await createWebhook(platform, plan, receivers[index]!.url)),
        plan,
        receiver: receivers[index]!,
      });

    const beganAtMs = Date.now();
    const working = owners.work(random.branch());
    const downMs = await Promise.race([
      disturb(platform, owners, size, random.branch()),
      working.then((): number[] => []),
    ]);
    owners.stop();
    await working;
    const disturbedMs = Date.now() - beganAtMs;

    await Promise.all(receivers.map((receiver) => receiver.heal()));
    const settledMs = [await untilSettled(platform, webhooks, size.settleMs)];
    for (let kill = 0; kill < size.killsInQuiet; kill += 1) {
      const burst = owners.burst(BURST);
      await new Promise((done) => setTimeout(done, random.between(BURST_LASTS_MS)));
      killWorker(platform);
      await burst;
      downMs.push(await untilUp(platform));
      settledMs.push(await untilSettled(platform, webhooks, size.settleMs)); // now no request wakes a sender
    }
    const listed = await listEvents(platform);
    await platform.stop();
    const stored = await withState(platform.home, readStored);
    return { webhooks, traffic: owners.traffic, stored, listed, downMs, disturbedMs, settledMs };
  } finally {
    owners.abandon();
    await platform.stop();
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await platform.removeHome();
  }
}

async function createWebhook(
  platform: TestPlatform,
  { naming, eventTypes }: WebhookPlan,
  url: string,
): Promise<{ id: string; secret: string }> {
  const body = { url, naming, eventTypes, skipVerification: true };
  const answer = await platform.api<{ id: string; secret: string }>("POST", "/v1/webhooks", body);
  if (answer.status !== 201) throw new Error(`creation of a webhook answered ${answer.status}`);
  return answer.body.data;
}

/** Kills the Worker at random times, each time after it has restarted, and for the last time after enough changes. */
async function disturb(platform: TestPlatform, owners: Owners, size: SoakSize, random: Random): Promise<number[]> {
  const downMs: number[] = [];
  while (downMs.length < size.kills) {
    await new Promise((done) => setTimeout(done, random.between(size.upMs)));
    if (downMs.length === size.kills - 1) await owners.untilChanges(size.changes);
    killWorker(platform);
    downMs.push(await untilUp(platform));
  }
  return downMs;
}

/** Waits until no delivery is pending. @returns the time it took, ms */
async function untilSettled(platform: TestPlatform, webhooks: SoakWebhook[], limitMs: number): Promise<number> {
  const beganAtMs = Date.now();
  for (;;) {
    const waiting = await pendingDelivery(platform, webhooks);
    if (waiting === null) return Date.now() - beganAtMs;
    if (Date.now() - beganAtMs > limitMs) throw new Error(`waited ${limitMs} ms in vain: ${waiting}`);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

async function pendingDelivery(platform: TestPlatform, webhooks: SoakWebhook[]): Promise<string | null> {
  for (const [index, { id }] of webhooks.entries()) {
    const path = `/v1/webhooks/${id}/deliveries?status=pending&limit=1`;
    const { body } = await platform.api<unknown[]>("GET", path);
    if (body.data.length > 0) return `webhook ${index} with ${JSON.stringify(body.data[0])}`;
  }
  return null;
}

async function listEvents(platform: TestPlatform): Promise<string[]> {
  const listed: string[] = [];
  for (let cursor = ""; ;) {
    const page = await fetch(`${platform.baseUrl}/v1/events?limit=100${cursor}`, {
      headers: { authorization: platform.authorization },
    });
    const body = (await page.json()) as { data: { id: string }[]; pagination: { nextCursor: string | null } };
    listed.push(...body.data.map(({ id }) => id));
    if (body.pagination.nextCursor === null) return listed;
    cursor = `&cursor=${encodeURIComponent(body.pagination.nextCursor)}`;
  }
}
