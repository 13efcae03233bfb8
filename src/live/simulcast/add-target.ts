import type { z } from "@hono/zod-openapi";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { urlHint } from "../../platform/network/public-url.ts";
import { changeStream } from "../streams/change-stream.ts";
import { newHexId } from "../streams/ids.ts";
import type { SimulcastTarget } from "../streams/repository.ts";
import { sealTarget } from "../streams/secrets.ts";
import { targetEvent } from "../streams/stream-event.ts";
import { insertTargetIf } from "../streams/targets.ts";
import { toTargetRecord } from "../streams/to-stream.ts";
import { targetUrlProblem } from "./target-url.ts";

/** Each target uses a connection and a process of the gateway. */
const TARGETS_PER_STREAM = 5;

/**
 * Adds a simulcast target.
 *
 * @throws {Problem} stream_not_found; stream_not_idle: the stream is broadcasting or disabled (media contract, live streams); validation_failed: an
 *   invalid URL, or the stream has five targets
 */
export async function addTarget(
  streamId: string,
  body: { url: string; streamKey: string; isEnabled: boolean; metadata?: Record<string, string> | undefined },
  { env, workspaceId, now, after, keep }: CreateContext,
) {
  requireValidUrl(body, allowsPrivateNetwork(env));
  const { url, streamKey, isEnabled, metadata } = body;
  const key = { workspaceId, streamId };
  const fresh = { ...key, url, metadata: metadata ?? null, isEnabled, report: null, createdAt: now };
  const target: SimulcastTarget = { ...fresh, id: newHexId(), streamKey };
  const sealed = await sealTarget(env, target.id, streamKey);
  const changed = await changeStream(env, key, async ({ stream, targets }, db, still) => {
    if (stream.status !== "idle") throw new Problem("stream_not_idle", "targets are added while the stream is idle");
    if (targets.length >= TARGETS_PER_STREAM) throw tooManyTargets();
    const created = { id: target.id, answer: success(toTargetRecord(target, stream)) };
    return {
      created,
      statements: [
        insertTargetIf(db, { ...target, ...sealed }, still, TARGETS_PER_STREAM),
        ...(await keep(created, still)),
      ],
      event: targetEvent("video.live_stream.simulcast_target.created", target, now.getTime()),
    };
  });
  const { plan, committed } = orNotFound(changed, "stream_not_found");
  after(committed.wake());
  return plan.created;
}

function tooManyTargets(): Problem {
  const message = `has ${TARGETS_PER_STREAM} simulcast targets, the maximum; remove one first`;
  return new Problem("validation_failed", `the stream ${message}`, { fields: [{ field: "streamId", message }] });
}

/** @throws {Problem} validation_failed */
function requireValidUrl(body: { url: string }, allowPrivateNetwork: boolean): void {
  const message = targetUrlProblem(body.url, allowPrivateNetwork);
  if (message === null) return;
  const issues: z.core.$ZodIssue[] = [
    { code: "custom", path: ["url"], ...hinted(message, urlHint(message)), input: undefined },
  ];
  throw validationProblem({ issues }, { data: body, schema: null });
}
