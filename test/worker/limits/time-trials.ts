/** Deadlines of the Worker, on a clock that the trial advances, with servers that never finish. */
import { env } from "cloudflare:test";
import { vi } from "vitest";
import { lingering, readRest } from "../../../src/platform/http/lingering.ts";
import type { Problem } from "../../../src/platform/http/problems.ts";
import { HealthCache } from "../../../src/health.ts";
import type { SourceError } from "../../../src/library/sources/source-errors.ts";
import { fetchSource } from "../../../src/library/sources/safe-fetch.ts";
import { attemptDelivery } from "../../../src/events/webhooks/attempt/attempt-delivery.ts";
import { verifyEndpoint } from "../../../src/events/webhooks/attempt/verify-endpoint.ts";
import { rotateSecret } from "../../../src/events/webhooks/endpoints/rotate-secret.ts";
import { TAKEN, until, upTo } from "../../support/limits/trials.ts";
import { openSourceServer } from "../library/sources/source-servers.ts";
import { addWebhook } from "../events/webhooks/webhook-rows.ts";
import { receivers, seenAt } from "../events/webhooks/receivers.ts";

/** The outcome of the work after this time. @param isWaiting whether the work has started to wait; makes a network request */
export async function after(
  ms: number,
  begin: () => Promise<string>,
  isWaiting: () => Promise<boolean>,
): Promise<string> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let verdict = TAKEN;
    const work = begin().then((outcome) => void (verdict = outcome));
    while (!(await isWaiting()));
    vi.advanceTimersByTime(ms);
    for (let turn = 0; turn < 5; turn++) await isWaiting();
    const seen = verdict;
    vi.advanceTimersByTime(3_600_000);
    await work;
    return seen;
  } finally {
    vi.useRealTimers();
  }
}

async function sourceAfter(ms: number, behaviour: "headers" | "body"): Promise<string> {
  const server = await openSourceServer();
  const hangs =
    behaviour === "headers"
      ? { kind: "hang" as const }
      : { kind: "content" as const, sizeBytes: 9999, hangAfterBytes: 99 };
  const url = await server.add("/waits", hangs);
  let isReading = false;
  const read = async () => {
    try {
      const { body } = await fetchSource(env, url);
      await body.read();
      const next = body.read();
      isReading = true;
      await next;
      return "whole";
    } catch (error) {
      return (error as SourceError).code;
    }
  };
  return await after(ms, read, async () => {
    const isAsked = (await server.requests("/waits")).length > 0;
    return behaviour === "headers" ? isAsked : isReading;
  });
}

/** @param timers number of running timers once the receiver has the request */
async function attemptAfter(ms: number, path: string, timers: number, begin = attemptDelivery): Promise<string> {
  const of = `${path}?of=${crypto.randomUUID()}`;
  const attempt = { url: receivers().plain + of, body: new Uint8Array(2), headers: {} };
  const deliver = async () => (await begin(env, attempt)).failure ?? "delivered";
  return await after(ms, deliver, async () => (await seenAt(of)).length > 0 && vi.getTimerCount() <= timers);
}

async function healthAfter(ms: number): Promise<string> {
  const never = { head: () => new Promise(() => {}) } as unknown as R2Bucket;
  const read = async () =>
    (await new HealthCache(() => 0).read({ ...env, MEDIA: never }, "public")).parts["storage"]!.status;
  // Only the timer of the hanging check is still running.
  return await after(ms, read, async () => (await env.MEDIA.head("x")) === null && vi.getTimerCount() === 1);
}

/** Whether the answer to a refused request whose client keeps sending is still open. */
async function answerAfter(ms: number): Promise<string> {
  const read = async () => {
    const answer = await lingering(new Response("why"), () => new Promise(() => {}));
    await answer.text();
    return "closed";
  };
  return await after(ms, read, async () => (await env.MEDIA.head("x")) === null && vi.getTimerCount() === 1);
}

/** Whether the rest of a refused request, in pieces of at most 1 MiB, is read to its end. */
async function restOf(bytes: number): Promise<string> {
  const piece = new Uint8Array(1 << 20);
  let left = bytes;
  let verdict = "closed";
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (left === 0) {
          verdict = TAKEN;
          return controller.close();
        }
        const size = Math.min(left, piece.length);
        left -= size;
        controller.enqueue(piece.subarray(0, size));
      },
    },
    { highWaterMark: 0 },
  );
  await readRest(body);
  return verdict;
}

/** Whether the previous secret still signs, so that another rotation is refused. */
async function rotatedAfter(ms: number): Promise<string> {
  const workspaceId = crypto.randomUUID();
  const key = { workspaceId, webhookId: await addWebhook(workspaceId) };
  await rotateSecret(env, key, new Date(1e12));
  const again = await rotateSecret(env, key, new Date(1e12 + ms)).catch((error: Problem) => error.code);
  return again === "secret_rotated_recently" ? TAKEN : "forgotten";
}

export const TIME_TRIALS = {
  "refused-answer": until(answerAfter),
  "refused-rest": upTo(restOf),
  "webhook-secret-overlap": until(rotatedAfter),
  "health-check": until(healthAfter),
  "source-headers": until((ms) => sourceAfter(ms, "headers")),
  "source-idle": until((ms) => sourceAfter(ms, "body")),
  "webhook-answer-headers": until((ms) => attemptAfter(ms, "/silence", 2)),
  "webhook-attempt": until((ms) => attemptAfter(ms, "/endless-body", 1)),
  "webhook-verification": until((ms) => attemptAfter(ms, "/silence", 2, (of, { url }) => verifyEndpoint(of, url))),
};
